// What the library reports about a matrix: in MatView(), and by MatSpMVGetInfo() and MatSpMVGetStatistic().
#include "mat/exec/session.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace petscspmv {

namespace {

/// The figures of a block's layout, built if needed, or of its chooser, followed by the sizes of layout and CSR.
PetscErrorCode Figures(Mat block, Stats &stats)
{
  const Locked alone(Lock());
  Shadow      *shadow;

  PetscFunctionBegin;
  PetscCall(GetShadow(block, &shadow));
  if (!shadow->chooser) PetscCall(MakeCurrent(block, *shadow));
  Stamp now;
  PetscCall(now.Take(block));
  PetscCall(Guard([&] {
    stats = shadow->chooser ? shadow->chooser->Figures(*shadow) : shadow->Made().layout->Statistics(ExecutionOf(*shadow));
  }));
  stats.push_back({"bytes", shadow->Bytes()});
  stats.push_back({"csr_bytes", now.CsrBytes()});
  stats.push_back({"bytes_per_nonzero", shadow->Bytes(), Stat::Ratio, static_cast<double>(now.nnz)});
  stats.push_back({"transpose_bytes", shadow->TransposeBytes(), Stat::Histogram}); // shown if nonzero
  stats.push_back({"csr_bytes_per_nonzero", now.CsrBytes(), Stat::Ratio, static_cast<double>(now.nnz)});
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Combines the figures of all processes. A parameter that differs between them becomes NaN.
PetscErrorCode Reduce(MPI_Comm comm, Stats &stats)
{
  std::vector<double> sum, over, least, most;

  PetscFunctionBegin;
  for (const Stat &stat : stats) {
    sum.push_back(stat.value);
    over.push_back(stat.over);
  }
  least = most = sum;
  const int n  = static_cast<int>(stats.size());
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sum.data(), n, MPI_DOUBLE, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, over.data(), n, MPI_DOUBLE, MPI_SUM, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, least.data(), n, MPI_DOUBLE, MPI_MIN, comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most.data(), n, MPI_DOUBLE, MPI_MAX, comm));
  for (std::size_t k = 0; k < stats.size(); ++k) {
    switch (stats[k].kind) {
    case Stat::Parameter:
      stats[k].value = least[k] == most[k] ? most[k] : std::nan("");
      break;
    case Stat::Count:
    case Stat::Histogram:
      stats[k].value = sum[k];
      break;
    case Stat::Ratio:
      stats[k].value = sum[k];
      stats[k].over  = over[k];
      break;
    case Stat::Least:
      stats[k].value = least[k];
      break;
    case Stat::Most:
      stats[k].value = most[k];
      break;
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// One statistic as text: the name of a choice, "varies", or a number.
std::string Text(const TypeInfo &type, const Stat &stat)
{
  double unit = 0;
  if (std::isnan(stat.value)) return "varies";
  for (const OptionSpec &option : type.options) {
    if (std::strcmp(option.key, stat.key)) continue;
    if (!option.names.empty()) return option.names[static_cast<std::size_t>(stat.value)];
    if (option.unit != 0) unit = option.unit;
  }
  char text[32];
  if (unit != 0) {
    std::snprintf(text, sizeof(text), "%g", stat.value * unit);
    return text;
  }
  std::snprintf(text, sizeof(text), stat.Figure() == std::floor(stat.Figure()) ? "%.0f" : "%.4g", stat.Figure());
  return text;
}

/// All figures, in lines of at most 100 characters.
PetscErrorCode PrintFigures(PetscViewer viewer, const TypeInfo &type, const char *what, const Stats &stats)
{
  std::string              line  = std::string(type.title) + what + ":";
  double                   bytes = 0, csr_bytes = 0;
  std::vector<std::string> words;

  PetscFunctionBegin;
  for (const Stat &stat : stats) {
    if (!std::strcmp(stat.key, "bytes")) bytes = stat.value;
    if (!std::strcmp(stat.key, "csr_bytes")) csr_bytes = stat.value;
    if (stat.kind == Stat::Histogram && stat.value == 0) continue;
    words.push_back(std::string(" ") + stat.key + "=" + Text(type, stat));
    std::replace(words.back().begin(), words.back().end(), '_', ' ');
    if (*stat.unit) words.back() += std::string(" ") + stat.unit;
    if (&stat != &stats.back()) words.back() += ",";
  }
  char share[64];
  std::snprintf(share, sizeof(share), " (layout is %.4g of CSR)", csr_bytes > 0 ? bytes / csr_bytes : 0);
  words.push_back(share);
  for (const std::string &word : words) {
    if (line.size() + word.size() > 100) {
      PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", line.c_str()));
      line = " ";
    }
    line += word;
  }
  PetscCall(PetscViewerASCIIPrintf(viewer, "%s\n", line.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Prints the candidates of a block's choice. With several processes each has its own, shown in detail only.
PetscErrorCode PrintCandidates(PetscViewer viewer, Mat A, Mat block)
{
  PetscViewerFormat        format;
  Shadow                  *shadow;
  std::vector<std::string> lines;

  PetscFunctionBegin;
  PetscCall(GetShadow(block, &shadow));
  PetscCall(PetscViewerGetFormat(viewer, &format));
  if (!shadow->chooser || (A != block && format != PETSC_VIEWER_ASCII_INFO_DETAIL)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guard([&] { lines = shadow->chooser->Lines(); }));
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

/// Whether the layout shows: in detail always, in short where a matrix is viewed by itself, by MatView() or by an option.
/// Solvers show their many matrices in the same format, but indented, while MatView() itself pushes two tabs.
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

PetscErrorCode BlocksOf(Mat A, const TypeInfo &type, std::vector<Mat> &blocks)
{
  PetscFunctionBegin;
  blocks = {A};
  if (type.mpi == ((PetscObject)A)->type_name) {
    blocks.resize(2);
    if (A->assembled && !HashActive(A)) PetscCall(ConvertBlocks(A, blocks.data()));
    else PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  }
  std::erase_if(blocks, [&](Mat block) { return !block || !IsShadowed(block, type); });
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
    PetscCall(Figures(blocks[k], stats));
    if (blocks.size() == 2) PetscCall(Reduce(PetscObjectComm((PetscObject)A), stats));
    PetscCall(PrintFigures(viewer, *type, blocks.size() == 1 ? "" : k == 0 ? " diagonal blocks" : " off-diagonal blocks", stats));
    PetscCall(PrintCandidates(viewer, A, blocks[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv

/*@
   MatSpMVGetInfo - Gets what a matrix of one of PetscSpMV's types has done on the calling process.

   Not Collective

   Input Parameter:
.  A - the matrix

   Output Parameter:
.  info - counts of products by the format's own kernels, of builds and refreshes of its layout, and bytes

   Level: advanced

   Note:
   This does not build a layout: `bytes` is 0 before the first product.

.seealso: `MatSpMVInfo`, `MatSpMVGetStatistic()`
@*/
PetscErrorCode MatSpMVGetInfo(Mat A, MatSpMVInfo *info)
try {
  using namespace petscspmv;
  const TypeInfo  *type;
  Shadow          *shadow;
  std::vector<Mat> blocks;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCheck(info, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_NULL, "Result is NULL");
  PetscCall(NeedType(A, &type));
  PetscCall(GetShadow(A, &shadow));
  *info         = MatSpMVInfo{};
  info->mpimult = shadow->info.mpimult;
  if (type->mpi == ((PetscObject)A)->type_name) { // the blocks do not count these
    info->matmult = shadow->info.matmult;
    info->bytes   = static_cast<double>(shadow->ghosts.bytes());
  }
  if (A->preallocated) PetscCall(BlocksOf(A, *type, blocks));
  for (Mat block : blocks) {
    PetscCall(GetShadow(block, &shadow));
    for (const Shadow *s : {shadow, shadow->transpose.get()}) {
      if (!s) continue;
      info->mult += s->info.mult;
      info->multadd += s->info.multadd;
      info->multtranspose += s->info.multtranspose;
      info->matmult += s->info.matmult;
      info->builds += s->info.builds;
      info->refreshes += s->info.refreshes;
    }
    info->bytes += shadow->Bytes() + shadow->TransposeBytes();
    if (shadow->Bytes() + shadow->TransposeBytes() == 0) continue;
    Stamp now;
    PetscCall(now.Take(block));
    info->csr_bytes += now.CsrBytes();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/*@
   MatSpMVGetStatistic - Gets a figure of a matrix's layout, which is built if needed, or of the choice made by `MATSPMV`.

   Not Collective

   Input Parameters:
+  A   - the assembled matrix; for a parallel one, the figures are of the calling process' diagonal block
-  key - the figure's name as printed by `-mat_view ::ascii_info`, with underscores, e.g. "tiles_with_empty_rows"

   Output Parameter:
.  value - the figure

   Level: advanced

   Note:
   All types have "bytes" and "csr_bytes", the memory of the layout and of the AIJ arrays, and both per nonzero:
   "bytes_per_nonzero" and "csr_bytes_per_nonzero".

.seealso: `MatSpMVGetInfo()`, `MatSpMVSetOption()`
@*/
PetscErrorCode MatSpMVGetStatistic(Mat A, const char key[], PetscReal *value)
try {
  using namespace petscspmv;
  const TypeInfo  *type;
  std::vector<Mat> blocks;
  Stats            stats;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCheck(key && value, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_NULL, "Name of the figure or result is NULL");
  PetscCall(NeedType(A, &type));
  PetscCheck(A->assembled, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "Not for unassembled matrix");
  PetscCall(BlocksOf(A, *type, blocks));
  PetscCheck(!blocks.empty(), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONGSTATE, "The matrix has no blocks of type %s yet",
             type->seq.c_str());
  PetscCall(Figures(blocks[0], stats));
  std::string known;
  for (const Stat &stat : stats) {
    if (!std::strcmp(stat.key, key)) {
      *value = static_cast<PetscReal>(stat.Figure());
      PetscFunctionReturn(PETSC_SUCCESS);
    }
    known += std::string(known.empty() ? "" : ", ") + stat.key;
  }
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE, "%s has no figure %s; it has %s", type->title, key, known.c_str());
}
PETSCSPMV_CATCH
