#include "benchmarks/compare.hpp"

#include "benchmarks/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <tuple>
#include <vector>

namespace petscspmv::benchmarks {

namespace {

/// Logarithms of the first type's time over a type's, or of the other way round for a cost.
using Logs = std::vector<double>;
using Key  = std::tuple<std::string, std::string, std::string>; // matrix, type, what was timed

/// All that can be compared in a run: products and transposes round by round, first products and refreshes over the
/// median product of the first type.
std::map<Key, Logs> Series(const nlohmann::json &run)
{
  std::map<Key, Logs> series;
  for (const auto &matrix : run.at("matrices")) {
    const auto &types = matrix.at("types");
    if (types.empty() || !types[0].contains("seconds")) continue;
    const auto  &first_type = types[0].at("seconds");
    const double product    = SpreadOf(first_type.at("product").get<std::vector<double>>()).median;
    for (const auto &type : types) {
      if (!type.contains("seconds")) continue;
      for (const char *what : {"product", "transpose", "first", "refresh"}) {
        const auto          seconds = type.at("seconds").at(what).get<std::vector<double>>();
        const bool          paired  = what == std::string("product") || what == std::string("transpose");
        std::vector<double> under =
          paired ? first_type.at(what).get<std::vector<double>>() : std::vector<double>(seconds.size(), product);
        Logs logs;
        for (double ratio : Ratios(under, seconds)) logs.push_back(std::log(ratio));
        if (!logs.empty()) series[{matrix.at("name"), type.at("type"), what}] = std::move(logs);
      }
    }
  }
  return series;
}

/// The standard error of a sample's median, from its median absolute deviation.
double ErrorOfMedian(const Logs &logs)
{
  const double median = SpreadOf(logs).median;
  Logs         deviations;
  for (double log : logs) deviations.push_back(std::abs(log - median));
  return 1.4826 * 1.2533 * SpreadOf(deviations).median / std::sqrt(static_cast<double>(logs.size()));
}

std::string Line(const Key &key, double before, double after)
{
  std::array<char, 256> text;
  std::snprintf(text.data(), text.size(), "  %-28s %-12s %-10s %8.3f -> %-8.3f %+.0f%%\n", std::get<0>(key).c_str(),
                std::get<1>(key).c_str(), std::get<2>(key).c_str(), before, after, 100 * (after / before - 1));
  return text.data();
}

/// What differs in how the runs were made.
std::string Notes(const nlohmann::json &before, const nlohmann::json &after)
{
  std::string text;
  for (const char *what : {"/processor", "/machine/key", "/machine/stepping", "/machine/microcode", "/machine/mitigations",
                           "/processes", "/threads", "/petsc", "/compiler", "/target", "/scalar_bytes", "/index_bytes"}) {
    const nlohmann::json::json_pointer pointer(what);
    const auto                         was = before.value(pointer, nlohmann::json()), is = after.value(pointer, nlohmann::json());
    if (was != is) text += std::string("note: ") + (what + 1) + " was " + was.dump() + ", is " + is.dump() + "\n";
  }
  return text;
}

} // namespace

std::string Compare(const nlohmann::json &before, const nlohmann::json &after, double noise)
{
  const auto  was = Series(before), is = Series(after);
  std::string faster, slower, missing, text;
  int         same = 0;
  text += Notes(before.at("run"), after.at("run"));
  for (const auto &[key, logs] : was) {
    const auto other = is.find(key);
    if (other == is.end()) {
      missing += "  " + std::get<0>(key) + " " + std::get<1>(key) + " " + std::get<2>(key) + "\n";
      continue;
    }
    const double a = SpreadOf(logs).median, b = SpreadOf(other->second).median;
    const double error = std::hypot(ErrorOfMedian(logs), ErrorOfMedian(other->second));
    if (std::abs(b - a) <= std::max(3 * error, std::log1p(noise))) ++same;
    else (b > a ? faster : slower) += Line(key, std::exp(a), std::exp(b));
  }
  text += "speed over that of the first type, before -> after\n";
  text += "faster:\n" + (faster.empty() ? "  nothing\n" : faster) + "slower:\n" + (slower.empty() ? "  nothing\n" : slower);
  text += "the same, within the noise: " + std::to_string(same) + "\n";
  if (!missing.empty()) text += "not in the second run:\n" + missing;
  return text;
}

} // namespace petscspmv::benchmarks
