#include "mat/report/statistics.hpp"

#include "mat/exec/session.hpp"
#include "mat/report/asked.hpp"

#include <algorithm>

namespace petscspmv {

namespace {

/// The index of a format in Formats().
std::size_t IndexOf(const PetscFormat *format)
{
  return static_cast<std::size_t>(std::find(Formats().begin(), Formats().end(), format) - Formats().begin());
}

/// Adds to the counts of one matrix, which has only some of the process's counts.
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
  case Count::ByPlain:
  case Count::Trial:
  case Count::OtherVariant:
    break; // counted for the process only
  }
}

/// Whether a local product counts as the product with the whole matrix: only that of the first process with its diagonal block
/// does. An off-diagonal block is multiplied with sequential vectors of ghost values, and on a single process it has no columns.
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

Statistics &OfThisProcess()
{
  return OfSession<Statistics>();
}

TypeFigures &Statistics::Of(const TypeInfo &type)
{
  return types[static_cast<std::size_t>(std::find(Types().begin(), Types().end(), &type) - Types().begin())];
}

void AddCount(Count count)
{
  const Locked now(Lock());
  ++OfThisProcess().counts[static_cast<std::size_t>(count)];
}

void AddCount(MatSpMVInfo &info, Count count)
{
  AddCount(count);
  AddToInfo(count, info);
}

void AddProduct(MatSpMVInfo &info, Count count, const PetscFormat *format, bool plain, bool chosen)
{
  if (format) ++OfThisProcess().by_format[IndexOf(format)];
  else AddCount(plain ? Count::ByPlain : Count::ByAij); // also A^T x, as long as no layout of A^T is worth building
  if (count == Count::MultTranspose && !format && !chosen) return;
  AddCount(info, count);
}

PetscErrorCode CountDenseProduct(Mat A, MatSpMVInfo &info)
{
  const Locked now(Lock());
  PetscMPIInt  rank;

  PetscFunctionBegin;
  AddCount(info, Count::MatMult);
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  OfThisProcess().dense += rank == 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode NoteProduct(Mat A, Vec x, Vec y, const TypeInfo &type, double seconds)
{
  bool counts;

  PetscFunctionBegin;
  if (!Viewing()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(CountsForAll(A, x, y, &counts));
  TypeFigures &figures = OfThisProcess().Of(type);
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

void AddGain(const TypeInfo &type, double gained, double spent)
{
  TypeFigures &figures = OfThisProcess().Of(type);
  figures.gained += gained;
  figures.overhead += spent;
}

void AddUnmeasured(const TypeInfo &type)
{
  ++OfThisProcess().Of(type).unknown;
}

void AddSweeps(Sweeping as, SweepBy by, double count, double seconds, double with_aij)
{
  SweepFigures &figures = OfThisProcess().Of(as);
  figures.done[static_cast<std::size_t>(by)] += count;
  figures.seconds += seconds;
  if (by == SweepBy::Aij) return;
  if (with_aij > 0) figures.gained += with_aij - seconds;
  else figures.unknown += count;
}

void AddWhyAijSweeps(WhyAij why, double seconds)
{
  OfThisProcess().why_aij_sweeps[static_cast<std::size_t>(why)] += seconds;
}

void AddSweepsOverhead(Sweeping as, double seconds)
{
  OfThisProcess().Of(as).overhead += seconds;
}

} // namespace petscspmv
