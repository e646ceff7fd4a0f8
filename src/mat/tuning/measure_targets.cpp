#include "mat/tuning/measure_targets.hpp"

#include "mat/exec/session.hpp"
#include "mat/exec/target.hpp"
#include "mat/tuning/probe.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace petscspmv {

namespace {

/// Whether a target runs here and gives the same bits as the widest that does: has FMA, if any target that runs here has it.
bool IsCandidate(const Target &target)
{
  return target.runs_here() && target.fused == Targets()[WidestTarget()].fused;
}

/// The candidates, in the order of the list.
std::vector<std::size_t> Candidates()
{
  std::vector<std::size_t> candidates;
  for (std::size_t k = 0; k < Targets().size(); ++k) {
    if (IsCandidate(Targets()[k])) candidates.push_back(k);
  }
  return candidates;
}

/// The fastest candidate. Any other than `first` must be faster by more than the measurement's uncertainty (`sure`).
std::size_t Fastest(const std::vector<double> &ns, std::size_t first, double sure)
{
  std::size_t best = first;
  for (std::size_t k = 0; k < ns.size(); ++k) {
    if (ns[k] < sure * ns[best]) best = k;
  }
  return best;
}

/// The fastest candidate that loads x in the other way (gathers or loads) than `best`; `best` itself if all of these are hopeless,
/// or there are none.
std::size_t FastestOfOtherKind(const std::vector<std::size_t> &candidates, const std::vector<double> &ns, std::size_t best)
{
  constexpr double kHopeless = 2; // times as slow: even an x far from the core does not make up for that
  std::size_t      other     = best;
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    if (Targets()[candidates[k]].gathers != Targets()[candidates[best]].gathers && ns[k] < kHopeless * ns[best] &&
        (other == best || ns[k] < ns[other]))
      other = k;
  }
  return other;
}

/// Why the best of the candidates is in use.
std::string WhyBest(const std::vector<std::size_t> &candidates, const std::vector<double> &ns, std::size_t best)
{
  char text[64];
  std::snprintf(text, sizeof(text), ": %.2f ns per nonzero against", ns[best]);
  std::string why = DescribeLoads(Targets()[candidates[best]]) + text;
  for (std::size_t k = 0, others = 0; k < candidates.size(); ++k) {
    if (k == best) continue;
    std::snprintf(text, sizeof(text), "%s %.2f (%s)", others++ ? "," : "", ns[k], Targets()[candidates[k]].name);
    why += text;
  }
  return why;
}

constexpr double kSure = 0.97, kSureOfOne = 0.95; // for one format, which has fewer samples

/// For one format: the fastest candidate, and the fastest of those that load x in the other way.
Measured Best(const std::vector<std::size_t> &candidates, const std::vector<double> &ns, std::size_t first)
{
  const std::size_t best = Fastest(ns, first, kSureOfOne);
  return {.best = candidates[best], .other = candidates[FastestOfOtherKind(candidates, ns, best)], .ns = ns[best]};
}

/// Formats that copy AIJ's arrays (if there are none, all formats) are timed with all candidate targets; the fastest on average is
/// the target. Formats that use AIJ's arrays are timed only with it and with the best candidate that loads x in the other way. A
/// format with a clearly faster candidate uses that. Those that are used by name only are not worth their time.
Measurements Measure()
{
  Measurements                   measured;
  const std::vector<std::size_t> candidates = Candidates();
  if (candidates.size() == 1) {
    measured.target = candidates.front();
    measured.why    = DescribeLoads(Targets()[measured.target]) + ", the only one for this processor";
    return measured;
  }
  const bool          any_copies = !std::ranges::all_of(Formats(), &PetscFormat::borrows);
  Probe               probe;
  std::vector<double> mean(candidates.size());

  std::map<std::size_t, std::vector<double>> ns; // by format, each by candidate
  for (std::size_t f = 0; f < Formats().size(); ++f) {
    if (any_copies && Formats()[f]->borrows) continue;
    ns[f] = probe.Measure(*Formats()[f], candidates);
    for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += ns[f][k];
  }
  for (double &of_target : mean) of_target /= static_cast<double>(ns.size());
  const std::size_t        best = Fastest(mean, 0, kSure), other = FastestOfOtherKind(candidates, mean, best);
  std::vector<std::size_t> two{candidates[best]};
  if (other != best) two.push_back(candidates[other]);
  measured.target = candidates[best];
  measured.why    = WhyBest(candidates, mean, best);
  for (std::size_t f = 0; f < Formats().size(); ++f) {
    const PetscFormat &format = *Formats()[f];
    Measured           own{.best = measured.target, .other = candidates[other]};
    if (ns.contains(f)) own = Best(candidates, ns[f], best);
    else if (!format.by_name_only) own = Best(two, probe.Measure(format, two), 0);
    if (own.best != measured.target) measured.why += std::string("; with ") + format.alias + " " + Targets()[own.best].name;
    measured.of_formats[&format] = own;
    if (own.ns > 0) measured.least_ns = measured.least_ns > 0 ? std::min(measured.least_ns, own.ns) : own.ns;
  }
  measured.ns_of_rows = probe.OfRows();
  return measured;
}

} // namespace

std::string DescribeLoads(const Target &target)
{
  return target.gathers ? "x by gathers" : "x by loads";
}

int TargetsToMeasure()
{
  static const int candidates = static_cast<int>(std::ranges::count_if(Targets(), IsCandidate)); // asked at each product
  return OfProcess<Measurements>().why.empty() ? candidates : 0;
}

std::size_t ExpectedTarget()
{
  return static_cast<std::size_t>(std::ranges::find_if(Targets(), IsCandidate) - Targets().begin());
}

const Measurements &MeasureTargets()
{
  Measurements &measured = OfProcess<Measurements>();
  if (measured.why.empty()) measured = Measure();
  return measured;
}

const Measured *MeasuredWith(const PetscFormat &format)
{
  const auto &measured = OfProcess<Measurements>().of_formats;
  const auto  found    = measured.find(&format);
  return found == measured.end() ? nullptr : &found->second;
}

double MeasuredNs(const PetscFormat &format)
{
  const Measured *const measured = MeasuredWith(format);
  return measured ? measured->ns : 0;
}

double LeastMeasuredNs()
{
  return OfProcess<Measurements>().least_ns;
}

double MeasuredNsOfRows()
{
  return OfProcess<Measurements>().ns_of_rows;
}

} // namespace petscspmv
