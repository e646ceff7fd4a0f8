// What whole programs take with each of several matrix types, from the first entry of the matrix to the solution.
#pragma once

#include "benchmarks/again.hpp"
#include "benchmarks/measure.hpp"
#include "benchmarks/solvers.hpp"

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

/// One a round, each of a process of its own.
struct SolveOfType {
  std::string  type;
  Samples      whole      = {}; // seconds of the whole run: assembly, set-up and KSPSolve of all steps
  Samples      solve      = {}; // of KSPSolve alone, without set-up
  std::int64_t iterations = 0;  // of all steps
  std::string  failure    = {}; // why the run is none, or its result wrong; nothing else counts then
};

/// One solver with one system.
struct SolveRun {
  std::string              name = {}, solver;
  std::int64_t             rows = 0, nonzeros = 0; // 0 where the program makes its matrices itself
  double                   first    = 0;           // seconds of the run before the rounds, which shows whether to, and how many
  std::vector<SolveOfType> types    = {};          // the first is what others are compared with, the second the same once more
  std::string              left_out = {};          // why there is nothing to compare with
};

/// What is to be run, and how.
struct WholeRuns {
  std::vector<std::string>                 types, solvers; // of these solvers; empty for all
  Settings                                 settings;
  const Again                             &again; // has the number of processes
  std::function<void(const std::string &)> progress;
  Scratch                                  scratch = {};
};

/// Solves with a square AIJ matrix on one process by each solver that it is of use for.
PetscErrorCode MeasureSolves(Mat A, const std::string &name, const WholeRuns &runs, std::vector<SolveRun> &results);

/// Likewise by a program that makes its matrices itself: see problems.hpp.
PetscErrorCode MeasureProblem(const std::string &name, const WholeRuns &runs, std::vector<SolveRun> &results);

/// One run, in the processes that were started for it: with the entries in a file, or of a problem. Collective.
PetscErrorCode SampleSolve(const std::string &input, const Settings &settings, nlohmann::json &sample);

} // namespace petscspmv::benchmarks
