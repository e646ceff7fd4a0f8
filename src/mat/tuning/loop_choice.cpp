#include "mat/tuning/loop_choice.hpp"

#include <algorithm>

namespace petscspmv {

namespace {

// Expected times before any measurement, in units of a sweep by PETSc's loop.
constexpr double kPlain = 0.75, kPrepare = 2, kRenew = 1;

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
  again_ = swept_ + std::max(swept_, kLeastWait);
  ready_ = false;
}

/// Two kinds of sweeps may alternate, as those before and after a coarser level: each loop has both kinds.
bool LoopChoice::IsPlainsTurn() const
{
  constexpr bool kPlains[2 * kTurns] = {true, false, false, true, true, false};
  if (of_plain_.turns >= kTurns) return false;
  return of_aij_.turns >= kTurns || kPlains[of_plain_.turns + of_aij_.turns];
}

bool LoopChoice::Swept(SweepBy by, double seconds)
{
  if (!ready_ || IsCompared()) return false;
  Turns &of = by == SweepBy::Plain ? of_plain_ : of_aij_;
  of.least  = of.turns > 0 ? std::min(of.least, seconds) : seconds;
  ++of.turns;
  if (!IsCompared()) return false;
  findings_->plain.Add(Plain());
  return true;
}

double LoopChoice::Plain() const
{
  if (!IsCompared()) return has_plain_ ? findings_->plain.ValueOr(kPlain, kPlain) : 1;
  return of_aij_.least > 0 && of_plain_.least > 0 ? of_plain_.least / of_aij_.least : 1; // the clock may not have advanced
}

double LoopChoice::CostToPrepare() const
{
  if (ready_) return 0;
  return was_ready_ ? findings_->renew.ValueOr(kRenew, 2 * kRenew) : findings_->prepare.ValueOr(kPrepare, 2 * kPrepare);
}

} // namespace petscspmv
