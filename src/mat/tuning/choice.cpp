#include "mat/tuning/choice.hpp"

#include <algorithm>
#include <utility>

namespace petscspmv {

namespace {

constexpr std::int64_t kWatched = 3;  // products before the pattern is examined
constexpr std::int64_t kTimed   = 8;  // products that are timed at the beginning
constexpr std::int64_t kSample  = 8;  // while no trial runs, one product in so many is timed
constexpr std::int64_t kAsked   = 16; // the clock is read for each of the first so many products

// In units of a product by AIJ.
constexpr double kLook     = 0.2; // what examining a sample of the pattern may take
constexpr double kMostGain = 0.6; // the most that a format is hoped to gain
constexpr double kUnseen   = 20;  // cap on the time of a candidate's first product

} // namespace

Choice::Choice(std::shared_ptr<Budget> budget, std::shared_ptr<Family> family, std::shared_ptr<Role> role, double regret) :
  budget_(std::move(budget)), family_(std::move(family)), role_(std::move(role)),
  pattern_(std::make_shared<Pattern>(role_->product.size())), regret_(regret), layouts_(role_->product.size()),
  asks_again_(layouts_.size()), measured_(layouts_.size())
{
}

Choice::~Choice()
{
  if (here_ == 0) return;
  family_->life.Add(static_cast<double>(here_));
  role_->life.Add(static_cast<double>(here_));
}

void Choice::ValuesChanged()
{
  if (here_ == 0) return;
  period_ = period_ == 0 ? static_cast<double>(since_) : 0.5 * (period_ + static_cast<double>(since_));
  since_  = 0;
  for (Progress &layout : layouts_) layout.current = 0;
  std::fill(asks_again_.begin(), asks_again_.end(), 0);
}

bool Choice::WantsSearch(double start) const
{
  return family_->recorded && !searched_ && !looked_at_ && Expected() >= kWatched && MayBegin(Reading() + start, true);
}

void Choice::Searched(double seconds)
{
  searched_        = true;
  family_->reading = seconds;
  Spend(seconds);
}

/// What the process must do once (`start`) has to be repaid by the products that are expected of this matrix, or by as many of all
/// matrices as there were.
bool Choice::WantsPattern(double start)
{
  if (looked_at_ || here_ < kWatched || Aij() == 0 || EndsSoon() || !IsTime()) return false;
  if (kMostGain * std::max(Expected() * Aij(), budget_->Aij()) < start) return false;
  unaffordable_ = !Allows(kLook * Aij() + start, true);
  return !unaffordable_;
}

void Choice::SetPattern(std::shared_ptr<Pattern> pattern, bool recorded, double seconds)
{
  const std::shared_ptr<Pattern> before = std::exchange(pattern_, std::move(pattern));
  looked_at_                            = true;
  recorded_                             = recorded;
  pattern_->products += here_;
  pattern_->account.Add(before->account);
  if (!recorded) pattern_->relaxed = before->relaxed; // a recorded one tells for which its findings are
  if (Aij() == 0) Of(kAij).product = before->candidates[kAij].product;
  predicted_from_ = Aij();
  for (std::size_t k = 0; k < measured_.size(); ++k) measured_[k] = Of(k).product.Known() ? PartsOf(k) : 0;
  Spend(seconds);
}

/// True once a candidate has been tried, and the adopted format, if there is one, has made up for all losses.
bool Choice::WantsRecord() const
{
  if (recorded_ || !looked_at_ || trial_ || (pattern_->adopted != kAij && pattern_->account.Loss() > 0)) return false;
  const auto tried = [](const Findings &known) { return known.ratio > 0; };
  return std::any_of(pattern_->candidates.begin(), pattern_->candidates.end(), tried) && MayBegin(Reading());
}

void Choice::Recorded(double seconds)
{
  recorded_         = true;
  family_->recorded = true;
  family_->reading  = seconds;
  Spend(seconds);
}

/// The seconds that reading the whole pattern takes.
double Choice::Reading() const
{
  return family_->reading > 0 ? family_->reading : Aij();
}

std::size_t Choice::Next()
{
  tried_ = kAij;
  if (!trial_ && looked_at_ && pattern_->products >= check_ && IsTime() && !displacement_.IsNew()) Consider();
  next_ = trial_ ? Turn() : Usual();
  return next_;
}

/// The first part is always made, and all parts for a trial against another format. Otherwise one more part is made if it pays and
/// the budget allows it, of the adopted format or, unless relaxation has to be compared in the trial, of a challenger whose best
/// product so far was fast enough to be adopted.
bool Choice::WantsPart() const
{
  if (IsWhole(next_) || IsRefused(next_)) return false;
  if (layouts_[next_].current == 0 || NeedsWhole(next_)) return true;
  const bool tried    = trial_ && trial_->best > 0 && trial_->best < kAdopt * Aij() && !displacement_.IsPossible();
  const bool promises = next_ == pattern_->adopted || tried;
  return promises && NextPartPays(next_) && MayBegin(NextStep(next_), true);
}

void Choice::Prepared(const Progress &before, const Progress &after, double seconds)
{
  const int built = after.BuiltSince(before), refreshed = after.RefreshedSince(before);
  asks_again_[next_]  = after.current <= layouts_[next_].current ? std::max<std::int64_t>(1, 4 * here_) : 0;
  layouts_[next_]     = after;
  Of(next_).no_memory = false;
  if (built > 0) Of(next_).build.Add(seconds / Share(next_, built));
  else if (refreshed > 0) Of(next_).refresh.Add(seconds / Share(next_, refreshed));
  Spend(seconds);
}

void Choice::CannotBeMade(double seconds)
{
  Spend(seconds);
  Of(next_).no_memory  = true;
  Of(next_).next_trial = 16 * pattern_->products;
  if (pattern_->adopted == next_) pattern_->adopted = kAij;
  trial_.reset();
  waits_ = false;
  Replaced(next_, {});
  next_ = kAij;
  DropUnused();
}

void Choice::Replaced(std::size_t candidate, const Progress &layout)
{
  layouts_[candidate]    = layout;
  asks_again_[candidate] = 0;
}

bool Choice::Timed() const
{
  return trial_ || here_ < kTimed || here_ % kSample == 0 || !IsWhole(next_);
}

void Choice::Multiplied(double seconds, double by_parts)
{
  const double displaced = displacement_.Multiplied(next_, layouts_[next_].current);
  const bool   again     = next_ == last_ && layouts_[next_].current == last_parts_;
  Findings    &known     = Of(next_);
  double       whole     = known.product.Value(); // seconds of a product by the whole layout, with what that displaces
  double       alone     = whole;                 // and without
  if (!again) same_ = {};
  if (!Timed()) {
    seconds = whole;
  } else {
    const bool   seen   = trial_ && next_ == trial_->challenger ? trial_->last > 0 : known.product.Known();
    const double most   = (seen ? kOutlier : kUnseen) * std::max(Aij(), whole);
    const double share  = by_parts > 0 ? Share(next_, layouts_[next_].current) : 1;
    const auto   capped = [most](double time) { return most > 0 ? std::min(time, most) : time; };
    alone               = capped((share < 1 ? by_parts : seconds) / share);
    whole               = alone + displaced / share;
    if (share < 1) rest_.Add(capped((seconds - by_parts) / (1 - share)));
    seconds = capped(seconds) + displaced;
    if ((!trial_ || waits_ || next_ == kAij) && (again || !known.product.Known())) known.product.Add(whole);
    if (again) MeasuredInParts(alone, whole);
  }
  last_            = next_;
  last_parts_      = layouts_[next_].current;
  const double aij = next_ == kAij ? seconds : Aij();
  pattern_->account.AddAij(aij);
  budget_->AddAij(aij);
  Lose(seconds - aij);
  gained_ += aij - seconds;
  ++here_;
  ++since_;
  ++pattern_->products;
  if (trial_ && next_ == trial_->incumbent) trial_->others = std::min(trial_->others, whole);
  if (trial_ && !waits_) TakeTurn(seconds, alone);
  else if (trial_ && 4 * ++trial_->waited > 3 * here_) GiveUp(); // waited for three times as many products as before
  else if (!trial_ && next_ != kAij && known.product.Value() > Aij())
    Of(kAij).next_trial = check_ = 0; // the adopted format is now slower than AIJ, or always was
  DropUnused();
}

/// A format that was adopted, or began its trial, before any relaxation is compared with AIJ once more.
void Choice::Relaxed(double seconds, std::optional<std::size_t> loop)
{
  if (!std::exchange(pattern_->relaxed, true)) {
    recheck_ = trial_ || pattern_->adopted != kAij;
    check_   = 0;
  }
  displacement_.Relaxed(seconds, loop);
}

/// The first products take longer than later ones: predictions made from them are made again, unless a format has been tried.
void Choice::SetAij(double seconds)
{
  const auto tried = [](const Findings &known) { return known.ratio > 0 || (known.next_trial > 0 && known.next_trial < kNever); };
  Of(kAij).product.Set(seconds);
  if (trial_ || seconds >= kAdopt * predicted_from_ || std::ranges::any_of(pattern_->candidates, tried)) return;
  looked_at_ = false;
}

/// What a product takes by a whole layout is extrapolated from its parts: the more there are, the better, as a few stay in a nearer
/// cache than all.
void Choice::MeasuredInParts(double alone, double whole)
{
  const int parts = layouts_[next_].current;
  same_.Add(alone);
  if (!same_.Sure() || parts <= measured_[next_] || displacement_.Waits()) return;
  measured_[next_] = parts;
  if (!trial_) Of(next_).product.Set(same_.Value() + whole - alone);
}

WhyAij Choice::Why() const
{
  std::size_t best = kAij;
  if (!looked_at_) return unaffordable_ ? WhyAij::Budget : WhyAij::Few;
  for (std::size_t k = 1; k < layouts_.size(); ++k) {
    if (!Of(k).no_memory && Of(k).next_trial < kNever && (best == kAij || Product(k) < Product(best))) best = k;
  }
  if (best == kAij) return WhyAij::NoMemory;
  const double gain = Aij() - Product(best);
  if (gain < (1 - kAdopt) * Aij()) return WhyAij::NotFaster;
  if (period_ > 0 && ValuesLast() * gain < Refresh(best)) return WhyAij::Changing;
  const std::size_t adopted = pattern_->adopted;
  const bool        waits   = !IsWhole(adopted) && NextPartPays(adopted) && !Allows(NextStep(adopted));
  return unaffordable_ || waits ? WhyAij::Budget : WhyAij::Few;
}

/// `often`: the caller asks with every product, so that the clock is read only now and then.
bool Choice::Allows(double seconds, bool often) const
{
  const bool      reading = !often || here_ < kAsked || IsClockRead(seconds, here_);
  const LayoutUse use     = displacement_.IsPossible() ? LayoutUse::Sweeps : LayoutUse::Products;
  return pattern_->account.Allows(seconds) && budget_->Allows(seconds, regret_, reading, use);
}

void Choice::Spend(double seconds)
{
  Lose(seconds);
  spent_ += seconds;
}

/// Drops the layouts of candidates that are neither adopted (possibly by other matrices of the pattern) nor on trial.
void Choice::DropUnused()
{
  for (std::size_t k = 0; k < layouts_.size(); ++k) {
    const bool used = k == kAij || k == pattern_->adopted || (trial_ && (k == trial_->incumbent || k == trial_->challenger));
    if (!used) Replaced(k, {});
  }
}

} // namespace petscspmv
