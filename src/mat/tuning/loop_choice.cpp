#include "mat/tuning/loop_choice.hpp"

namespace petscspmv {

namespace {

// Expected times before any measurement, in units of a sweep by PETSc's loop.
constexpr double kPrepare = 3, kRenew = 1;

} // namespace

void LoopChoice::NewValues()
{
  ready_ = false;
  again_ = 0;
}

void LoopChoice::Prepared(double cost)
{
  if (!ready_) (was_ready_ ? findings_->renew : findings_->prepare).Add(cost);
  SetReady();
}

void LoopChoice::Refuse()
{
  refused_ = true;
  ready_   = false;
}

void LoopChoice::Postpone()
{
  again_ = AskAgainAfter(swept_);
  ready_ = false;
}

bool LoopChoice::Swept(SweepBy by, double seconds)
{
  if (!ready_ || IsCompared()) return false;
  turns_.Add(by == SweepBy::Plain, seconds);
  if (!IsCompared()) return false;
  findings_->plain.Add(Plain());
  return true;
}

double LoopChoice::Plain() const
{
  if (!IsCompared()) return has_plain_ ? findings_->plain.ValueOr(findings_->expected, findings_->expected) : 1;
  return turns_.Ratio();
}

double LoopChoice::CostToPrepare() const
{
  if (ready_) return 0;
  return was_ready_ ? findings_->renew.ValueOr(kRenew, 2 * kRenew) : findings_->prepare.ValueOr(kPrepare, 2 * kPrepare);
}

} // namespace petscspmv
