#include "benchmarks/report.hpp"

#include "benchmarks/format.hpp"
#include "benchmarks/machine.hpp"
#include "benchmarks/peers/use_peer.hpp"
#include "petscspmv.h"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>

namespace petscspmv::benchmarks {

namespace {

/// A number as short as its size allows, right-aligned; "-" for what is not there.
std::string Cell(double value, int width, int digits)
{
  return value > 0 && value < 1e6 ? Format("%*.*f", width, digits, value) : Format("%*s", width, "-");
}

nlohmann::json ToJson(const Spread &spread)
{
  return {{"median", spread.median}, {"lower", spread.lower}, {"upper", spread.upper}};
}

/// JSON has no infinity.
nlohmann::json Finite(double value)
{
  if (std::isfinite(value)) return value;
  return nullptr;
}

nlohmann::json ToJsonByTarget(const MatrixRun &run, const TypeRun &type)
{
  const TargetFigures figures = FiguresOfTargets(run, type);
  nlohmann::json      targets = nlohmann::json::object();
  for (std::size_t k = 0; k < type.by_target.size(); ++k) {
    targets[type.by_target[k].name] = {{"seconds", type.by_target[k].product}, {"ns_per_nonzero", figures.ns_per_nonzero[k]}};
  }
  return {{"targets", targets}, {"chosen_over_best", figures.chosen_over_best}};
}

nlohmann::json Seconds(const TypeRun &type)
{
  nlohmann::json seconds = {{"product", type.product},
                            {"transpose", type.transpose},
                            {"first", type.first},
                            {"refresh", type.refresh},
                            {"fresh", type.fresh}};
  if (!type.many.empty()) seconds["many"] = type.many;
  return seconds;
}

nlohmann::json ToJson(const MatrixRun &run, const TypeRun &type)
{
  if (!type.failure.empty()) return {{"type", type.type}, {"failure", type.failure}};
  const Figures  f    = FiguresOf(run, type);
  nlohmann::json json = {{"type", type.type},
                         {"seconds", Seconds(type)},
                         {"error", Finite(type.error)},
                         {"transpose_error", Finite(type.transpose_error)},
                         {"layout_bytes", type.layout_bytes},
                         {"ns_per_nonzero", f.ns_per_nonzero},
                         {"gflops", f.gflops},
                         {"limit", ToJson(f.limit)},
                         {"own_limit", f.own_limit},
                         {"speedup", ToJson(f.speedup)},
                         {"transpose_speedup", ToJson(f.transpose_speedup)},
                         {"first", f.first},
                         {"preprocessing", f.preprocessing},
                         {"refresh", f.refresh},
                         {"fresh", f.fresh},
                         {"copy", f.copy},
                         {"bytes_ratio", f.bytes_ratio},
                         {"break_even", Finite(f.break_even)},
                         {"speedup_50", f.speedup_50},
                         {"speedup_500", f.speedup_500}};
  if (!type.many.empty()) json.update({{"many_speedup", ToJson(f.many_speedup)}, {"many_time", f.many_time}});
  if (!type.by_target.empty()) json.update(ToJsonByTarget(run, type));
  return json;
}

/// What a type achieved on matrices where it could be measured.
std::vector<double> Speedups(const std::vector<MatrixRun> &runs, std::size_t type, bool irregular_only)
{
  std::vector<double> speedups;
  for (const MatrixRun &run : runs) {
    if (run.types[type].failure.empty() && (!irregular_only || IsIrregular(run)))
      speedups.push_back(FiguresOf(run, run.types[type]).speedup.median);
  }
  return speedups;
}

/// The same with several vectors at once.
std::vector<double> SpeedupsOfMany(const std::vector<MatrixRun> &runs, std::size_t type)
{
  std::vector<double> speedups;
  for (const MatrixRun &run : runs) {
    if (run.types[type].failure.empty() && !run.types[type].many.empty())
      speedups.push_back(FiguresOf(run, run.types[type]).many_speedup.median);
  }
  return speedups;
}

} // namespace

nlohmann::json DescribeRun(MPI_Comm comm, const Settings &settings, const TargetList &targets)
{
  char        version[256];
  PetscMPIInt size;
  MPI_Comm_size(comm, &size);
  PetscGetVersion(version, sizeof(version));
  const int            threads = Kokkos::is_initialized() ? Kokkos::DefaultHostExecutionSpace().concurrency() : 1;
  const nlohmann::json machine = DescribeMachine();
  return {{"processor", machine.value("name", machine.at("key"))},
          {"machine", machine},
          {"date", Today()},
          {"commit", settings.commit},
          {"compiler", Compiler()},
          {"target", targets.chosen},
          {"target_why", targets.why},
          {"targets", targets.names},
          {"processes", size},
          {"threads", threads},
          {"petsc", std::string(version)},
          {"petscspmv", PETSCSPMV_VERSION},
          {"ours", PETSCSPMV_TYPES},
          {"peers", PeerVersions()},
          {"scalar_bytes", sizeof(PetscScalar)},
          {"index_bytes", sizeof(PetscInt)},
          {"builds", settings.builds},
          {"rounds", settings.rounds},
          {"sample_seconds", settings.seconds}};
}

nlohmann::json ToJson(const MatrixRun &run)
{
  nlohmann::json types = nlohmann::json::array();
  for (const TypeRun &type : run.types) types.push_back(ToJson(run, type));
  return {{"name", run.name},
          {"rows", run.rows},
          {"cols", run.cols},
          {"nonzeros", run.nonzeros},
          {"row_min", run.row_min},
          {"row_max", run.row_max},
          {"irregular", IsIrregular(run)},
          {"ideal_bytes", run.ideal_bytes},
          {"products", run.products},
          {"bandwidth", run.bandwidth},
          {"copy", run.copy},
          {"types", types}};
}

/// Products with several vectors at once, where they were measured.
std::string LineOfMany(const MatrixRun &run)
{
  std::string text;
  for (const TypeRun &type : run.types) {
    if (!type.failure.empty() || type.many.empty()) continue;
    const Figures f = FiguresOf(run, type);
    text += Format("%s %s %.2f (%.2f)", text.empty() ? "  several vectors, speed-up a vector (time of a product):" : ",",
                   type.type.c_str(), f.many_speedup.median, f.many_time);
  }
  return text.empty() ? "" : text + "\n";
}

std::string Table(const MatrixRun &run)
{
  const Spread bandwidth = SpreadOf(run.bandwidth);
  std::string  text =
    Format("\n%s: %" PRId64 " x %" PRId64 ", %" PRId64 " nonzeros", run.name.c_str(), run.rows, run.cols, run.nonzeros);
  text += Format(", rows of %" PRId64 " to %" PRId64 "; ", run.row_min, run.row_max);
  text += Format("read at %.1f GB/s (%.1f..%.1f)\n", 1e-9 * bandwidth.median, 1e-9 * bandwidth.lower, 1e-9 * bandwidth.upper);
  text += Format("  %-12s %7s %7s %6s %6s  %-19s %9s %6s %7s %7s %6s %6s %6s %6s\n", "type", "ns/nnz", "GFlop/s", "limit", "own",
                 "speed-up", "transpose", "first", "refresh", "memory", "pays", "at 50", "at 500", "error");
  for (const TypeRun &type : run.types) {
    if (!type.failure.empty()) {
      text += Format("  %-12s %s\n", type.type.c_str(), type.failure.c_str());
      continue;
    }
    const Figures f = FiguresOf(run, type);
    text += Format("  %-12s %7.3f %7.2f %5.0f%% %s  %5.2f (%.2f..%.2f)%*s ", type.type.c_str(), f.ns_per_nonzero, f.gflops,
                   100 * f.limit.median, (f.own_limit > 0 ? Format("%5.0f%%", 100 * f.own_limit) : Format("%6s", "-")).c_str(),
                   f.speedup.median, f.speedup.lower, f.speedup.upper, f.speedup.median < 10 ? 1 : 0, "");
    text += (type.transpose_error <= 1 ? Cell(f.transpose_speedup.median, 9, 2) : Format("%9s", "wrong")) + Cell(f.first, 7, 1) +
            Cell(f.refresh, 8, 2) + Cell(f.bytes_ratio, 8, 2) + Cell(f.break_even, 7, 0) + Cell(f.speedup_50, 7, 2) +
            Cell(f.speedup_500, 7, 2);
    text += Format(" %6.3g\n", type.transpose_error <= 1 ? std::max(type.error, type.transpose_error) : type.error);
  }
  return text + LineOfMany(run);
}

std::string Summary(const std::vector<MatrixRun> &runs)
{
  if (runs.empty()) return "";
  std::string text = Format("\nspeed-up over %s on %zu matrices\n  %-12s %9s %9s %9s %9s\n", runs[0].types[0].type.c_str(),
                            runs.size(), "type", "geo. mean", "least", "most", "irregular");
  for (std::size_t k = 0; k < runs[0].types.size(); ++k) {
    const auto all = Speedups(runs, k, false), irregular = Speedups(runs, k, true);
    if (all.empty()) continue;
    const auto [least, most] = std::minmax_element(all.begin(), all.end());
    text += Format("  %-12s %9.2f %9.2f %9.2f", runs[0].types[k].type.c_str(), GeometricMean(all), *least, *most) + " " +
            Cell(GeometricMean(irregular), 9, 2) + "\n";
  }
  std::string many;
  for (std::size_t k = 0; k < runs[0].types.size(); ++k) {
    const auto all = SpeedupsOfMany(runs, k);
    if (!all.empty()) many += Format("%s %s %.2f", many.empty() ? "" : ",", runs[0].types[k].type.c_str(), GeometricMean(all));
  }
  if (!many.empty()) text += "  with several vectors at once, a vector, geo. mean:" + many + "\n";
  return text;
}

} // namespace petscspmv::benchmarks
