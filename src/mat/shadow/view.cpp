#include "mat/shadow/view.hpp"

#include "mat/exec/session.hpp"
#include "mat/layout/made.hpp"
#include "mat/report/figures.hpp"
#include "mat/report/memory_view.hpp"
#include "mat/shadow/blocks.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

#include <string>
#include <vector>

namespace petscspmv {

namespace {

/// Prints the candidates among which a block's chooser decides. Each process has its own: with several, only the detailed format
/// shows them.
PetscErrorCode PrintCandidates(PetscViewer viewer, Mat A, Mat block)
{
  PetscViewerFormat        format;
  SequentialShadow        *shadow;
  std::vector<std::string> lines;

  PetscFunctionBegin;
  PetscCall(GetShadow(block, &shadow));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (!shadow->layouts.chooser || (A != block && format != PETSC_VIEWER_ASCII_INFO_DETAIL)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guard([&] { lines = shadow->layouts.chooser->Lines(); }));
  if (A == block) {
    for (const std::string &line : lines) PetscCall(PetscViewerASCIIPrintf(viewer, "  %s\n", line.c_str()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscMPIInt rank;
  PetscCallMPI(MPI_Comm_rank(PetscObjectComm((PetscObject)A), &rank));
  PetscCall(PetscViewerASCIIPushSynchronized(viewer));
  for (const std::string &line : lines) PetscCall(PetscViewerASCIISynchronizedPrintf(viewer, "  [%d] %s\n", rank, line.c_str()));
  PetscCall(PetscViewerFlush(viewer));
  PetscCall(PetscViewerASCIIPopSynchronized(viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether to show the layout: in the detailed format always, in the short one only if the matrix is viewed by itself, by MatView()
/// or by an option. Solvers show their many matrices in the short format too, but indented by more than the two tabs that MatView()
/// pushes.
PetscErrorCode Wanted(PetscViewer viewer, bool *wanted)
{
  PetscBool         ascii;
  PetscViewerFormat format;
  PetscInt          tab;

  PetscFunctionBegin;
  *wanted = false;
  PetscCall(PetscObjectTypeCompare((PetscObject)viewer, PETSCVIEWERASCII, &ascii));
  if (!ascii) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscViewerGetFormat(viewer, &format));
  PetscCall(PetscViewerASCIIGetTab(viewer, &tab));
  *wanted = format == PETSC_VIEWER_ASCII_INFO_DETAIL || (format == PETSC_VIEWER_ASCII_INFO && tab <= 2);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode FiguresOf(Mat block, Stats &stats)
{
  const Locked      alone(Lock());
  SequentialShadow *shadow;
  bool              made = true;

  PetscFunctionBegin;
  PetscCall(GetShadow(block, &shadow));
  Layouts &layouts = shadow->layouts;
  if (!layouts.chooser) PetscCall(MakeCurrentWithinLimit(block, layouts, layouts.latest, &made));
  Stamp now;
  PetscCall(now.Take(block));
  PetscCall(Guard([&] {
    if (layouts.chooser) stats = layouts.chooser->Figures(layouts);
    else if (made) {
      const MadeLayout &latest = layouts.slots[layouts.latest];
      stats                    = latest.layout->Statistics(ExecutionOf(latest));
    }
  }));
  stats.push_back({"bytes", layouts.Bytes()});
  stats.push_back({"csr_bytes", now.CsrBytes()});
  stats.push_back({"bytes_per_nonzero", layouts.Bytes(), Stat::Ratio, static_cast<double>(now.nnz)});
  stats.push_back({"transpose_bytes", shadow->TransposedBytes(), Stat::IfNonzero});
  stats.push_back({"sor_bytes", shadow->SorBytes(), Stat::IfNonzero});
  stats.push_back({"sor_layout_bytes", shadow->SorLayoutBytes(), Stat::IfNonzero});
  stats.push_back({"csr_bytes_per_nonzero", now.CsrBytes(), Stat::Ratio, static_cast<double>(now.nnz)});
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewShadow(Mat A, PetscViewer viewer)
{
  bool wanted;

  PetscFunctionBegin;
  PetscCall(Wanted(viewer, &wanted));
  const TypeInfo *type = TypeOf(A);
  if (!wanted || !type || !A->assembled || A->factortype != MAT_FACTOR_NONE || HashActive(A)) PetscFunctionReturn(PETSC_SUCCESS);
  std::vector<Mat> blocks;
  PetscCall(BlocksOf(A, *type, blocks));
  for (std::size_t k = 0; k < blocks.size(); ++k) {
    Stats stats;
    PetscCall(FiguresOf(blocks[k], stats));
    if (blocks.size() == 2) PetscCall(ReduceFigures(PetscObjectComm((PetscObject)A), stats));
    PetscCall(PrintFigures(viewer, *type, blocks.size() == 1 ? "" : k == 0 ? " diagonal blocks" : " off-diagonal blocks", stats));
    PetscCall(PrintCandidates(viewer, A, blocks[k]));
  }
  PetscCall(ViewMemory(PetscObjectComm((PetscObject)A), viewer, "  all of PetscSpMV's"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
