// What a program's solvers take with each of several matrix types, set-up included.
#pragma once

#include "benchmarks/measure.hpp"

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

struct SolveOfType {
  std::string  type;
  Samples      seconds; // of a solve with a fresh matrix, from its conversion on; one a round
  std::int64_t iterations = 0;
};

/// One solver with one matrix, or a problem that makes its own matrices.
struct SolveRun {
  std::string              name, solver;
  std::vector<SolveOfType> types; // the first is what others are compared with
};

/// Solves with the type, and returns the iterations.
using Solve = std::function<PetscErrorCode(const std::string &type, PetscInt *iterations)>;

/// Times `solve` with every type, round by round. No types are left if it takes longer than asked for. Collective.
PetscErrorCode MeasureRounds(const std::vector<std::string> &types, const Settings &settings, const Solve &solve, SolveRun &run);

/// Solves with an AIJ matrix by each solver that it is of use for. Collective. What the library has learned is forgotten before
/// each round.
PetscErrorCode MeasureSolves(Mat A, const std::string &name, const std::vector<std::string> &types, const Settings &settings,
                             std::vector<SolveRun> &runs);

std::string    Table(const std::vector<SolveRun> &runs);
std::string    Summary(const std::vector<SolveRun> &runs);
nlohmann::json ToJson(const SolveRun &run);

} // namespace petscspmv::benchmarks
