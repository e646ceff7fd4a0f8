#include "matio/row_source.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace petscspmv::matio {

namespace {

/// The mixing function of the generator SplitMix64.
std::uint64_t Mix(std::uint64_t z)
{
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// The same for both directions, between 1/2 and 3/2.
double Conductivity(std::int64_t row, std::int64_t col)
{
  return 0.5 + RandomAt(std::min(row, col), std::max(row, col));
}

/// A thousandth more than the sum of the row's others on the diagonal, so that the matrix is positive definite.
double Diffusion(std::int64_t row, std::int64_t col, std::span<const std::int64_t> columns)
{
  constexpr double kMore = 1.001;
  if (row != col) return -Conductivity(row, col);
  double sum = 0;
  for (const std::int64_t other : columns) sum += other == row ? 0 : kMore * Conductivity(row, other);
  return sum;
}

using Columns = std::span<const std::int64_t>;

constexpr std::array<EntryRule, 5> rules{{
  {"random", "random reals in [-1, 1) (the default)",
   [](std::int64_t row, std::int64_t col, Columns) { return 2 * RandomAt(row, col) - 1; }},
  {"ones", "1, as in the matrix of a graph", [](std::int64_t, std::int64_t, Columns) { return 1.0; }},
  {"integers", "integers from -8 to 7",
   [](std::int64_t row, std::int64_t col, Columns) { return std::floor(16 * RandomAt(row, col)) - 8; }},
  {"laplacian", "-1, and on the diagonal the number of the row's other entries",
   [](std::int64_t row, std::int64_t col, Columns columns) { return row == col ? static_cast<double>(columns.size()) - 1 : -1.0; }},
  {"diffusion", "-1/2 to -3/2, all different and symmetric, and on the diagonal a little more than their sum", Diffusion},
}};

} // namespace

std::span<const EntryRule> EntryRules()
{
  return rules;
}

double RandomAt(std::int64_t row, std::int64_t place)
{
  const std::uint64_t bits =
    Mix(Mix(static_cast<std::uint64_t>(row) + 0x9e3779b97f4a7c15u) + static_cast<std::uint64_t>(place) * 0xd1342543de82ef95u);
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

void SpreadColumns(std::int64_t row, std::int64_t count, std::int64_t begin, std::int64_t end, std::vector<std::int64_t> &columns)
{
  if (count == 0) return;
  const std::int64_t part = (end - begin) / count, longer = (end - begin) % count; // longer: how many parts have one more
  for (std::int64_t k = 0; k < count; ++k) {
    const auto place = static_cast<std::int64_t>(RandomAt(row, k) * static_cast<double>(part + (k < longer)));
    columns.push_back(begin + k * part + std::min(k, longer) + place);
  }
}

} // namespace petscspmv::matio
