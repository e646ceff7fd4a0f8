#include "mat/tuning/sweep_choice.hpp"

#include <algorithm>
#include <utility>

namespace petscspmv {

namespace {

constexpr double kRisk  = 1;   // sweeps by PETSc's loop whose time another way may lose in an application
constexpr double kDoubt = 1.1; // times PETSc's loop that sweeps may take as long as few parts are made

void KeepLeast(double value, double &least) // 0: unknown so far
{
  least = least > 0 ? std::min(least, value) : value;
}

} // namespace

SweepChoice::SweepChoice(std::shared_ptr<Budget> budget, std::shared_ptr<SweepFindings> findings) :
  budget_(std::move(budget)), findings_(std::move(findings)), loops_(findings_->loops, findings_->family.plain)
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
  loops_.NewPattern();
  kinds_   = {};
  by_kind_ = false;
  aij_ = by_layout_ = 0;
  timed_layouts_ = timed_aij_ = 0;
  rest_ = by_parts_ = {};
  swept_ = since_ = again_ = period_ = 0;
  applied_                           = 0;
}

void SweepChoice::NewValues()
{
  again_   = 0;
  applied_ = 0;
  loops_.NewValues();
  if (since_ == 0) return; // the values before were not used
  period_ = period_ == 0 ? since_ : 0.5 * (period_ + since_);
  since_  = 0;
  stale_  = made_ > 0;
}

bool SweepChoice::Allows(double seconds)
{
  return account_.Allows(seconds) && budget_->Allows(seconds, kDefaultRegret, IsClockRead(seconds, asked_++), LayoutUse::Sweeps);
}

SweepBy SweepChoice::Next(std::size_t kind)
{
  const SweepBy by = NextOfAnyKind();
  kinds_.Now(kind);
  by_kind_ = IsCompared(by);
  if (!by_kind_) return by;
  if (kinds_.Chosen() != by) kinds_.Choose(by);
  if (kinds_.IsDue() && MayBegin(kRisk * aij_)) kinds_.BeginTurns();
  return kinds_.By();
}

/// Whether a way other than PETSc's loop has shown to be faster.
bool SweepChoice::IsCompared(SweepBy by) const
{
  if (by == SweepBy::Plain) return loops_.IsPlainFaster() && !IsLoopsTurn();
  return by == SweepBy::Layouts && made_ > 0 && turn_ >= kTurns;
}

SweepBy SweepChoice::NextOfAnyKind()
{
  if (aij_ == 0) return SweepBy::Aij;
  if (IsLoopsTurn()) return Loop();
  return WantsLayouts() ? SweepBy::Layouts : NextLoop();
}

bool SweepChoice::WantsLayouts()
{
  if (Refused()) return false;
  if (made_ == 0) return WantsPlan();
  if (!stale_) {
    if (!IsHeldBack(ShareMade()) || WantsPart()) return true;
    if (Gain() <= 0) Refuse(0); // more parts would not help
    return false;
  }
  return ExpectedSweeps(stale_) * Gain() > SecondsToRefresh() && MayBegin(ShareMade() * SecondsToRefresh());
}

/// Whether to plan layouts and to begin with their parts, or to begin as planned.
bool SweepChoice::WantsPlan()
{
  return IsLoopKnown() && ExpectedSweeps(stale_) * Gain() > SecondsToPlan() + SecondsToMake() &&
         MayBegin(SecondsToPlan() + FirstShare() * SecondsToMake());
}

bool SweepChoice::WantsMeasurement(double seconds)
{
  const bool plans = aij_ > 0 && MustPlan() && !Refused() && WantsPlan();
  return plans && seconds < SecondsToPlan() + SecondsToMake() && MayBegin(seconds);
}

/// The faster loop, and both in turns until that is known.
SweepBy SweepChoice::NextLoop()
{
  const bool known = loops_.IsCompared();
  if (!loops_.HasPlain() || !PlainPays() || (!known && !loops_.IsPlainsTurn())) return SweepBy::Aij;
  if (known && loops_.IsReady()) return SweepBy::Plain;
  const double cost = (loops_.CostToPrepare() + (known ? 0 : kRisk)) * aij_;
  return (loops_.IsReady() ? Allows(cost) : MayBegin(cost)) ? SweepBy::Plain : SweepBy::Aij;
}

void SweepChoice::PlainPrepared(double seconds)
{
  loops_.Prepared(seconds / aij_);
  Lose(seconds);
}

void SweepChoice::RefusePlain(double seconds)
{
  loops_.Refuse();
  Lose(seconds);
}

void SweepChoice::PostponePlain(double seconds)
{
  loops_.Postpone();
  Lose(seconds);
}

void SweepChoice::Planned(int parts, double seconds)
{
  findings_->plan.Add(seconds / aij_);
  loops_.SetReady();
  parts_ = findings_->parts = parts;
  Lose(seconds);
}

bool SweepChoice::WantsPart()
{
  const double seconds = SecondsToMake() / parts_;
  return made_ < parts_ && !stale_ && swept_ >= again_ && ExpectedSweeps(stale_) * Gain() > SecondsToMake() && MayBegin(seconds);
}

