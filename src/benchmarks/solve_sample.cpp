// A whole run, as a program makes it.
#include "benchmarks/entries.hpp"
#include "benchmarks/problems.hpp"
#include "benchmarks/solve_clock.hpp"
#include "benchmarks/solves.hpp"
#include "petsc/success.hpp"

#include <cstdint>

namespace petscspmv::benchmarks {

namespace {

/// An empty matrix with room for exactly the entries, of the type that PETSc's options choose.
PetscErrorCode Preallocate(const Entries &entries, Mat *A)
{
  const PetscInt *const row_ptr = entries.row_ptr.data(), *const columns = entries.columns.data();
  std::vector<PetscInt> all, own, others; // entries by row; in the block on the diagonal, and beside
  PetscInt              begin, end;

  PetscFunctionBegin;
  PetscCall(MatCreate(entries.comm, A));
  PetscCall(MatSetSizes(*A, entries.rows, entries.cols, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetBlockSize(*A, entries.block));
  PetscCall(MatSetType(*A, MATAIJ));
  PetscCall(MatSetFromOptions(*A));
  PetscCallMPI(MPI_Scan(&entries.rows, &end, 1, MPIU_INT, MPI_SUM, entries.comm));
  begin = end - entries.rows;
  for (PetscInt row = 0; row < entries.rows; ++row) {
    PetscInt here = 0;
    for (PetscInt k = row_ptr[row]; k < row_ptr[row + 1]; ++k) here += columns[k] >= begin && columns[k] < end;
    all.push_back(row_ptr[row + 1] - row_ptr[row]);
    own.push_back(here);
    others.push_back(all.back() - here);
  }
  PetscCall(MatSeqAIJSetPreallocation(*A, 0, all.data()));
  PetscCall(MatMPIAIJSetPreallocation(*A, 0, own.data(), 0, others.data()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Sets all entries, row by row. With each step of an implicit method the matrix grows by a hundredth, and its diagonal by a
/// thousandth more.
PetscErrorCode Assemble(const Entries &entries, int step, Mat A)
{
  const PetscInt *const    row_ptr = entries.row_ptr.data();
  const PetscReal          all = 1 + PetscReal(step) / 100, diagonal = 1 + PetscReal(step) / 1000;
  std::vector<PetscScalar> values;
  PetscInt                 begin;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &begin, NULL));
  for (PetscInt local = 0; local < entries.rows; ++local) {
    const PetscInt           row = begin + local, first = row_ptr[local], count = row_ptr[local + 1] - first;
    const PetscInt *const    columns = entries.columns.data() + first;
    const PetscScalar *const from    = entries.values.data() + first;
    values.assign(from, from + count);
    for (PetscInt k = 0; k < count; ++k) values.data()[k] *= columns[k] == row ? all * diagonal : all;
    PetscCall(MatSetValues(A, 1, &row, count, columns, values.data(), INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A right-hand side that is the same on any number of processes.
PetscErrorCode SetWave(Vec b)
{
  PetscInt     begin, end;
  PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(b, &begin, &end));
  PetscCall(VecGetArrayWrite(b, &values));
  for (PetscInt row = begin; row < end; ++row) values[row - begin] = 1 + PetscSinReal(PetscReal(0.5) * static_cast<PetscReal>(row));
  PetscCall(VecRestoreArrayWrite(b, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The matrix, solver and vectors of a program, and what it took.
PetscErrorCode SolveEntries(const Entries &entries, int steps, WholeRun &run)
{
  Mat A;
  Vec x, b;
  KSP ksp;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(entries.comm));
  const double start = MPI_Wtime();
  PetscCall(Preallocate(entries, &A));
  PetscCall(KSPCreate(entries.comm, &ksp));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(run.clock.Watch(ksp));
  for (int step = 0; step < steps; ++step) {
    PetscCall(Assemble(entries, step, A));
    if (step == 0) {
      PetscCall(MatCreateVecs(A, &x, &b));
      PetscCall(SetWave(b));
    }
    PetscCall(KSPSetOperators(ksp, A, A));
    PetscCall(KSPSolve(ksp, b, x));
  }
  run.seconds = MPI_Wtime() - start;
  PetscCall(LastResidual(ksp, &run.residual));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode SampleSolve(const std::string &input, const Settings &settings, nlohmann::json &sample)
{
  WholeRun run;

  PetscFunctionBegin;
  if (FindProblem(input)) {
    PetscCall(SolveProblem(input, settings.steps, run));
  } else {
    Entries entries;
    PetscCall(ReadEntries(PETSC_COMM_WORLD, input, entries));
    PetscCall(SolveEntries(entries, settings.steps, run));
  }
  double seconds[] = {run.seconds, run.clock.seconds}; // those of the slowest
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 2, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
  sample = {{"whole", seconds[0]},
            {"solve", seconds[1]},
            {"iterations", static_cast<std::int64_t>(run.clock.iterations)},
            {"converged", run.clock.converged},
            {"residual", static_cast<double>(run.residual)}};
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::benchmarks
