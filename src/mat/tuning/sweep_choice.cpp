#include "mat/tuning/sweep_choice.hpp"

#include <algorithm>
#include <utility>

namespace petscspmv {

namespace {

/// The share of the program's time that may be lost, as -mat_spmv_regret has it by default.
constexpr double kRegret = 0.05;

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
  timed_ = timed_aij_ = 0;
  swept_ = since_ = period_ = 0;
}

void SweepChoice::NewValues()
{
  if (since_ == 0) return; // the values before were not used
  period_ = period_ == 0 ? since_ : 0.5 * (period_ + since_);
  since_  = 0;
  if (layouts_ == State::Current) layouts_ = State::Stale;
}

double SweepChoice::Layouts() const
{
  return by_layout_ > 0 ? by_layout_ : ValueOr(findings_->sweep, kSweep) * aij_;
}

double SweepChoice::Preparation() const
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
double SweepChoice::Expected() const
{
  const double life = findings_->life.Value();
  return layouts_ == State::Stale ? std::max(period_, since_) : life > swept_ ? life - swept_ : swept_;
}

bool SweepChoice::WantsLayouts()
{
  if (refused_ || aij_ == 0) return false;
  const double preparation = Preparation();
  if (preparation == 0) return true;
  const double refreshes = layouts_ == State::None && period_ > 0
                             ? ValueOr(findings_->refresh, kRefresh) * aij_ / std::max(period_, since_)
                             : 0; // a sweep
  return Expected() * (aij_ - Layouts() - refreshes) > preparation && account_.Allows(preparation) &&
         budget_->Allows(preparation, kRegret, asked_++ % kAsked == 0);
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

void SweepChoice::Swept(bool by_layouts, double sweeps, double seconds)
{
  double &least = by_layouts ? by_layout_ : aij_;
  double  each  = least;
  if (Timed(by_layouts)) {
    each  = least > 0 ? std::min(seconds / sweeps, kOutlier * least) : seconds / sweeps;
    least = least > 0 ? std::min(least, each) : each;
    ++(by_layouts ? timed_ : timed_aij_);
    if (by_layouts && timed_ == kTimed) Compare();
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
