// What changed between two runs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace petscspmv::benchmarks {

/// Reports where types are faster or slower than before, over the first type of their own run, by more than the noise:
/// three standard errors of the medians' difference, and `noise` (0.03 is 3 %), which is what memory that lies elsewhere
/// makes from run to run.
std::string Compare(const nlohmann::json &before, const nlohmann::json &after, double noise);

} // namespace petscspmv::benchmarks
