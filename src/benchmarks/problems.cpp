#include "benchmarks/problems.hpp"

#include "benchmarks/cube.hpp"
#include "petsc/success.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <petscts.h>

namespace petscspmv::benchmarks {

namespace {

/// As many levels as the grid can be coarsened to, if multigrid is asked for and no number is.
PetscErrorCode ChooseLevels(PetscInt n)
{
  constexpr PetscInt kCoarsest = 5;
  PetscBool          given;
  PetscInt           levels = 1;

  PetscFunctionBegin;
  for (PetscInt side = n; side > kCoarsest && side % 2 == 1; side = (side + 1) / 2) ++levels;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-pc_mg_levels", &given));
  if (!given) PetscCall(PetscOptionsSetValue(NULL, "-pc_mg_levels", std::to_string(levels).c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DiffusionOperator(KSP, Mat, Mat A, void *cube)
{
  return static_cast<Cube *>(cube)->Fill(A, 1, [](const MatStencil &) { return 0; });
}

PetscErrorCode DiffusionSource(KSP, Vec b, void *)
{
  return VecSet(b, 1);
}

/// A solver that asks for the operator of its grid, and coarsens both.
PetscErrorCode SolveDiffusion(PetscInt n, int steps, WholeRun &run)
{
  Cube cube;
  KSP  ksp;

  PetscFunctionBegin;
  PetscCall(ChooseLevels(n));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  const double start = MPI_Wtime();
  PetscCall(cube.Create(n));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetDM(ksp, cube.grid));
  PetscCall(KSPSetComputeRHS(ksp, DiffusionSource, NULL));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(run.clock.Watch(ksp));
  for (int step = 0; step < steps; ++step) {
    cube.time = PetscReal(step) / 10;
    PetscCall(KSPSetComputeOperators(ksp, DiffusionOperator, &cube));
    PetscCall(KSPSolve(ksp, NULL, NULL));
  }
  run.seconds = MPI_Wtime() - start;
  PetscCall(LastResidual(ksp, &run.residual));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(DMDestroy(&cube.grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The Bratu problem, -div(k grad u) = lambda exp(u), whose lambda grows in steps.
struct Bratu {
  Cube      cube;
  PetscReal lambda = 4;

  PetscScalar Source(PetscScalar u) const { return lambda * cube.h() * cube.h() * PetscExpScalar(u); }

  static PetscErrorCode Function(DMDALocalInfo *info, PetscScalar ***u, PetscScalar ***f, void *self)
  {
    const Bratu &bratu = *static_cast<Bratu *>(self);
    PetscFunctionBegin;
    for (PetscInt k = info->zs; k < info->zs + info->zm; ++k) {
      for (PetscInt j = info->ys; j < info->ys + info->ym; ++j) {
        for (PetscInt i = info->xs; i < info->xs + info->xm; ++i) {
          PetscScalar sum = -bratu.Source(u[k][j][i]);
          bratu.cube.Neighbours({k, j, i, 0}, [&](const MatStencil &at, PetscReal conductivity) {
            sum += conductivity * (u[k][j][i] - (bratu.cube.Has(at) ? u[at.k][at.j][at.i] : PetscScalar(0)));
          });
          f[k][j][i] = sum;
        }
      }
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  static PetscErrorCode Jacobian(DMDALocalInfo *, PetscScalar ***u, Mat, Mat J, void *self)
  {
    const Bratu &bratu = *static_cast<Bratu *>(self);
    return bratu.cube.Fill(J, 1, [&](const MatStencil &at) { return -bratu.Source(u[at.k][at.j][at.i]); });
  }
};

PetscErrorCode SolveBratu(PetscInt n, int steps, WholeRun &run)
{
  Bratu bratu;
  Vec   u;
  SNES  snes;
  KSP   ksp;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  const double start = MPI_Wtime();
  PetscCall(bratu.cube.Create(n));
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetDM(snes, bratu.cube.grid));
  PetscCall(DMDASNESSetFunctionLocal(bratu.cube.grid, INSERT_VALUES,
                                     reinterpret_cast<PetscErrorCode (*)(DMDALocalInfo *, void *, void *, void *)>(Bratu::Function),
                                     &bratu));
  PetscCall(DMDASNESSetJacobianLocal(
    bratu.cube.grid, reinterpret_cast<PetscErrorCode (*)(DMDALocalInfo *, void *, Mat, Mat, void *)>(Bratu::Jacobian), &bratu));
  PetscCall(SNESSetFromOptions(snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(run.clock.Watch(ksp));
  PetscCall(DMCreateGlobalVector(bratu.cube.grid, &u));
  for (int step = 0; step < steps; ++step, bratu.lambda += PetscReal(0.1)) PetscCall(SNESSolve(snes, NULL, u));
  run.seconds = MPI_Wtime() - start;
  PetscCall(SNESGetFunctionNorm(snes, &run.residual));
  PetscCall(VecDestroy(&u));
  PetscCall(SNESDestroy(&snes));
  PetscCall(DMDestroy(&bratu.cube.grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode HeatOperator(TS, PetscReal time, Vec, Mat, Mat A, void *self)
{
  Cube &cube = *static_cast<Cube *>(self);
  cube.time  = time;
  return cube.Fill(A, -1 / (cube.h() * cube.h()), [](const MatStencil &) { return 0; });
}

/// Heat, u' = div(k grad u), by the backward Euler method, with a matrix of new values in every step.
PetscErrorCode SolveHeat(PetscInt n, int steps, WholeRun &run)
{
  Cube cube;
  Mat  A;
  Vec  u;
  TS   ts;
  SNES snes;
  KSP  ksp;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  const double start = MPI_Wtime();
  PetscCall(cube.Create(n));
  PetscCall(DMCreateMatrix(cube.grid, &A));
  PetscCall(DMCreateGlobalVector(cube.grid, &u));
  PetscCall(VecSet(u, 1));
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetProblemType(ts, TS_LINEAR));
  PetscCall(TSSetType(ts, TSBEULER));
  PetscCall(TSSetRHSFunction(ts, NULL, TSComputeRHSFunctionLinear, NULL));
  PetscCall(TSSetRHSJacobian(ts, A, A, HeatOperator, &cube));
  PetscCall(TSSetTimeStep(ts, 1e-2));
  PetscCall(TSSetMaxSteps(ts, steps));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSSetFromOptions(ts));
  PetscCall(TSGetSNES(ts, &snes));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(run.clock.Watch(ksp));
  PetscCall(TSSolve(ts, u));
  run.seconds = MPI_Wtime() - start;
  PetscCall(LastResidual(ksp, &run.residual));
  PetscCall(TSDestroy(&ts));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&u));
  PetscCall(DMDestroy(&cube.grid));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The number behind the colon; 0 if there is none.
PetscInt SideOf(const std::string &name)
{
  const std::size_t colon = name.find(':');
  PetscInt          side  = 0;
  if (colon == std::string::npos) return 0;
  const auto [end, error] = std::from_chars(name.data() + colon + 1, name.data() + name.size(), side);
  return error == std::errc{} && end == name.data() + name.size() ? side : 0;
}

const std::array kProblems{
  Problem{.name    = "mg",
          .help    = "diffusion on a grid that is coarsened (DMDA, PCMG); N - 1 is a multiple of 8",
          .solvers = {"cg+mg-sor", "cg+mg-jacobi"},
          .unit    = 8,
          .solve   = SolveDiffusion},
  Problem{.name = "bratu", .help = "Newton's method (SNES)", .solvers = {"gmres+ilu", "cg+sor"}, .unit = 1, .solve = SolveBratu},
  Problem{.name = "heat", .help = "implicit time steps (TS)", .solvers = {"cg+jacobi", "cg+icc"}, .unit = 1, .solve = SolveHeat},
};

} // namespace

PetscErrorCode LastResidual(KSP ksp, PetscReal *residual)
{
  Mat       A;
  Vec       b, x, r;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(KSPGetOperators(ksp, &A, NULL));
  PetscCall(KSPGetRhs(ksp, &b));
  PetscCall(KSPGetSolution(ksp, &x));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, residual));
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecDestroy(&r));
  *residual /= norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::span<const Problem> Problems()
{
  return kProblems;
}

const Problem *FindProblem(const std::string &name)
{
  const auto problem =
    std::ranges::find_if(kProblems, [&](const Problem &each) { return name.substr(0, name.find(':')) == each.name; });
  return problem == kProblems.end() ? nullptr : &*problem;
}

std::string FaultOfProblem(const std::string &name)
{
  constexpr PetscInt kLeast = 3, kMost = 1000;
  const PetscInt     side = SideOf(name), unit = FindProblem(name)->unit;
  if (side >= kLeast && side <= kMost && (side - 1) % unit == 0) return "";
  const std::string rule = unit > 1 ? ", one more than a multiple of " + std::to_string(unit) : "";
  return name + ": points a side must be " + std::to_string(kLeast) + " to " + std::to_string(kMost) + rule;
}

double NonzerosOfProblem(const std::string &name)
{
  const auto side = static_cast<double>(SideOf(name));
  return 7 * side * side * side;
}

PetscErrorCode SolveProblem(const std::string &name, int steps, WholeRun &run)
{
  return FindProblem(name)->solve(SideOf(name), steps, run);
}

} // namespace petscspmv::benchmarks
