#include "benchmarks/solve_report.hpp"

#include "benchmarks/format.hpp"
#include "benchmarks/statistics.hpp"

#include <algorithm>

namespace petscspmv::benchmarks {

namespace {

Spread SpeedUp(const SolveRun &run, const SolveOfType &of, Samples SolveOfType::*part)
{
  return SpreadOf(Ratios(run.types.front().*part, of.*part));
}

std::string Line(const SolveRun &run)
{
  std::string text = Format("  %-26s %-16s ", run.name.c_str(), run.solver.c_str());
  if (!run.left_out.empty()) return text + "left out: " + run.left_out + "\n";
  const SolveOfType &reference = run.types.front();
  text += Format("%8.3g %8.3g %6lld", SpreadOf(reference.whole).median, SpreadOf(reference.solve).median,
                 static_cast<long long>(reference.iterations));
  for (std::size_t t = 1; t < run.types.size(); ++t) {
    const SolveOfType &of = run.types[t];
    if (!of.failure.empty()) {
      text += Format("  %-25s", of.failure.c_str());
      continue;
    }
    const Spread whole = SpeedUp(run, of, &SolveOfType::whole), solve = SpeedUp(run, of, &SolveOfType::solve);
    text += Format("  %5.2f (%4.2f..%4.2f) %8.2f", whole.median, whole.lower, whole.upper, solve.median);
    if (of.iterations != reference.iterations)
      text += Format(" %+lld its", static_cast<long long>(of.iterations - reference.iterations));
  }
  return text + "\n";
}

/// Geometric mean and least.
std::string MeanAndLeast(const std::vector<SolveRun> &runs, std::size_t type, Samples SolveOfType::*part)
{
  std::vector<double> speed_ups;
  for (const SolveRun &run : runs) {
    if (run.left_out.empty() && run.types[type].failure.empty()) speed_ups.push_back(SpeedUp(run, run.types[type], part).median);
  }
  return speed_ups.empty() ? "-" : Format("%.2f (%.2f)", GeometricMean(speed_ups), *std::ranges::min_element(speed_ups));
}

} // namespace

std::string Table(const std::vector<SolveRun> &runs)
{
  const auto  measured = std::ranges::find_if(runs, [](const SolveRun &run) { return run.left_out.empty(); });
  std::string text;
  if (measured != runs.end()) {
    const std::vector<SolveOfType> &types = measured->types;
    text = Format("\n  %-26s %-16s %8s %8s %6s", "problem", "solver", (types.front().type + ", s").c_str(), "KSPSolve", "its");
    for (std::size_t t = 1; t < types.size(); ++t) text += Format("  %-18s %8s", types[t].type.c_str(), "KSPSolve");
    text += "\n";
  }
  for (const SolveRun &run : runs) text += Line(run);
  return text;
}

std::string Summary(const std::vector<SolveRun> &runs)
{
  const auto first = std::ranges::find_if(runs, [](const SolveRun &run) { return run.left_out.empty(); });
  const auto count = std::ranges::count_if(runs, [](const SolveRun &run) { return run.left_out.empty(); });
  if (first == runs.end()) return "";
  std::string text = Format("\n%d whole runs: time with %s over that with each type, geometric mean and (least)\n",
                            static_cast<int>(count), first->types.front().type.c_str());
  for (std::size_t t = 1; t < first->types.size(); ++t) {
    text += Format("  %-14s whole run %s, KSPSolve %s\n", first->types[t].type.c_str(),
                   MeanAndLeast(runs, t, &SolveOfType::whole).c_str(), MeanAndLeast(runs, t, &SolveOfType::solve).c_str());
  }
  return text;
}

nlohmann::json ToJson(const SolveRun &run)
{
  nlohmann::json types = nlohmann::json::array();
  for (const SolveOfType &of : run.types) {
    nlohmann::json entry{{"type", of.type}, {"seconds", {{"whole", of.whole}, {"solve", of.solve}}}, {"iterations", of.iterations}};
    if (!of.failure.empty()) entry = {{"type", of.type}, {"failure", of.failure}};
    types.push_back(std::move(entry));
  }
  return {{"name", run.name},         {"solver", run.solver}, {"rows", run.rows},
          {"nonzeros", run.nonzeros}, {"first", run.first},   {"types", types}};
}

} // namespace petscspmv::benchmarks
