// What ways to sweep are expected to take and to gain, and why they are not used.
#include "mat/tuning/sweep_choice.hpp"

#include <algorithm>

namespace petscspmv {

namespace {

// Expected times before any measurement, in units of a sweep by PETSc's loop.
constexpr double kPlan = 1, kRefresh = 5;
constexpr double kBetter      = 0.9;  // of what the plain loop takes: layouts are expected to take that at most
constexpr double kOverProduct = 1.25; // of what a product in the first-level cache takes: and that at least

constexpr double kInSolve = 20, kToCome = 60; // sweeps after which a solve is presumed; sweeps in it that are still to come

constexpr double kFirst = 0.5; // share of several parts that must be affordable at first, lest the solve end with the last part

constexpr double kOverhead = 3e-5; // seconds that any plan takes, however small

double CostOr(const RecentMedian &known, double expected)
{
  return known.ValueOr(expected, 2 * expected);
}

} // namespace

double SweepChoice::SecondsToPlan() const
{
  return MustPlan() ? CostOr(findings_->plan, kPlan) * aij_ + kOverhead : 0;
}

double SweepChoice::SecondsToMake() const
{
  return CostOr(findings_->build, findings_->family.build) * aij_;
}

double SweepChoice::SecondsToRefresh() const
{
  return CostOr(findings_->refresh, kRefresh) * aij_;
}

double SweepChoice::ByLayouts() const
{
  if (made_ > 0 && made_ == parts_ && timed_layouts_ >= kTimed) return by_layout_;
  if (rest_.Sure()) return aij_ * loops_.Plain() * by_parts_.Value() / rest_.Value();
  const double expected = std::max(std::min(findings_->family.layouts, kBetter * loops_.Plain()), kOverProduct * product_ / aij_);
  return aij_ * findings_->sweep.ValueOr(expected, expected);
}

double SweepChoice::WithParts(double share) const
{
  return share * ByLayouts() + (1 - share) * loops_.Plain() * aij_;
}

/// Rows without a part are swept by the plain loop.
bool SweepChoice::IsHeldBack(double share) const
{
  return loops_.Plain() > 1 && WithParts(share) > aij_;
}

double SweepChoice::FirstShare() const
{
  const int parts = !MustPlan() ? parts_ : findings_->parts > 0 ? findings_->parts : kMostParts;
  int       first = 1;
  while (first < parts && IsHeldBack(static_cast<double>(first) / parts)) ++first;
  const double share = static_cast<double>(first) / parts;
  return MustPlan() && parts > 1 ? std::max(kFirst, share) : share;
}

double SweepChoice::Gain() const
{
  const double refreshes = !stale_ && period_ > 0 ? SecondsToRefresh() / std::max(period_, since_) : 0; // per sweep
  return LoopSeconds() - ByLayouts() - refreshes;
}

/// For how many sweeps what is made now is expected to be used or, if it is `stale`, what is refreshed now.
double SweepChoice::ExpectedSweeps(bool stale) const
{
  const double life = findings_->life.Value();
  if (stale) return std::max(period_, since_);
  if (life == 0 && swept_ >= kInSolve) return std::max(swept_, kToCome);
  return life > swept_ ? life - swept_ : swept_; // beyond the known life: as many again
}

/// Whether the plain loop is expected to gain more than its preparation takes.
bool SweepChoice::PlainPays() const
{
  return ExpectedSweeps(loops_.WasReady() && period_ > 0) * (1 - loops_.Plain()) > loops_.CostToPrepare();
}

WhyAij SweepChoice::Why() const
{
  if (swept_ < again_ || loops_.IsPostponed()) return WhyAij::NoMemory;
  if (refused_ || loops_.IsRefused()) return WhyAij::NotFaster;
  if (aij_ == 0) return WhyAij::Few;
  if (by_kind_) return kinds_.IsLeftToAij() ? WhyAij::NotFaster : kinds_.IsInTurns() ? WhyAij::Few : WhyAij::Budget;
  if (loops_.HasPlain() && loops_.Plain() < 1) { // it comes before layouts
    const bool in_turns = loops_.IsReady() && !loops_.IsCompared();
    if (PlainPays() && !in_turns) return WhyAij::Budget;
    return loops_.WasReady() && period_ > 0 && !in_turns ? WhyAij::Changing : WhyAij::Few;
  }
  if (ByLayouts() >= aij_) return WhyAij::NotFaster;
  const double gain = ExpectedSweeps(stale_) * Gain();
  if (gain <= 0 || (stale_ && gain <= SecondsToRefresh())) return WhyAij::Changing;
  return stale_ || gain > SecondsToPlan() + SecondsToMake() ? WhyAij::Budget : WhyAij::Few;
}

} // namespace petscspmv
