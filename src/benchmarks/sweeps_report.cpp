// Tables and JSON of sweeps.
#include "benchmarks/format.hpp"
#include "benchmarks/statistics.hpp"
#include "benchmarks/sweeps.hpp"

#include <algorithm>

namespace petscspmv::benchmarks {

namespace {

constexpr double kEnoughRows  = 16;   // side by side, for layouts to be of use
constexpr double kMostError   = 1e-8; // of double precision,
constexpr double kSingleError = 1e-3; // and of single: results beyond count nowhere

Spread SpeedUp(const SweepsRun &run, const SweepsOfWay &way)
{
  return SpreadOf(Ratios(run.ways.front().seconds, way.seconds));
}

bool IsRight(const SweepsOfWay &way)
{
  return way.error <= (way.name.ends_with(" single") ? kSingleError : kMostError);
}

/// What making the layouts took, in applications of the first way. Of ways that make them before the first one.
double Making(const SweepsRun &run, const SweepsOfWay &way)
{
  return (way.first - SpreadOf(way.seconds).median) / SpreadOf(run.ways.front().seconds).median;
}

bool Makes(const SweepsOfWay &way)
{
  return way.name.ends_with(" layout");
}

std::string Line(const SweepsRun &run, const SweepsOfWay &way)
{
  const Spread speed_up = SpeedUp(run, way);
  std::string  text     = Format("  %-8s %-18s", run.operation.c_str(), way.name.c_str());
  if (!IsRight(way)) return text + "wrong\n";
  text += Format("%10.1f %8.2f (%.2f..%.2f)", 1e6 * SpreadOf(way.seconds).median, speed_up.median, speed_up.lower, speed_up.upper);
  text += Makes(way) ? Format("%8.1f", Making(run, way)) : Format("%8s", "-");
  text += way.iterations > 0 ? Format("%6d", static_cast<int>(way.iterations)) : Format("%6s", "-");
  return text + Format("  %.0e\n", way.error);
}

} // namespace

std::string Table(const std::vector<SweepsRun> &runs)
{
  if (runs.empty()) return "";
  const SweepsRun &first = runs.front();
  std::string      text  = Format("\n%s: %lld rows, %lld nonzeros, %.0f rows side by side\n", first.name.c_str(),
                                  static_cast<long long>(first.rows), static_cast<long long>(first.nonzeros), first.side_by_side);
  text += Format("  %-8s %-18s%10s %-21s%8s%6s  %s\n", "sweep", "type", "us", "speed-up", "making", "its", "error");
  for (const SweepsRun &run : runs) {
    for (const SweepsOfWay &way : run.ways) text += Line(run, way);
  }
  return text;
}

std::string Summary(const std::vector<SweepsRun> &runs)
{
  if (runs.empty()) return "";
  std::string text = Format("\nsweeps: speed over %s, geometric mean and (least); making, in applications of it, median\n",
                            runs.front().ways.front().name.c_str());
  text += Format("  %-18s %-20s %-20s %s\n", "type", "all", "16 rows side by side", "making");
  for (std::size_t w = 1; w < runs.front().ways.size(); ++w) {
    std::vector<double> all, enough, making;
    for (const SweepsRun &run : runs) {
      const SweepsOfWay &way = run.ways[w];
      if (!IsRight(way)) continue;
      all.push_back(SpeedUp(run, way).median);
      if (run.side_by_side >= kEnoughRows) enough.push_back(all.back());
      if (Makes(way)) making.push_back(Making(run, way));
    }
    const auto cell = [](const std::vector<double> &values) {
      if (values.empty()) return std::string("-");
      return Format("%.2f (%.2f) of %d", GeometricMean(values), *std::ranges::min_element(values), static_cast<int>(values.size()));
    };
    text += Format("  %-18s %-20s %-20s ", runs.front().ways[w].name.c_str(), cell(all).c_str(), cell(enough).c_str());
    text += (making.empty() ? std::string("-") : Format("%.1f", SpreadOf(making).median)) + "\n";
  }
  return text;
}

nlohmann::json ToJson(const SweepsRun &run)
{
  nlohmann::json types = nlohmann::json::array();
  for (const SweepsOfWay &way : run.ways) {
    nlohmann::json entry{{"type", way.name}, {"error", way.error}};
    if (IsRight(way)) entry.update({{"seconds", way.seconds}, {"first", way.first}});
    else entry["failure"] = "wrong";
    if (Makes(way)) entry["making"] = Making(run, way);
    if (way.iterations > 0) entry["iterations"] = way.iterations;
    types.push_back(std::move(entry));
  }
  return {{"name", run.name},         {"operation", run.operation},       {"rows", run.rows},
          {"nonzeros", run.nonzeros}, {"side_by_side", run.side_by_side}, {"types", types}};
}

} // namespace petscspmv::benchmarks
