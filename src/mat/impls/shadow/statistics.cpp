// Proof of which kernels ran: counts of the process, for -spmv_view and PETSCSPMV_STATS.
#include "mat/format/prefetch.hpp"
#include "mat/format/simd.hpp"
#include "mat/impls/shadow/shadow.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>

namespace petscspmv {

namespace {

constexpr std::array<const char *, 7> names{"mult", "multadd", "multT", "mpimult", "build", "refresh", "device"};
constexpr std::size_t                 kTold = kHasDevice ? 7 : 6;

std::array<PetscInt64, names.size()> counts{};
PetscBool                            audit = PETSC_FALSE, view = PETSC_FALSE;

PetscErrorCode ViewStatistics()
{
  std::array<PetscInt64, names.size()> sums{};

  PetscFunctionBegin;
  PetscCallMPI(MPI_Reduce(counts.data(), sums.data(), static_cast<int>(names.size()), MPIU_INT64, MPI_SUM, 0, PETSC_COMM_WORLD));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "PetscSpMV, all processes:"));
  for (std::size_t k = 0; k < kTold; ++k) PetscCall(PetscPrintf(PETSC_COMM_WORLD, " %s %" PetscInt64_FMT, names[k], sums[k]));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, " simd %s prefetch %s\n", kSimdNames[static_cast<int>(CurrentSimd())], kPrefetchingNames[static_cast<int>(CurrentPrefetching())]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AppendStatistics(const char *file)
{
  std::string line;

  PetscFunctionBegin;
  for (std::size_t k = 0; k < kTold; ++k) line += (k ? " " : "") + std::string(names[k]) + " " + std::to_string(counts[k]);
  line += "\n";
  std::FILE *f = std::fopen(file, "a");
  PetscCheck(f, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "Cannot append to %s, named by the environment variable PETSCSPMV_STATS", file);
  std::fputs(line.c_str(), f); // one write a process: lines of other ranks do not mix with it
  PetscCheck(std::fclose(f) == 0, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "Cannot write to %s, named by the environment variable PETSCSPMV_STATS", file);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

void AddCount(Shadow &shadow, Count count)
{
  ++counts[static_cast<std::size_t>(count)];
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
  case Count::Build:
    ++shadow.info.builds;
    break;
  case Count::Refresh:
    ++shadow.info.refreshes;
    break;
  case Count::OnDevice:
    break;
  }
}

bool Auditing()
{
  return audit;
}

PetscErrorCode StartStatistics()
{
  PetscFunctionBegin;
  counts.fill(0);
  audit = view = PETSC_FALSE;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Options of PetscSpMV", "Mat");
  PetscCall(PetscOptionsBool("-spmv_view", "Print at the end how often the library's kernels ran", "MatSpMVGetInfo", view, &view, NULL));
  PetscCall(PetscOptionsBool("-spmv_audit", "Stop with an error if a product meets a layout that is not that of the AIJ arrays (slow)", NULL, audit, &audit, NULL));
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
