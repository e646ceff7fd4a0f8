// Tables and JSON of whole runs.
#pragma once

#include "benchmarks/solves.hpp"

namespace petscspmv::benchmarks {

std::string    Table(const std::vector<SolveRun> &runs);
std::string    Summary(const std::vector<SolveRun> &runs);
nlohmann::json ToJson(const SolveRun &run);

} // namespace petscspmv::benchmarks
