// Solves of problems that make their matrices themselves.
#pragma once

#include "benchmarks/solves.hpp"

#include <string>
#include <vector>

namespace petscspmv::benchmarks {

/// Poisson, and problems whose matrices change: Newton's method, and implicit time steps.
PetscErrorCode MeasureOwnProblems(const std::vector<std::string> &types, const Settings &settings, std::vector<SolveRun> &runs);

} // namespace petscspmv::benchmarks
