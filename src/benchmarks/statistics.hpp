// Medians and spread.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace petscspmv::benchmarks {

/// The middle of a sample, and the quarters below and above it.
struct Spread {
  double median = 0, lower = 0, upper = 0;
};

/// The value below which a share of a sorted sample lies, between its neighbours where it falls between them.
inline double Quantile(const std::vector<double> &sorted, double share)
{
  const double at   = share * static_cast<double>(sorted.size() - 1);
  const auto   low  = static_cast<std::size_t>(at);
  const auto   high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

inline Spread SpreadOf(std::vector<double> sample)
{
  if (sample.empty()) return {};
  std::sort(sample.begin(), sample.end());
  return {Quantile(sample, 0.5), Quantile(sample, 0.25), Quantile(sample, 0.75)};
}

/// What stands in the same places of two samples, divided; as far as both go.
inline std::vector<double> Ratios(const std::vector<double> &over, const std::vector<double> &under)
{
  std::vector<double> ratios;
  for (std::size_t k = 0; k < std::min(over.size(), under.size()); ++k) ratios.push_back(over[k] / under[k]);
  return ratios;
}

inline double GeometricMean(const std::vector<double> &values)
{
  double sum = 0;
  for (double v : values) sum += std::log(v);
  return values.empty() ? 0 : std::exp(sum / static_cast<double>(values.size()));
}

} // namespace petscspmv::benchmarks
