// Applications of relaxation and of incomplete factors, timed in several ways.
#pragma once

#include "benchmarks/measure.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

/// A type, and how it sweeps (MatSpMVSweeps): "spmv", "spmv plain", "spmv layout", "spmv single".
struct SweepsOfWay {
  std::string  name;
  Samples      seconds    = {}; // of an application, one a round
  double       first      = 0;  // seconds of the first one
  double       error      = 0;  // of its result against the first way's, relative
  std::int64_t iterations = 0;  // of a solve, where they may differ
};

/// One operation with one matrix; on several processes with the blocks on the diagonal, side by side.
struct SweepsRun {
  std::string              name, operation;
  std::int64_t             rows = 0, nonzeros = 0;
  double                   side_by_side = 0;  // rows that need none of each other, in the mean over levels
  std::vector<SweepsOfWay> ways         = {}; // the first is what others are compared with, the second the same once more
};

/// Measures an AIJ matrix with each operation that it is fit for. Collective.
PetscErrorCode MeasureSweeps(Mat A, const std::string &name, const std::vector<std::string> &types, const Settings &settings,
                             std::vector<SweepsRun> &runs);

std::string    Table(const std::vector<SweepsRun> &runs);
std::string    Summary(const std::vector<SweepsRun> &runs);
nlohmann::json ToJson(const SweepsRun &run);

} // namespace petscspmv::benchmarks
