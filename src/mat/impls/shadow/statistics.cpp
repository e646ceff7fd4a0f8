// Proof of which kernels ran: counts of the process, for -spmv_view and PETSCSPMV_STATS.
#include "mat/exec/by_place.hpp"
#include "mat/exec/settings.hpp"
#include "mat/exec/target.hpp"
#include "mat/impls/shadow/choose_target.hpp"
#include "mat/impls/shadow/option_text.hpp"
#include "mat/impls/shadow/shadow.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace petscspmv {

namespace {

constexpr auto        names  = ByPlace<Count::MatMult, const char *>({
          {Count::Mult, "mult"},
          {Count::MultAdd, "multadd"},
          {Count::MultTranspose, "multT"},
          {Count::MPIMult, "mpimult"},
          {Count::Build, "build"},
          {Count::Refresh, "refresh"},
          {Count::OnDevice, "device"},
          {Count::ByAij, "by aij"},
          {Count::Trial, "trial"},
          {Count::OtherWay, "other way"},
          {Count::MatMult, "matmult"},
});
constexpr std::size_t kShown = static_cast<std::size_t>(Count::OnDevice) + kHasDevice;

std::array<PetscInt64, names.size()> counts{};
std::array<PetscInt64, kMostFormats> products{}; // by format
std::array<double, kMostFormats>     gained{};   // seconds, likewise, where a chooser has chosen it
double                               spent = 0;  // and what that took
PetscBool                            audit = PETSC_FALSE, view = PETSC_FALSE;

/// Says so where processes have different targets: each measures for itself.
PetscErrorCode ViewOtherTargets()
{
  const PetscInt64 none = PETSC_MAX_INT, mine = TargetInUse();
  const PetscInt64 ends[2] = {mine < 0 ? none : mine, mine < 0 ? none : -mine};
  PetscInt64       least[2];

  PetscFunctionBegin;
  PetscCallMPI(MPI_Allreduce(ends, least, 2, MPIU_INT64, MPI_MIN, PETSC_COMM_WORLD));
  if (least[0] == none || least[0] == -least[1]) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "PetscSpMV: that is the target of the first process; others have another, such as %s\n",
                        Targets()[static_cast<std::size_t>(least[0] == mine ? -least[1] : least[0])].name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What choosing has brought, where anything was chosen.
PetscErrorCode ViewGains()
{
  std::array<double, kMostFormats> of_types{};
  double                           sum = 0;

  PetscFunctionBegin;
  PetscCallMPI(
    MPI_Reduce(gained.data(), of_types.data(), static_cast<int>(kMostFormats), MPI_DOUBLE, MPI_SUM, 0, PETSC_COMM_WORLD));
  PetscCallMPI(MPI_Reduce(&spent, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, PETSC_COMM_WORLD));
  if (sum == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "PetscSpMV, all processes: seconds gained over aij by choosing, trials included:"));
  for (std::size_t k = 0; k < Formats().size(); ++k)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %s %.3g", Formats()[k]->alias, of_types[k]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "; spent on finding out %.3g\n", sum));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ViewStatistics()
{
  std::array<PetscInt64, names.size()> sums{};
  std::array<PetscInt64, kMostFormats> of_types{};
  const Execution                      execution = CurrentExecution();

  PetscFunctionBegin;
  PetscCallMPI(MPI_Reduce(counts.data(), sums.data(), static_cast<int>(names.size()), MPIU_INT64, MPI_SUM, 0, PETSC_COMM_WORLD));
  PetscCallMPI(
    MPI_Reduce(products.data(), of_types.data(), static_cast<int>(kMostFormats), MPIU_INT64, MPI_SUM, 0, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "PetscSpMV " PETSCSPMV_VERSION ": %s; prefetch %s; threads of a process: %d\n",
                        DescribeTarget().c_str(), kPrefetchingNames[static_cast<int>(execution.prefetching)],
                        static_cast<int>(execution.workers)));
  PetscCall(ViewOtherTargets());
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "PetscSpMV, all processes:"));
  for (std::size_t k = 0; k < kShown; ++k) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %s %" PetscInt64_FMT, names[k], sums[k]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "; products by type:"));
  for (std::size_t k = 0; k < Formats().size(); ++k)
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %s %" PetscInt64_FMT, Formats()[k]->alias, of_types[k]));
  if (const PetscInt64 by_aij = sums[static_cast<std::size_t>(Count::ByAij)])
    PetscCall(PetscPrintf(PETSC_COMM_WORLD, " aij %" PetscInt64_FMT, by_aij));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "\n"));
  PetscCall(ViewGains());
  if (const PetscInt64 several = sums[static_cast<std::size_t>(Count::MatMult)])
    PetscCall(
      PetscPrintf(PETSC_COMM_WORLD, "PetscSpMV, all processes: products with dense matrices: %" PetscInt64_FMT "\n", several));
  if (const PetscInt64 trials = sums[static_cast<std::size_t>(Count::Trial)])
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "PetscSpMV, all processes: trials of other targets and prefetching: %" PetscInt64_FMT
                          ", another way was faster: %" PetscInt64_FMT " (-info tells which)\n",
                          trials, sums[static_cast<std::size_t>(Count::OtherWay)]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AppendStatistics(const char *file)
{
  std::string line;

  PetscFunctionBegin;
  for (std::size_t k = 0; k < kShown; ++k) line += (k ? " " : "") + std::string(names[k]) + " " + std::to_string(counts[k]);
  line += "\n";
  std::FILE *f = std::fopen(file, "a");
  PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot append to %s, named by the environment variable PETSCSPMV_STATS",
             file);
  std::fputs(line.c_str(), f); // one write a process: lines of other ranks do not mix with it
  PetscCheck(std::fclose(f) == 0, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE,
             "Cannot write to %s, named by the environment variable PETSCSPMV_STATS", file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Of the format in use, in the list.
std::size_t PlaceOf(Shadow &shadow)
{
  return static_cast<std::size_t>(std::find(Formats().begin(), Formats().end(), shadow.Made().format) - Formats().begin());
}

} // namespace

