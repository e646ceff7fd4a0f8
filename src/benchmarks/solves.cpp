#include "benchmarks/solves.hpp"

#include "benchmarks/entries.hpp"
#include "benchmarks/format.hpp"
#include "benchmarks/statistics.hpp"
#include "petsc/success.hpp"
#include "petscspmv.h"

#include <algorithm>
#include <petscksp.h>

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
  PetscCall(MeasureRounds(types, settings, solve, run));
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
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

PetscErrorCode MeasureRounds(const std::vector<std::string> &types, const Settings &settings, const Solve &solve, SolveRun &run)
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
