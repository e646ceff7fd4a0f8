#include "mat/tuning/sweep_choice.hpp"

#include <algorithm>
#include <utility>

namespace petscspmv {

namespace {

// Before any measurement, in sweeps by PETSc's loop: new memory is most of a build.
constexpr double kSweep = 0.65, kBuild = 20, kRefresh = 5;

constexpr double kOverhead = 3e-5; // seconds of a build however small
constexpr double kOutlier  = 4;    // cap on the time of sweeps: beyond it the process was not running

constexpr std::int64_t kAsked = 16; // the clock of the program is read once in so many questions

double ValueOr(const RecentMedian &known, double otherwise)
{
  return known.Known() ? known.Value() : otherwise;
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

/// The account goes on: patterns that change again and again lose no more than one that stays.
void SweepChoice::NewPattern()
{
  EndPattern();
  layouts_ = State::None;
  refused_ = false;
  aij_ = by_layout_ = 0;
  timed_layouts_ = timed_aij_ = 0;
  swept_ = since_ = again_ = period_ = 0;
}

void SweepChoice::NewValues()
{
  again_ = 0;
  if (since_ == 0) return; // the values before were not used
  period_ = period_ == 0 ? since_ : 0.5 * (period_ + since_);
  since_  = 0;
  if (layouts_ == State::Current) layouts_ = State::Stale;
}

double SweepChoice::SecondsByLayouts() const
{
  return by_layout_ > 0 ? by_layout_ : ValueOr(findings_->sweep, kSweep) * aij_;
}

double SweepChoice::SecondsToPrepare() const
{
  switch (layouts_) {
  case State::None:
    return ValueOr(findings_->build, kBuild) * aij_ + kOverhead;
  case State::Stale:
    return ValueOr(findings_->refresh, kRefresh) * aij_;
  case State::Current:
    break;
  }
  return 0;
}

/// Sweeps for which a preparation lasts.
double SweepChoice::ExpectedSweeps() const
{
  const double life = findings_->life.Value();
  if (layouts_ == State::Stale) return std::max(period_, since_);
  return life > swept_ ? life - swept_ : swept_; // beyond what is known: as many again
}

bool SweepChoice::WantsLayouts()
{
  if (Refused() || aij_ == 0) return false;
  const double preparation = SecondsToPrepare();
  if (preparation == 0) return true;
  const double refreshes = layouts_ == State::None && period_ > 0
                             ? ValueOr(findings_->refresh, kRefresh) * aij_ / std::max(period_, since_)
                             : 0; // a sweep
  return ExpectedSweeps() * (aij_ - SecondsByLayouts() - refreshes) > preparation && account_.Allows(preparation) &&
         budget_->Allows(preparation, kDefaultRegret, asked_++ % kAsked == 0);
}

void SweepChoice::Prepared(double seconds)
{
  if (MustPrepare()) (layouts_ == State::None ? findings_->build : findings_->refresh).Add(seconds / aij_);
  layouts_ = State::Current;
  Lose(seconds);
}

void SweepChoice::Refuse(double seconds)
{
  layouts_ = State::None;
  refused_ = true;
  Lose(seconds);
}

void SweepChoice::Postpone(double seconds)
{
  constexpr double kLeast = 16;
  layouts_                = State::None;
  again_                  = swept_ + std::max(swept_, kLeast);
  Lose(seconds);
}

void SweepChoice::Swept(bool by_layouts, double sweeps, std::optional<double> seconds)
{
  double &least = by_layouts ? by_layout_ : aij_;
  double  each  = least;
  if (seconds) {
    each  = least > 0 ? std::min(*seconds / sweeps, kOutlier * least) : *seconds / sweeps;
    least = least > 0 ? std::min(least, each) : each;
    ++(by_layouts ? timed_layouts_ : timed_aij_);
    if (by_layouts && timed_layouts_ == kTimed) Compare();
  }
  if (by_layouts) Lose(sweeps * (each - aij_));
  account_.AddAij(sweeps * aij_);
  swept_ += sweeps;
  since_ += sweeps;
}

void SweepChoice::Compare()
{
  findings_->sweep.Add(by_layout_ / aij_);
  if (by_layout_ > aij_) Refuse(0);
}

} // namespace petscspmv
