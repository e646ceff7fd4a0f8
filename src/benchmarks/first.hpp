// What the first product of a matrix costs, in processes that have just started.
#pragma once

#include "benchmarks/again.hpp"
#include "benchmarks/measure.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

struct FirstOfType {
  std::string                    type;
  std::map<std::string, Samples> samples; // by name, see SampleFirst(): one a process
  bool                           failed = false;
};

struct FirstRun {
  std::string              name;
  std::int64_t             rows = 0, cols = 0, nonzeros = 0;
  std::vector<FirstOfType> types;
};

/// In products of aij.
struct FirstFigures {
  double fresh      = 0; // conversion in place and first product, as the process' first and in memory that it has never used
  double used       = 0; // once more, after that layout was destroyed
  double refresh    = 0; // a product after new values
  double start      = 0; // parts of `fresh`: what the process needs once,
  double pages      = 0; // page faults of the rest,
  double passes     = 0; // and all else
  double transposed = 0; // as `used`, with A^T
};

FirstFigures FiguresOf(const FirstOfType &of);

/// The types of a run with what the process needs once: that is no other for the next matrix.
std::vector<FirstOfType> StartsOf(const FirstRun &run);

/// Measures an AIJ matrix on one process, by starting this program once for each sample. Starts that `run` has are kept.
PetscErrorCode MeasureFirst(Mat A, const std::vector<std::string> &types, const Settings &settings, const Again &again,
                            FirstRun &run);

/// One sample, in the process that was started for it: seconds and page faults by name. Without a file, of what the process needs
/// once.
PetscErrorCode SampleFirst(const std::string &type, const std::string &path, const Settings &settings, nlohmann::json &sample);
PetscErrorCode SampleStart(const std::string &type, nlohmann::json &sample);

std::string    Table(const FirstRun &run);
std::string    Summary(const std::vector<FirstRun> &runs);
nlohmann::json ToJson(const FirstRun &run);

} // namespace petscspmv::benchmarks
