#include "benchmarks/results.hpp"

#include "petsc/success.hpp"

#include <algorithm>
#include <cstdint>

namespace petscspmv::benchmarks {

namespace {

/// Whole runs of one system, of which some have been left out; their table.
std::string AddAll(std::vector<SolveRun> runs, Results &results)
{
  std::string text = Table(runs);
  for (SolveRun &run : runs) {
    if (run.left_out.empty()) results.Add(results.solves, std::move(run));
  }
  return text;
}

/// What whole runs need.
WholeRuns RunsOf(const Arguments &arguments, const Say &say)
{
  return {.types    = arguments.types,
          .solvers  = arguments.solvers,
          .settings = arguments.settings,
          .again    = arguments.again,
          .progress = say};
}

} // namespace

PetscErrorCode MeasureMatrix(const Arguments &arguments, Mat A, const std::string &name, const std::string &target, const Say &say,
                             Results &results)
{
  MatInfo     info;
  std::string text;

  PetscFunctionBegin;
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  if (info.nz_used < static_cast<double>(std::max<std::int64_t>(1, arguments.least))) PetscFunctionReturn(PETSC_SUCCESS);
  if (arguments.task == Task::Totals) {
    TotalsRun run{.name = name, .types = {}};
    say("totals");
    PetscCall(MeasureTotals(A, arguments.types, arguments.settings, run));
    text = Table(run);
    results.Add(results.totals, std::move(run));
  } else if (arguments.task == Task::Chosen) {
    ChosenRun run{.matrix = {.name = name, .bandwidth = {}, .copy = {}, .types = {}, .target = target}, .rounds = {}};
    PetscCall(MeasureChosen(A, arguments.types, arguments.settings, say, run));
    text = Table(run);
    results.Add(results.chosen, std::move(run));
  } else if (arguments.task == Task::Solves) {
    std::vector<SolveRun> runs;
    PetscCall(MeasureSolves(A, name, RunsOf(arguments, say), runs));
    text = AddAll(std::move(runs), results);
  } else if (arguments.task == Task::Sweeps) {
    std::vector<SweepsRun> runs;
    say("sweeps");
    PetscCall(MeasureSweeps(A, name, arguments.types, arguments.settings, runs));
    text = Table(runs);
    for (SweepsRun &run : runs) results.Add(results.sweeps, std::move(run));
  } else if (arguments.task == Task::First) {
    FirstRun run{.name = name, .types = {}};
    say("first products");
    if (!results.first.empty()) run.types = StartsOf(results.first.back());
    PetscCall(MeasureFirst(A, arguments.types, arguments.settings, arguments.again, run));
    text = Table(run);
    results.Add(results.first, std::move(run));
  } else {
    MatrixRun run{.name = name, .bandwidth = {}, .copy = {}, .types = {}, .target = target};
    PetscCall(Measure(A, arguments.types, arguments.settings, say, run));
    text = Table(run) + TargetTable(run);
    results.Add(results.products, std::move(run));
  }
  say("");
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s", text.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MeasureProgram(const Arguments &arguments, const std::string &name, const Say &say, Results &results)
{
  std::vector<SolveRun> runs;

  PetscFunctionBegin;
  PetscCall(MeasureProblem(name, RunsOf(arguments, say), runs));
  say("");
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s", AddAll(std::move(runs), results).c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::benchmarks
