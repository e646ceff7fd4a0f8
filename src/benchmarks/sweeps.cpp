#include "benchmarks/sweeps.hpp"

#include "benchmarks/entries.hpp"
#include "petsc/success.hpp"
#include "petscspmv.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <petscksp.h>

namespace petscspmv::benchmarks {

namespace {

struct Operation {
  const char *name, *pc, *ksp; // a solver of which the iterations are counted
  bool        symmetric = false;
};

constexpr Operation kOperations[] = {{.name = "ILU(0)", .pc = PCILU, .ksp = KSPGMRES},
                                     {.name = "ICC(0)", .pc = PCICC, .ksp = KSPCG, .symmetric = true},
                                     {.name = "SOR", .pc = PCSOR, .ksp = KSPGMRES}};

/// A matrix of its own for each way, ready to be applied.
struct Applied {
  std::string   name, type;
  MatSpMVSweeps by;
  Mat           A  = nullptr;
  PC            pc = nullptr;
  Vec           x  = nullptr;

  bool Counts() const { return name == type || by == MAT_SPMV_SWEEPS_SINGLE; } // iterations of others are the same
};

std::vector<Applied> WaysOf(const std::vector<std::string> &types)
{
  std::vector<Applied> ways;
  for (const std::string &type : types) {
    ways.push_back({.name = type, .type = type, .by = MAT_SPMV_SWEEPS_AUTO});
    if (ways.size() == 1) {
      ways.push_back({.name = type + " again", .type = type, .by = MAT_SPMV_SWEEPS_AUTO});
    } else {
      ways.push_back({.name = type + " plain", .type = type, .by = MAT_SPMV_SWEEPS_PLAIN});
      ways.push_back({.name = type + " layout", .type = type, .by = MAT_SPMV_SWEEPS_LAYOUT});
      ways.push_back({.name = type + " single", .type = type, .by = MAT_SPMV_SWEEPS_SINGLE});
    }
  }
  return ways;
}

PetscErrorCode SetUp(const Entries &entries, const Operation &operation, Applied &way)
{
  PetscFunctionBegin;
  PetscCall(MakeIn(way.type, entries, &way.A));
  PetscCall(MatSpMVSetSweeps(way.A, way.by)); // does nothing to PETSc's own types
  PetscCall(MatCreateVecs(way.A, &way.x, NULL));
  PetscCall(PCCreate(PETSC_COMM_SELF, &way.pc));
  PetscCall(PCSetType(way.pc, operation.pc));
  PetscCall(PCSORSetSymmetric(way.pc, SOR_LOCAL_SYMMETRIC_SWEEP));
  PetscCall(PCSetOperators(way.pc, way.A, way.A));
  PetscCall(PCSetUp(way.pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Seconds of an application, which is that of the slowest process.
PetscErrorCode Apply(const Applied &way, Vec b, int count, double *seconds)
{
  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  const double start = MPI_Wtime();
  for (int k = 0; k < count; ++k) PetscCall(PCApply(way.pc, b, way.x));
  *seconds = (MPI_Wtime() - start) / count;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CountIterations(const Operation &operation, const Applied &way, Vec b, std::int64_t *count)
{
  constexpr PetscInt kMost = 300;
  KSP                ksp;
  PetscInt           iterations;
  Vec                x;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(way.x, &x));
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, operation.ksp));
  PetscCall(KSPSetPC(ksp, way.pc));
  PetscCall(KSPSetOperators(ksp, way.A, way.A));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, kMost));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  *count = iterations;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, count, 1, MPI_INT64_T, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RelativeError(Vec x, Vec right, double *error)
{
  Vec       d;
  PetscReal norms[2]; // infinite ones are errors as well

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &d));
  PetscCall(VecWAXPY(d, -1, right, x));
  PetscCall(VecNorm(d, NORM_2, &norms[0]));
  PetscCall(VecNorm(right, NORM_2, &norms[1]));
  PetscCall(VecDestroy(&d));
  *error = static_cast<double>(norms[1] > 0 ? norms[0] / norms[1] : norms[0]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, error, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeasureOperation(const Entries &entries, const Operation &operation, const std::vector<std::string> &types,
                                const Settings &settings, SweepsRun &run)
{
  constexpr int        kUntilDecided = 80; // applications in which the fastest way is found, layouts made included
  std::vector<Applied> ways          = WaysOf(types);
  Vec                  b             = nullptr;
  double               seconds;

  PetscFunctionBegin;
  for (Applied &way : ways) {
    PetscCall(SetUp(entries, operation, way));
    if (!b) {
      PetscCall(VecDuplicate(way.x, &b));
      PetscCall(VecSetRandom(b, NULL));
    }
    run.ways.push_back({.name = way.name});
    PetscCall(Apply(way, b, 1, &run.ways.back().first));
    PetscCall(Apply(way, b, kUntilDecided, &seconds));
  }
  PetscCall(Apply(ways.front(), b, 1, &seconds));
  const int count = static_cast<int>(std::clamp(std::ceil(settings.seconds / seconds), 1., 1e6));
  for (int round = 0; round < settings.rounds; ++round) {
    for (std::size_t k = 0; k < ways.size(); ++k) {
      const std::size_t w = (k + static_cast<std::size_t>(round)) % ways.size();
      PetscCall(Apply(ways[w], b, count, &seconds));
      run.ways[w].seconds.push_back(seconds);
    }
  }
  for (std::size_t w = 0; w < ways.size(); ++w) {
    PetscCall(RelativeError(ways[w].x, ways.front().x, &run.ways[w].error));
    if (ways[w].Counts()) PetscCall(CountIterations(operation, ways[w], b, &run.ways[w].iterations));
  }
  for (Applied &way : ways) {
    PetscCall(PCDestroy(&way.pc));
    PetscCall(VecDestroy(&way.x));
    PetscCall(MatDestroy(&way.A));
  }
  PetscCall(VecDestroy(&b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Rows over levels: a row is one level above the highest of those before it that it needs.
double RowsSideBySide(const Entries &entries)
{
  std::vector<std::int64_t> level(static_cast<std::size_t>(entries.rows), 1);
  std::int64_t              levels = 1;
  for (std::size_t row = 0; row < level.size(); ++row) {
    for (auto k = static_cast<std::size_t>(entries.row_ptr[row]); k < static_cast<std::size_t>(entries.row_ptr[row + 1]); ++k) {
      const auto column = static_cast<std::size_t>(entries.columns[k]);
      if (column < row) level[row] = std::max(level[row], level[column] + 1);
    }
    levels = std::max(levels, level[row]);
  }
  return static_cast<double>(entries.rows) / static_cast<double>(levels);
}

/// Whether all of the diagonal is stored and not zero, on all processes.
PetscErrorCode HasDiagonal(const Entries &entries, bool *has)
{
  int all = 1;

  PetscFunctionBegin;
  for (PetscInt row = 0; row < entries.rows; ++row) {
    const PetscInt *const columns = entries.columns.data(), *const first = columns + entries.row_ptr[static_cast<std::size_t>(row)],
                          *const last = columns + entries.row_ptr[static_cast<std::size_t>(row) + 1];
    const PetscInt *const        at   = std::lower_bound(first, last, row);
    if (at == last || *at != row || entries.values.data()[at - columns] == PetscScalar(0)) all = 0;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
  *has = all != 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MeasureSweeps(Mat A, const std::string &name, const std::vector<std::string> &types, const Settings &settings,
                             std::vector<SweepsRun> &runs)
{
  Mat       block = A;
  PetscInt  rows, cols;
  PetscBool symmetric;
  MatInfo   info;
  bool      diagonal = false;
  Entries   entries;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, &cols));
  if (rows != cols) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCall(MatIsSymmetric(A, 0, &symmetric));
  PetscCall(MatGetDiagonalBlock(A, &block));
  PetscCall(EntriesOf(block, entries));
  PetscCall(HasDiagonal(entries, &diagonal));
  if (!diagonal) PetscFunctionReturn(PETSC_SUCCESS);
  entries.comm = PETSC_COMM_SELF;
  for (const Operation &operation : kOperations) {
    if (operation.symmetric && !symmetric) continue;
    SweepsRun run{.name         = name,
                  .operation    = operation.name,
                  .rows         = rows,
                  .nonzeros     = static_cast<std::int64_t>(info.nz_used),
                  .side_by_side = RowsSideBySide(entries)};
    PetscCall(MeasureOperation(entries, operation, types, settings, run));
    runs.push_back(std::move(run));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::benchmarks