void SweepChoice::PartMade(double seconds)
{
  findings_->build.Add(seconds * parts_ / aij_);
  ++made_;
  by_layout_     = 0; // it gets faster with each part
  timed_layouts_ = 0;
  turn_          = 0;
  loop_in_turns_ = 0;
  kinds_.Choose(SweepBy::Aij);
  by_kind_ = false;
  Lose(seconds);
}

void SweepChoice::Prepared(double seconds)
{
  loops_.SetReady();
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
  if (made_ == 0 || stale_) parts_ = made_ = 0;
  stale_ = false;
  again_ = AskAgainAfter(swept_);
  Lose(seconds);
}

void SweepChoice::Count(double sweeps)
{
  swept_ += sweeps;
  since_ += sweeps;
  ++applied_;
  loops_.Count(sweeps);
}

bool SweepChoice::Timed(SweepBy by) const
{
  if (by_kind_) return kinds_.IsInTurns();
  switch (by) {
  case SweepBy::Layouts:
    return made_ < parts_ || timed_layouts_ < kTimed;
  case SweepBy::Plain:
    return !loops_.IsCompared() || IsLoopsTurn();
  case SweepBy::Aij:
    break;
  }
  return timed_aij_ < kTimedAij || (loops_.IsReady() && !loops_.IsCompared()) || IsLoopsTurn();
}

bool SweepChoice::IsSettled() const
{
  if (!IsLoopKnown() || (loops_.IsPlainFaster() && !loops_.IsReady())) return false;
  return refused_ || (made_ > 0 && made_ == parts_ && !stale_ && timed_layouts_ >= kTimed && turn_ >= kTurns);
}

void SweepChoice::Swept(SweepBy by, double sweeps, std::optional<double> seconds, const Rest &rest)
{
  if (by_kind_) SweptByKind(by, sweeps, seconds);
  else if (by == SweepBy::Layouts && seconds && rest.share > 0) SweptInParts(sweeps, *seconds, rest);
  else SweptWhole(by, sweeps, seconds);
  account_.AddAij(sweeps * aij_);
  Count(sweeps);
}

/// What the plain loop takes outside of its turns is not measured: it is known over PETSc's.
void SweepChoice::SweptWhole(SweepBy by, double sweeps, std::optional<double> seconds)
{
  const bool    in_turn = by != SweepBy::Layouts && IsLoopsTurn();
  double *const least   = by == SweepBy::Layouts ? &by_layout_ : in_turn ? &loop_in_turns_ : by == SweepBy::Aij ? &aij_ : nullptr;
  double        each    = least ? *least : loops_.Plain() * aij_;
  if (seconds) {
    const double most = kOutlier * (least ? *least : aij_);
    each              = most > 0 ? std::min(*seconds / sweeps, most) : *seconds / sweeps;
    if (least) KeepLeast(each, *least);
    if (by == SweepBy::Layouts) ++timed_layouts_;
    else if (!in_turn && loops_.Swept(by, each) && loops_.AijSeconds() > 0) aij_ = loops_.AijSeconds(); // as both are by now
    if (by == SweepBy::Aij && !in_turn) ++timed_aij_;
  }
  if (by != SweepBy::Aij) Lose(sweeps * (each - aij_));
  if (in_turn && ++turn_ == kTurns) Compare();
}

/// What is not known of a kind is presumed to be as for all kinds.
void SweepChoice::SweptByKind(SweepBy by, double sweeps, std::optional<double> seconds)
{
  const double aij  = AijSeconds();
  double       each = kinds_.Seconds(by).value_or(by == SweepBy::Layouts ? by_layout_ : loops_.Plain() * aij_);
  if (seconds) each = std::min(*seconds / sweeps, kOutlier * aij);
  kinds_.Swept(by, seconds ? std::optional(each) : std::nullopt);
  if (by != SweepBy::Aij) Lose(sweeps * (each - aij));
}

/// Until the loop has had its turns, its time is extrapolated from the rows without a part, as long as these are at least half of
/// all rows: fewer rows are less often in cache.
void SweepChoice::SweptInParts(double sweeps, double seconds, const Rest &rest)
{
  const double most = kOutlier * sweeps * aij_;
  rest_.Add(std::min(rest.seconds / rest.share, most) / sweeps);
  by_parts_.Add(std::min((seconds - rest.seconds) / (1 - rest.share), most) / sweeps);
  if (rest_.Sure() && !MostAreMade() && turn_ < kTurns) aij_ = rest_.Value() / loops_.Plain();
  Lose(std::min(seconds, most) - sweeps * aij_);
  KeepLeast(seconds / sweeps, by_layout_);
  ++timed_layouts_;
}

/// Compares layouts with the loop that has just had its turns.
void SweepChoice::Compare()
{
  if (loop_in_turns_ == 0) return; // the clock did not advance
  aij_ = loops_.IsPlainFaster() ? loop_in_turns_ / loops_.Plain() : loop_in_turns_;
  if (made_ == parts_) findings_->sweep.Add(by_layout_ / aij_);
  if (by_layout_ > (MostAreMade() ? 1 : kDoubt) * loop_in_turns_) Refuse(0);
}

} // namespace petscspmv
