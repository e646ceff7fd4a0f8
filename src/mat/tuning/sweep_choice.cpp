#include "mat/tuning/sweep_choice.hpp"

#include <algorithm>
#include <utility>

namespace petscspmv {

namespace {

// Expected times before any measurement, in units of a sweep by PETSc's loop.
constexpr double kSweep = 0.65, kPlan = 4, kRefresh = 5;

constexpr double kInSolve = 20, kToCome = 60; // sweeps after which a solve is presumed; sweeps in it that are still to come

constexpr double kFirst = 0.5; // share of several parts that must be affordable at first, lest the solve end with the last part

constexpr double kOverhead = 3e-5; // seconds that any plan takes, however small
constexpr double kDoubt    = 1.1;  // times PETSc's loop that sweeps may take as long as few parts are made

/// The known value, or the expected one. One or two findings may come from a disturbed machine, and so are capped at `most`.
double ValueOr(const RecentMedian &known, double expected, double most)
{
  if (known.Sure()) return known.Value();
  return known.Known() ? std::min(known.Value(), most) : expected;
}

double CostOr(const RecentMedian &known, double expected)
{
  return ValueOr(known, expected, 2 * expected);
}

void KeepLeast(double value, double &least) // 0: unknown so far
{
  least = least > 0 ? std::min(least, value) : value;
}

} // namespace

SweepChoice::SweepChoice(std::shared_ptr<Budget> budget, std::shared_ptr<SweepFindings> findings) :
  budget_(std::move(budget)), findings_(std::move(findings))
{
}

SweepChoice::~SweepChoice()
{
  EndPattern();
}

void SweepChoice::EndPattern()
{
  if (swept_ > 0) findings_->life.Add(swept_);
}

/// The account is kept, so that patterns that change again and again lose no more than a single pattern.
void SweepChoice::NewPattern()
{
  EndPattern();
  parts_ = made_ = 0;
  stale_ = refused_ = false;
  aij_ = by_layout_ = 0;
  timed_layouts_ = timed_aij_ = 0;
  rest_ = by_parts_ = {};
  swept_ = since_ = again_ = period_ = 0;
}

void SweepChoice::NewValues()
{
  again_ = 0;
  if (since_ == 0) return; // the values before were not used
  period_ = period_ == 0 ? since_ : 0.5 * (period_ + since_);
  since_  = 0;
  stale_  = made_ > 0;
}

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
  return aij_ * (rest_.Sure() ? by_parts_.Value() / rest_.Value() : ValueOr(findings_->sweep, kSweep, kSweep));
}

double SweepChoice::Gain() const
{
  const double refreshes = !stale_ && period_ > 0 ? SecondsToRefresh() / std::max(period_, since_) : 0; // per sweep
  return aij_ - ByLayouts() - refreshes;
}

/// For how many sweeps a layout that is made or refreshed now is expected to be used.
double SweepChoice::ExpectedSweeps() const
{
  const double life = findings_->life.Value();
  if (stale_) return std::max(period_, since_);
  if (life == 0 && swept_ >= kInSolve) return std::max(swept_, kToCome);
  return life > swept_ ? life - swept_ : swept_; // beyond the known life: as many again
}

bool SweepChoice::Allows(double seconds)
{
  return account_.Allows(seconds) && budget_->Allows(seconds, kDefaultRegret, IsClockRead(seconds, asked_++));
}

bool SweepChoice::WantsLayouts()
{
  if (Refused() || aij_ == 0) return false;
  if (made_ > 0 && !stale_) return !IsAijsTurn();
  if (made_ > 0) {
    const double share = static_cast<double>(made_) / parts_;
    return ExpectedSweeps() * Gain() > SecondsToRefresh() && Allows(share * SecondsToRefresh());
  }
  const double first = !MustPlan() ? 1. / parts_ : findings_->parts == 1 ? 1 : kFirst;
  return ExpectedSweeps() * Gain() > SecondsToPlan() + SecondsToMake() && Allows(SecondsToPlan() + first * SecondsToMake());
}

void SweepChoice::Planned(int parts, double seconds)
{
  findings_->plan.Add(seconds / aij_);
  parts_ = findings_->parts = parts;
  Lose(seconds);
}

