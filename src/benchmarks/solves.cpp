#include "benchmarks/solves.hpp"

#include "benchmarks/entries.hpp"
#include "benchmarks/errors.hpp"
#include "benchmarks/format.hpp"
#include "benchmarks/statistics.hpp"
#include "petsc_success.hpp"
#include "petscspmv.h"

#include <algorithm>
#include <functional>
#include <petscts.h>

namespace petscspmv::benchmarks {

namespace {

constexpr PetscInt kMostIterations = 1000;

struct Solver {
  const char *name, *ksp, *pc;
  bool        symmetric = false; // asks for such a matrix
  bool        square    = true;  // likewise
};

constexpr Solver kSolvers[] = {{.name = "cg + jacobi", .ksp = KSPCG, .pc = PCJACOBI, .symmetric = true},
                               {.name = "cg + gamg", .ksp = KSPCG, .pc = PCGAMG, .symmetric = true},
                               {.name = "gmres + ilu", .ksp = KSPGMRES, .pc = PCBJACOBI},
                               {.name = "bcgs + none", .ksp = KSPBCGS, .pc = PCNONE},
                               {.name = "bicg + none", .ksp = KSPBICG, .pc = PCNONE}, // with products with the transpose
                               {.name = "lsqr + none", .ksp = KSPLSQR, .pc = PCNONE, .square = false}};

/// Times `solve` with every type, round by round; it is given the type and returns the iterations. No types are left if it takes
/// longer than asked for.
PetscErrorCode Rounds(const std::vector<std::string> &types, const Settings &settings,
                      const std::function<PetscErrorCode(const std::string &type, PetscInt *iterations)> &solve, SolveRun &run)
{
  PetscFunctionBegin;
  for (const std::string &type : types) run.types.push_back({.type = type, .seconds = {}});
  for (int round = -1; round < settings.rounds; ++round) { // the first brings code and memory to where they stay
    for (SolveOfType &of : run.types) {
      PetscInt iterations = 0;
      PetscCall(PetscSpMVForget());
      PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
      const double start = MPI_Wtime();
      PetscCall(solve(of.type, &iterations));
      double seconds = MPI_Wtime() - start;
      PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD));
      of.iterations = iterations;
      if (round >= 0) of.seconds.push_back(seconds);
      else if (&of == &run.types.front() && seconds > settings.longest) {
        run.types.clear();
        PetscFunctionReturn(PETSC_SUCCESS);
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolveOnce(Mat B, Vec b, Vec x, const Solver &solver, PetscInt *iterations)
{
  KSP ksp;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)B), &ksp));
  PetscCall(KSPSetOperators(ksp, B, B));
  PetscCall(KSPSetType(ksp, solver.ksp));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, solver.pc));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, kMostIterations));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, iterations));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The solution of all ones is looked for.
PetscErrorCode SolveWith(Mat A, const Entries &entries, const std::vector<std::string> &types, const Settings &settings,
                         const Solver &solver, SolveRun &run)
{
  Vec b, x;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, b));
  const auto solve = [&](const std::string &type, PetscInt *iterations) -> PetscErrorCode {
    Mat B;
    PetscFunctionBegin;
    PetscCall(MakeIn(type, entries, &B));
    PetscCall(VecSet(x, 0));
    PetscCall(SolveOnce(B, b, x, solver, iterations));
    PetscCall(MatDestroy(&B));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  PetscCall(Rounds(types, settings, solve, run));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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

/// Whether there is a zero on the diagonal, stored or not.
PetscErrorCode HasZeroOnDiagonal(Mat A, bool *has)
{
  Vec       diagonal;
  PetscReal least;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, NULL, &diagonal));
  PetscCall(MatGetDiagonal(A, diagonal));
  PetscCall(VecAbs(diagonal));
  PetscCall(VecMin(diagonal, NULL, &least));
  PetscCall(VecDestroy(&diagonal));
  *has = least == 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MeasureSolves(Mat A, const std::string &name, const std::vector<std::string> &types, const Settings &settings,
                             std::vector<SolveRun> &runs)
{
  PetscInt  rows, cols;
  PetscBool symmetric;
  bool      zero = false;
  Entries   entries;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, &cols));
  if (rows == cols) {
    PetscCall(MatIsSymmetric(A, 0, &symmetric));
    PetscCall(HasZeroOnDiagonal(A, &zero));
  }
  PetscCall(EntriesOf(A, entries));
  for (const Solver &solver : kSolvers) {
    if ((solver.symmetric && !symmetric) || (solver.square && rows != cols) || (zero && solver.pc != std::string(PCNONE))) continue;
    SolveRun run{.name = name, .solver = solver.name, .types = {}};
    PetscCall(SolveWith(A, entries, types, settings, solver, run));
    if (!run.types.empty()) runs.push_back(std::move(run));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
    PetscCall(Rounds(
      types, settings, [&](const std::string &type, PetscInt *iterations) { return SolveBratu(type, n, iterations); }, bratu));
    PetscCall(Rounds(
      types, settings, [&](const std::string &type, PetscInt *iterations) { return SolveHeat(type, n, iterations); }, heat));
    if (!bratu.types.empty()) runs.push_back(std::move(bratu));
    if (!heat.types.empty()) runs.push_back(std::move(heat));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string Table(const std::vector<SolveRun> &runs)
{
  if (runs.empty()) return "";
  const std::vector<SolveOfType> &types = runs.front().types;
  std::string                     text  = Format("\n  %-26s %-24s %10s", "problem", "solver", (types.front().type + ", s").c_str());
  for (std::size_t t = 1; t < types.size(); ++t) text += Format(" %20s", types[t].type.c_str());
  text += "\n";
  for (const SolveRun &run : runs) {
    const SolveOfType &reference = run.types.front();
    text += Format("  %-26s %-24s %10.3g", run.name.c_str(), run.solver.c_str(), SpreadOf(reference.seconds).median);
    for (std::size_t t = 1; t < run.types.size(); ++t) {
      const Spread ratio = SpreadOf(Ratios(reference.seconds, run.types[t].seconds));
      text += Format("  %5.2f (%4.2f..%5.2f)", ratio.median, ratio.lower, ratio.upper);
      if (run.types[t].iterations != reference.iterations)
        text += Format(" %+d its", static_cast<int>(run.types[t].iterations - reference.iterations));
    }
    text += "\n";
  }
  return text;
}

std::string Summary(const std::vector<SolveRun> &runs)
{
  if (runs.empty()) return "";
  std::string text = Format("\n%d solves: time with %s, over that with each type\n", static_cast<int>(runs.size()),
                            runs.front().types.front().type.c_str());
  for (std::size_t t = 1; t < runs.front().types.size(); ++t) {
    std::vector<double> speed_ups;
    for (const SolveRun &run : runs) speed_ups.push_back(SpreadOf(Ratios(run.types.front().seconds, run.types[t].seconds)).median);
    text += Format("  %-14s geometric mean %.2f, least %.2f\n", runs.front().types[t].type.c_str(), GeometricMean(speed_ups),
                   *std::min_element(speed_ups.begin(), speed_ups.end()));
  }
  return text;
}

nlohmann::json ToJson(const SolveRun &run)
{
  nlohmann::json types = nlohmann::json::array();
  for (const SolveOfType &of : run.types)
    types.push_back({{"type", of.type}, {"seconds", of.seconds}, {"iterations", of.iterations}});
  return {{"name", run.name}, {"solver", run.solver}, {"types", types}};
}

} // namespace petscspmv::benchmarks
