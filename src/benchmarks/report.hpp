// Results for people and for programs.
#pragma once

#include "benchmarks/figures.hpp"
#include "benchmarks/targets.hpp"

#include <nlohmann/json.hpp>

namespace petscspmv::benchmarks {

/// Where and how a run was made.
nlohmann::json DescribeRun(MPI_Comm comm, const Settings &settings, const TargetList &targets);

/// A matrix's samples and figures.
nlohmann::json ToJson(const MatrixRun &run);

/// A table of the types on one matrix.
std::string Table(const MatrixRun &run);

/// Geometric means over matrices, and how the types come off where it matters.
std::string Summary(const std::vector<MatrixRun> &runs);

} // namespace petscspmv::benchmarks
