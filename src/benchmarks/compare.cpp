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

Logs LogsOf(const std::vector<double> &over, const std::vector<double> &under)
{
  Logs logs;
  for (double ratio : Ratios(over, under)) logs.push_back(std::log(ratio));
  return logs;
}

/// What was timed of a type in the same rounds as of the first one, by name: whole runs, sweeps or products.
std::map<std::string, std::vector<double>> Paired(const nlohmann::json &matrix, const nlohmann::json &seconds)
{
  std::map<std::string, std::vector<double>> paired;
  if (seconds.is_array()) paired[matrix.at("operation")] = seconds.get<std::vector<double>>();
  for (const char *what : {"product", "transpose", "whole", "solve"}) {
    if (seconds.contains(what)) paired[what] = seconds.at(what).get<std::vector<double>>();
  }
  return paired;
}

/// All that can be compared in a run: what is paired round by round, first products and refreshes over the median product of the
/// first type.
std::map<Key, Logs> Series(const nlohmann::json &run)
{
  std::map<Key, Logs> series;
  for (const auto &matrix : run.at("matrices")) {
    const auto &types = matrix.at("types");
    if (types.empty() || !types[0].contains("seconds")) continue;
    const std::string name =
      matrix.at("name").get<std::string>() + (matrix.contains("solver") ? " " : "") + matrix.value("solver", "");
    const auto first = Paired(matrix, types[0].at("seconds"));
    for (const auto &type : types) {
      if (!type.contains("seconds")) continue;
      for (const auto &[what, seconds] : Paired(matrix, type.at("seconds")))
        series[{name, type.at("type"), what}] = LogsOf(first.at(what), seconds);
      for (const char *what : {"first", "refresh"}) {
        if (!type.at("seconds").contains(what)) continue;
        const auto                seconds = type.at("seconds").at(what).get<std::vector<double>>();
        const std::vector<double> product(seconds.size(), SpreadOf(first.at("product")).median);
        series[{name, type.at("type"), what}] = LogsOf(product, seconds);
      }
    }
  }
  std::erase_if(series, [](const auto &entry) { return entry.second.empty(); });
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
  std::snprintf(text.data(), text.size(), "  %-36s %-12s %-10s %8.3f -> %-8.3f %+.0f%%\n", std::get<0>(key).c_str(),
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