void AddCount(Shadow &shadow, Count count, bool by_aij)
{
  if (count == Count::MultTranspose && by_aij && !shadow.chooser) return; // it waits for a layout to be worth it
  ++counts[static_cast<std::size_t>(count)];
  if (by_aij) ++counts[static_cast<std::size_t>(Count::ByAij)];
  else if (count == Count::Mult || count == Count::MultAdd || count == Count::MultTranspose) ++products[PlaceOf(shadow)];
  switch (count) {
  case Count::Mult:
    ++shadow.info.mult;
    break;
  case Count::MultAdd:
    ++shadow.info.multadd;
    break;
  case Count::MultTranspose:
    ++shadow.info.multtranspose;
    break;
  case Count::MPIMult:
    ++shadow.info.mpimult;
    break;
  case Count::MatMult:
    ++shadow.info.matmult;
    break;
  case Count::Build:
    ++shadow.info.builds;
    break;
  case Count::Refresh:
    ++shadow.info.refreshes;
    break;
  case Count::OnDevice:
  case Count::ByAij:
  case Count::Trial:
  case Count::OtherWay:
    break; // of the process alone
  }
}

void AddGain(Shadow &shadow, double seconds, double spent_seconds)
{
  if (seconds != 0) gained[PlaceOf(shadow)] += seconds; // by AIJ's products nothing is
  spent += spent_seconds;
}

bool Auditing()
{
  return audit;
}

PetscErrorCode StartStatistics()
{
  PetscFunctionBegin;
  counts.fill(0);
  products.fill(0);
  gained.fill(0);
  spent = 0;
  audit = view = PETSC_FALSE;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Options of PetscSpMV", "Mat");
  for (const char *flag : {"-spmv_view", "-spmv_audit"})
    PetscCall(CheckOptionText(PetscOptionsObject, flag, OptionKind::Flag, kFlagValues));
  PetscCall(
    PetscOptionsBool("-spmv_view", "Print at the end how often the library's kernels ran", "MatSpMVGetInfo", view, &view, NULL));
  PetscCall(PetscOptionsBool("-spmv_audit",
                             "Stop with an error if a product meets a layout that is not that of the AIJ arrays (slow)", NULL,
                             audit, &audit, NULL));
  PetscOptionsEnd();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FinishStatistics()
{
  const char *file = std::getenv("PETSCSPMV_STATS");

  PetscFunctionBegin;
  if (view) PetscCall(ViewStatistics());
  if (file && *file) PetscCall(AppendStatistics(file));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
