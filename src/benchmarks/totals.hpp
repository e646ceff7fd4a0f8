// What a program waits for: a matrix made anew in a type, and its first products.
#pragma once

#include "benchmarks/measure.hpp"

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

/// Numbers of products after which the time is looked at.
inline constexpr std::array<int, 6> kTotals{1, 10, 50, 200, 1000, 5000};

struct TotalsOfType {
  std::string                         type;
  std::array<Samples, kTotals.size()> seconds; // until that product ends, from before the matrix is made; one a round
};

struct TotalsRun {
  std::string               name;
  std::int64_t              rows = 0, cols = 0, nonzeros = 0;
  std::size_t               reached = 0; // of kTotals; more would have taken too long
  std::vector<TotalsOfType> types;       // the first is what others are compared with
};

/// Measures an AIJ matrix. Collective. What the library has learned is forgotten before each round.
PetscErrorCode MeasureTotals(Mat A, const std::vector<std::string> &types, const Settings &settings, TotalsRun &run);

/// Times of the first type over those of each, by number of products; and over all matrices, beside the best type for each.
std::string    Table(const TotalsRun &run);
std::string    Summary(const std::vector<TotalsRun> &runs);
nlohmann::json ToJson(const TotalsRun &run);

} // namespace petscspmv::benchmarks
