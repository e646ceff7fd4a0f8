#include "benchmarks/problems.hpp"

#include "benchmarks/format.hpp"
#include "petsc/success.hpp"

#include <petscts.h>

namespace petscspmv::benchmarks {

namespace {

/// A grid on the unit square with zero boundary, and a 5-point stencil on it: -div(k grad u) + c(u) u times h^2.
struct Grid {
  PetscInt n;

  PetscReal h() const { return PetscReal(1) / static_cast<PetscReal>(n + 1); }

  PetscErrorCode CreateMatrix(const std::string &type, Mat *A) const
  {
    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n));
    PetscCall(MatSetType(*A, type.c_str()));
    PetscCall(MatSeqAIJSetPreallocation(*A, 5, NULL));
    PetscCall(MatMPIAIJSetPreallocation(*A, 5, NULL, 2, NULL));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Sets A to side[k] for the neighbours and diagonal(row, local row) in the middle.
  template <class Side, class Diagonal>
  PetscErrorCode Fill(Mat A, const Side &side, const Diagonal &diagonal) const
  {
    PetscInt begin, end;
    PetscFunctionBegin;
    PetscCall(MatGetOwnershipRange(A, &begin, &end));
    for (PetscInt row = begin; row < end; ++row) {
      const PetscInt i = row / n, j    = row % n;
      PetscInt       columns[5], count = 0;
      PetscScalar    values[5];
      const auto     add = [&](PetscInt column, PetscScalar value) {
        columns[count]  = column;
        values[count++] = value;
      };
      if (i > 0) add(row - n, side(i, j));
      if (j > 0) add(row - 1, side(i, j));
      add(row, diagonal(row - begin));
      if (j < n - 1) add(row + 1, side(i, j + 1));
      if (i < n - 1) add(row + n, side(i + 1, j));
      PetscCall(MatSetValues(A, 1, &row, count, columns, values, INSERT_VALUES));
    }
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/// The Bratu problem: -laplace u = lambda exp(u).
struct Bratu {
  Grid      grid;
  Mat       laplace = nullptr; // times h^2
  PetscReal lambda  = 6;

  static PetscErrorCode Function(SNES, Vec x, Vec f, void *self)
  {
    const Bratu       &bratu = *static_cast<Bratu *>(self);
    const PetscReal    scale = bratu.lambda * bratu.grid.h() * bratu.grid.h();
    const PetscScalar *u;
    PetscScalar       *values;
    PetscInt           n;
    PetscFunctionBegin;
    PetscCall(MatMult(bratu.laplace, x, f));
    PetscCall(VecGetLocalSize(x, &n));
    PetscCall(VecGetArrayRead(x, &u));
    PetscCall(VecGetArray(f, &values));
    for (PetscInt k = 0; k < n; ++k) values[k] -= scale * PetscExpScalar(u[k]);
    PetscCall(VecRestoreArray(f, &values));
    PetscCall(VecRestoreArrayRead(x, &u));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  static PetscErrorCode Jacobian(SNES, Vec x, Mat, Mat J, void *self)
  {
    const Bratu       &bratu = *static_cast<Bratu *>(self);
    const PetscReal    scale = bratu.lambda * bratu.grid.h() * bratu.grid.h();
    const PetscScalar *u;
    PetscFunctionBegin;
    PetscCall(VecGetArrayRead(x, &u));
    PetscCall(bratu.grid.Fill(
      J, [](PetscInt, PetscInt) { return PetscScalar(-1); },
      [&](PetscInt k) { return PetscScalar(4) - scale * PetscExpScalar(u[k]); }));
    PetscCall(VecRestoreArrayRead(x, &u));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

PetscErrorCode SolveBratu(const std::string &type, PetscInt n, PetscInt *iterations)
{
  Bratu bratu{.grid = {n}};
  Mat   J;
  Vec   x, f;
  SNES  snes;
  KSP   ksp;
  PC    pc;

  PetscFunctionBegin;
  PetscCall(bratu.grid.CreateMatrix(type, &J));
  PetscCall(bratu.grid.CreateMatrix(type, &bratu.laplace));
  PetscCall(bratu.grid.Fill(
    bratu.laplace, [](PetscInt, PetscInt) { return PetscScalar(-1); }, [](PetscInt) { return PetscScalar(4); }));
  PetscCall(MatCreateVecs(J, &x, &f));
  PetscCall(VecSet(x, 0));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetFunction(snes, f, Bratu::Function, &bratu));
  PetscCall(SNESSetJacobian(snes, J, J, Bratu::Jacobian, &bratu));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(SNESSolve(snes, NULL, x));
  PetscCall(SNESGetLinearSolveIterations(snes, iterations));
  PetscCall(SNESDestroy(&snes));
  PetscCall(MatDestroy(&J));
  PetscCall(MatDestroy(&bratu.laplace));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&f));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Heat in a body whose conductivity changes in time: backward Euler, a matrix of new values in every step.
struct Heat {
  Grid grid;

  static PetscErrorCode Function(TS ts, PetscReal time, Vec u, Vec f, void *self)
  {
    Mat A;
    PetscFunctionBegin;
    PetscCall(TSGetRHSJacobian(ts, &A, NULL, NULL, NULL));
    PetscCall(Jacobian(ts, time, u, A, A, self));
    PetscCall(MatMult(A, u, f));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  static PetscErrorCode Jacobian(TS, PetscReal time, Vec, Mat, Mat A, void *self)
  {
    const Heat     &heat = *static_cast<Heat *>(self);
    const PetscReal k    = (1 + PetscReal(0.5) * PetscSinReal(20 * time)) / (heat.grid.h() * heat.grid.h());
    PetscFunctionBegin;
    PetscCall(heat.grid.Fill(
      A, [=](PetscInt, PetscInt) { return PetscScalar(k); }, [=](PetscInt) { return PetscScalar(-4 * k); }));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

PetscErrorCode SolveHeat(const std::string &type, PetscInt n, PetscInt *iterations)
{
  constexpr PetscInt kSteps = 20;
  Heat               heat{.grid = {n}};
  Mat                A;
  Vec                u;
  TS                 ts;
  SNES               snes;
  KSP                ksp;
  PC                 pc;

  PetscFunctionBegin;
  PetscCall(heat.grid.CreateMatrix(type, &A));
  PetscCall(Heat::Jacobian(NULL, 0, NULL, A, A, &heat));
  PetscCall(MatCreateVecs(A, &u, NULL));
  PetscCall(VecSet(u, 1));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetProblemType(ts, TS_LINEAR));
  PetscCall(TSSetType(ts, TSBEULER));
  PetscCall(TSSetRHSFunction(ts, NULL, Heat::Function, &heat));
  PetscCall(TSSetRHSJacobian(ts, A, A, Heat::Jacobian, &heat));
  PetscCall(TSSetTimeStep(ts, 1e-3));
  PetscCall(TSSetMaxSteps(ts, kSteps));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSGetSNES(ts, &snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(TSSolve(ts, u));
  PetscCall(TSGetKSPIterations(ts, iterations));
  PetscCall(TSDestroy(&ts));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&u));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MeasureOwnProblems(const std::vector<std::string> &types, const Settings &settings, std::vector<SolveRun> &runs)
{
  PetscFunctionBegin;
  for (const PetscInt n : {60, 400}) {
    const Grid grid{n};
    Mat        A;
    PetscCall(grid.CreateMatrix(MATAIJ, &A));
    PetscCall(grid.Fill(
      A, [](PetscInt, PetscInt) { return PetscScalar(-1); }, [](PetscInt) { return PetscScalar(4); }));
    PetscCall(MeasureSolves(A, Format("Poisson %d x %d", static_cast<int>(n), static_cast<int>(n)), types, settings, runs));
    PetscCall(MatDestroy(&A));
  }
  for (const PetscInt n : {60, 200}) {
    const std::string grid = Format("%d x %d", static_cast<int>(n), static_cast<int>(n));
    SolveRun          bratu{.name = "Bratu " + grid, .solver = "SNES, cg + jacobi", .types = {}};
    SolveRun          heat{.name = "heat " + grid, .solver = "TS beuler, cg + jacobi", .types = {}};
    PetscCall(MeasureRounds(
      types, settings, [&](const std::string &type, PetscInt *iterations) { return SolveBratu(type, n, iterations); }, bratu));
    PetscCall(MeasureRounds(
      types, settings, [&](const std::string &type, PetscInt *iterations) { return SolveHeat(type, n, iterations); }, heat));
    if (!bratu.types.empty()) runs.push_back(std::move(bratu));
    if (!heat.types.empty()) runs.push_back(std::move(heat));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::benchmarks
