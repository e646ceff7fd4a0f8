#include "mat/report/view_option.hpp"

#include "mat/exec/session.hpp"
#include "mat/report/asked.hpp"
#include "mat/report/statistics.hpp"
#include "mat/report/statistics_view.hpp"
#include "petsc/fixed_string.hpp"
#include "petsc/option_text.hpp"

#include <string_view>

namespace petscspmv {

namespace {

struct ViewOption {
  PetscBool   in_detail = PETSC_FALSE;
  PetscViewer viewer    = nullptr; // null without -spmv_view
};

} // namespace

/// Opens a viewer on stdout, to be used in PetscFinalize(). By then PETSc's own viewer is gone, and no viewer may be created: PETSc
/// would initialize a package that it has already finalized.
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
static PetscErrorCode ReadView(OptionItems PetscOptionsObject, ViewOption &option)
{
  char              text[PETSC_MAX_PATH_LEN] = "";
  PetscViewerFormat format                   = PETSC_VIEWER_DEFAULT;
  FixedString       wrong;

  PetscFunctionBegin;
  PetscCall(PetscOptionsString("-spmv_view",
                               "Print at the end what products, relaxation and solves have gained (::ascii_info_detail: more)",
                               "PetscSpMVRegisterAll", text, text, sizeof(text), &AskedFor().view));
  const std::string_view given = text, type = given.substr(0, given.find(':'));
  const bool             viewer = type.size() < given.size(), in_file = viewer && !given.substr(type.size()).starts_with("::");
  if (!viewer) {
    PetscCall(GetWrongText(PetscOptionsObject, "-spmv_view", OptionKind::Flag, &wrong));
    if (*text && wrong.empty()) PetscCall(PetscOptionsStringToBool(text, &AskedFor().view));
  }
  PetscCheck(wrong.empty() && (!viewer || type.empty() || type == PETSCVIEWERASCII), PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-spmv_view is %s, must be true or false, or an ascii viewer such as ::ascii_info_detail or :FILE", text);
  if (viewer)
    PetscCall(PetscOptionsCreateViewer(PETSC_COMM_WORLD, NULL, NULL, "-spmv_view", in_file ? &option.viewer : NULL, &format, NULL));
  if (AskedFor().view && !option.viewer) PetscCall(OpenStdout(&option.viewer));
  option.in_detail = format == PETSC_VIEWER_ASCII_INFO_DETAIL ? PETSC_TRUE : PETSC_FALSE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadViewAndAudit()
{
  ViewOption &option = OfSession<ViewOption>();

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Options of PetscSpMV", "Mat");
  PetscCall(ReadView(PetscOptionsObject, option));
  PetscCall(CheckFlagText(PetscOptionsObject, "-spmv_audit"));
  PetscCall(PetscOptionsBool("-spmv_audit",
                             "Stop with an error if a product meets a layout that is not that of the AIJ arrays (slow)",
                             "PetscSpMVRegisterAll", AskedFor().audit, &AskedFor().audit, NULL));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CloseView()
{
  ViewOption &option = OfSession<ViewOption>();

  PetscFunctionBegin;
  AskedFor().view = PETSC_FALSE; // counting calls MPI, which products after PetscFinalize() must not do
  PetscCall(PetscViewerDestroy(&option.viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FinishStatistics()
{
  ViewOption &option = OfSession<ViewOption>();

  PetscFunctionBegin;
  PetscErrorCode ierr = PETSC_SUCCESS;
  if (AskedFor().view) ierr = ViewStatistics(OfThisProcess(), option.viewer, option.in_detail);
  const PetscErrorCode closed = CloseView();
  PetscCall(ierr);
  PetscCall(closed);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