bool SweepChoice::WantsPart()
{
  const double seconds = SecondsToMake() / parts_;
  return made_ < parts_ && !stale_ && swept_ >= again_ && ExpectedSweeps() * Gain() > SecondsToMake() && Allows(seconds);
}

void SweepChoice::PartMade(double seconds)
{
  findings_->build.Add(seconds * parts_ / aij_);
  ++made_;
  by_layout_     = 0; // it gets faster with each part
  timed_layouts_ = 0;
  turn_          = 0;
  aij_in_turns_  = 0;
  Lose(seconds);
}

void SweepChoice::Prepared(double seconds)
{
  if (std::exchange(stale_, false)) findings_->refresh.Add(seconds * parts_ / made_ / aij_);
  Lose(seconds);
}

void SweepChoice::Refuse(double seconds)
{
  parts_ = made_ = 0;
  refused_       = true;
  Lose(seconds);
}

void SweepChoice::Postpone(double seconds)
{
  constexpr double kLeast = 16;
  if (made_ == 0 || stale_) parts_ = made_ = 0;
  stale_ = false;
  again_ = swept_ + std::max(swept_, kLeast);
  Lose(seconds);
}

WhyAij SweepChoice::Why() const
{
  if (refused_) return WhyAij::NotFaster;
  if (swept_ < again_) return WhyAij::NoMemory;
  if (aij_ == 0) return WhyAij::Few;
  if (ByLayouts() >= aij_) return WhyAij::NotFaster;
  const double gain = ExpectedSweeps() * Gain();
  if (gain <= 0 || (stale_ && gain <= SecondsToRefresh())) return WhyAij::Changing;
  return stale_ || gain > SecondsToPlan() + SecondsToMake() ? WhyAij::Budget : WhyAij::Few;
}

void SweepChoice::Count(double sweeps)
{
  swept_ += sweeps;
  since_ += sweeps;
}

void SweepChoice::Swept(bool by_layouts, double sweeps, std::optional<double> seconds, const Rest &rest)
{
  if (by_layouts && seconds && rest.share > 0) SweptInParts(sweeps, *seconds, rest);
  else SweptWhole(by_layouts, sweeps, seconds);
  account_.AddAij(sweeps * aij_);
  Count(sweeps);
}

void SweepChoice::SweptWhole(bool by_layouts, double sweeps, std::optional<double> seconds)
{
  const bool in_turn = !by_layouts && IsAijsTurn();
  double    &least   = by_layouts ? by_layout_ : in_turn ? aij_in_turns_ : aij_;
  double     each    = least;
  if (seconds) {
    each = least > 0 ? std::min(*seconds / sweeps, kOutlier * least) : *seconds / sweeps;
    KeepLeast(each, least);
    ++(by_layouts ? timed_layouts_ : timed_aij_);
  }
  if (by_layouts) Lose(sweeps * (each - aij_));
  if (in_turn && ++turn_ == kTurns) Compare();
}

/// Until PETSc's loop has had its turns, its time is extrapolated from the rows without a part, as long as these are at least half
/// of all rows: fewer rows are less often in cache.
void SweepChoice::SweptInParts(double sweeps, double seconds, const Rest &rest)
{
  const double most = kOutlier * sweeps * aij_;
  rest_.Add(std::min(rest.seconds / rest.share, most) / sweeps);
  by_parts_.Add(std::min((seconds - rest.seconds) / (1 - rest.share), most) / sweeps);
  if (rest_.Sure() && !MostAreMade() && turn_ < kTurns) aij_ = rest_.Value();
  Lose(std::min(seconds, most) - sweeps * aij_);
  KeepLeast(seconds / sweeps, by_layout_);
  ++timed_layouts_;
}

void SweepChoice::Compare()
{
  if (aij_in_turns_ == 0) return; // the clock did not advance
  aij_ = aij_in_turns_;
  if (made_ == parts_) findings_->sweep.Add(by_layout_ / aij_);
  if (by_layout_ > (MostAreMade() ? 1 : kDoubt) * aij_) Refuse(0);
}

} // namespace petscspmv
