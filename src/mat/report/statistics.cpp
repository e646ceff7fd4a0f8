// Proof of which kernels ran: counts of the process, for -spmv_view.
#include "mat/report/statistics.hpp"

#include "mat/exec/session.hpp"
#include "petsc/fixed_string.hpp"
#include "petsc/option_text.hpp"

#include <algorithm>
#include <string_view>

namespace petscspmv {

namespace {

struct Counting {
  Statistics  statistics;
  PetscBool   audit = PETSC_FALSE, view = PETSC_FALSE, in_detail = PETSC_FALSE;
  PetscViewer viewer = nullptr; // if view
};

Statistics &OfThisProcess()
{
  return OfSession<Counting>().statistics;
}

/// The index of a format in Formats().
std::size_t IndexOf(const PetscFormat *format)
{
  return static_cast<std::size_t>(std::find(Formats().begin(), Formats().end(), format) - Formats().begin());
}

/// Those that a matrix counts as well.
void AddToInfo(Count count, MatSpMVInfo &info)
{
  switch (count) {
  case Count::Mult:
    ++info.mult;
    break;
  case Count::MultAdd:
    ++info.multadd;
    break;
  case Count::MultTranspose:
    ++info.multtranspose;
    break;
  case Count::MPIMult:
    ++info.mpimult;
    break;
  case Count::MatMult:
    ++info.matmult;
    break;
  case Count::Build:
    ++info.builds;
    break;
  case Count::Refresh:
    ++info.refreshes;
    break;
  case Count::OnDevice:
  case Count::ByAij:
  case Count::Trial:
  case Count::OtherWay:
    break; // of the process alone
  }
}

/// Whether a local product is the one that counts for the product of the whole matrix: that of the first process with its diagonal
/// block. Off-diagonal blocks have a vector of ghost values, which is not parallel, or on a single process no columns.
PetscErrorCode CountsForAll(Mat A, Vec x, Vec y, bool *counts)
{
  PetscMPIInt of_x, of_y, rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)x), &of_x));
  PetscCallMPI(MPI_Comm_size(PetscObjectComm((PetscObject)y), &of_y));
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)y), &rank));
  *counts = of_x == of_y && rank == 0 && (of_y > 1 || A->cmap->n > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

TypeFigures &Statistics::Of(const TypeInfo &type)
{
  return types[static_cast<std::size_t>(std::find(Types().begin(), Types().end(), &type) - Types().begin())];
}

void AddCount(Shadow &shadow, Count count)
{
  ++OfThisProcess().counts[static_cast<std::size_t>(count)];
  AddToInfo(count, shadow.info);
}

void AddProduct(Shadow &shadow, Count count, const PetscFormat *format)
{
  if (format) ++OfThisProcess().by_format[IndexOf(format)];
  else
    ++OfThisProcess().counts[static_cast<std::size_t>(Count::ByAij)]; // also with A^T while that waits for a layout to be worth it
  if (count == Count::MultTranspose && !format && !shadow.chooser) return;
  AddCount(shadow, count);
}

PetscErrorCode CountDenseProduct(Mat A, Shadow &shadow)
{
  const Locked now(Lock());
  PetscMPIInt  rank;

  PetscFunctionBegin;
  AddCount(shadow, Count::MatMult);
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  OfThisProcess().dense += rank == 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NoteProduct(Mat A, Vec x, Vec y, const Shadow &shadow, double seconds)
{
  bool counts;

  PetscFunctionBegin;
  if (!Viewing()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CountsForAll(A, x, y, &counts));
  TypeFigures &figures = OfThisProcess().Of(*shadow.type);
  figures.products += counts;
  figures.seconds += seconds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void AddMatrix(const TypeInfo &type)
{
  const Locked now(Lock());
  ++OfThisProcess().Of(type).made;
}

void AddWhyAij(WhyAij why, double seconds)
{
  OfThisProcess().why_aij[static_cast<std::size_t>(why)] += seconds;
}

void AddLayoutSeconds(double seconds)
{
  OfThisProcess().layout_seconds += seconds;
}

void AddGain(Shadow &shadow, double gained, double spent)
{
  TypeFigures &figures = OfThisProcess().Of(*shadow.type);
  figures.gained += gained;
  figures.overhead += spent;
}

void AddUnmeasured(const Shadow &shadow)
{
  ++OfThisProcess().Of(*shadow.type).unknown;
}

bool Auditing()
{
  return OfSession<Counting>().audit;
}

bool Viewing()
{
  return OfSession<Counting>().view;
}

/// A viewer on stdout. PETSc's own is gone when the library's is used, and nothing may be created then: PETSc would initialize a
/// package that it has finalized.
static PetscErrorCode OpenStdout(PetscViewer *viewer)
{
  PetscFunctionBegin;
  PetscCall(PetscViewerCreate(PETSC_COMM_WORLD, viewer));
  PetscCall(PetscViewerSetType(*viewer, PETSCVIEWERASCII));
  PetscCall(PetscViewerFileSetMode(*viewer, FILE_MODE_WRITE));
  PetscCall(PetscViewerFileSetName(*viewer, "stdout"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reads -spmv_view: a flag, or a viewer, which has a colon.
static PetscErrorCode ReadView(OptionItems PetscOptionsObject, Counting &counting)
{
  char              text[PETSC_MAX_PATH_LEN] = "";
  PetscViewerFormat format                   = PETSC_VIEWER_DEFAULT;
  Words             wrong;

  PetscFunctionBegin;
  PetscCall(PetscOptionsString("-spmv_view",
                               "Print at the end what products of the library's types have gained (::ascii_info_detail: more)",
                               "PetscSpMVRegisterAll", text, text, sizeof(text), &counting.view));
  const std::string_view given = text, type = given.substr(0, given.find(':'));
  const bool             viewer = type.size() < given.size(), in_file = viewer && !given.substr(type.size()).starts_with("::");
  if (!viewer) {
    PetscCall(GetWrongText(PetscOptionsObject, "-spmv_view", OptionKind::Flag, &wrong));
    if (*text && wrong.empty()) PetscCall(PetscOptionsStringToBool(text, &counting.view));
  }
  PetscCheck(wrong.empty() && (!viewer || type.empty() || type == PETSCVIEWERASCII), PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-spmv_view is %s, must be true or false, or an ascii viewer such as ::ascii_info_detail or :FILE", text);
  if (viewer)
    PetscCall(
      PetscOptionsCreateViewer(PETSC_COMM_WORLD, NULL, NULL, "-spmv_view", in_file ? &counting.viewer : NULL, &format, NULL));
  if (counting.view && !counting.viewer) PetscCall(OpenStdout(&counting.viewer));
  counting.in_detail = format == PETSC_VIEWER_ASCII_INFO_DETAIL ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StartStatistics()
{
  Counting &counting = OfSession<Counting>();

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Options of PetscSpMV", "Mat");
  PetscCall(ReadView(PetscOptionsObject, counting));
  PetscCall(CheckFlagText(PetscOptionsObject, "-spmv_audit"));
  PetscCall(PetscOptionsBool("-spmv_audit",
                             "Stop with an error if a product meets a layout that is not that of the AIJ arrays (slow)", NULL,
                             counting.audit, &counting.audit, NULL));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CloseView()
{
  Counting &counting = OfSession<Counting>();

  PetscFunctionBegin;
  counting.view = PETSC_FALSE; // counting asks MPI, which products after the end of PETSc must not
  PetscCall(PetscViewerDestroy(&counting.viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FinishStatistics()
{
  Counting &counting = OfSession<Counting>();

  PetscFunctionBegin;
  PetscErrorCode ierr = PETSC_SUCCESS;
  if (counting.view) ierr = ViewStatistics(counting.statistics, counting.viewer, counting.in_detail);
  const PetscErrorCode closed = CloseView();
  PetscCall(ierr);
  PetscCall(closed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
