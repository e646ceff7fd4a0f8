#include "mat/tuning/choice.hpp"

#include <algorithm>
#include <utility>

namespace petscspmv {

namespace {

constexpr std::int64_t kWatched = 8;  // products before anything is examined
constexpr std::int64_t kSample  = 16; // products, one of which is timed while no trial runs

// In units of a product by AIJ.
constexpr double kLook    = 0.2; // what examining a sample of the pattern may take
constexpr double kSlow    = 1.5; // what the first product of an untimed candidate may take
constexpr double kOutlier = 4;   // cap on the time of a product timed before: beyond it the process was not running

constexpr double kUnseen = 20; // cap on the time of a product that never ran before

// In units of a product by the incumbent.
constexpr double kAdopt    = 0.97; // the most that an adopted format may take; AIJ, which needs no memory, is adopted below 1
constexpr double kHopeless = 1.15; // rarely tried again, after one round of a trial

constexpr double kCuriosity = 0.01; // share of the time so far that a trial without promise may cost

} // namespace

double Choice::Trial::Ratio(int round) const
{
  const auto   first = static_cast<std::size_t>(2 * round);
  const bool   mine  = IsChallengers(2 * round);
  const double its = least[mine ? first : first + 1], others = least[mine ? first + 1 : first];
  return others > 0 ? its / others : 1; // the clock did not advance
}

Choice::Choice(std::shared_ptr<Family> family, std::size_t candidates, double regret) :
  family_(std::move(family)), pattern_(std::make_shared<Pattern>(candidates)), regret_(regret), layouts_(candidates, State::None)
{
  layouts_[kAij] = State::Current;
}

Choice::~Choice()
{
  if (here_ > 0) pattern_->life.Add(static_cast<double>(here_));
}

void Choice::ValuesChanged()
{
  if (here_ == 0) return;
  period_ = period_ == 0 ? static_cast<double>(since_) : 0.5 * (period_ + static_cast<double>(since_));
  since_  = 0;
  for (std::size_t k = 0; k < layouts_.size(); ++k) {
    if (k != kAij && layouts_[k] == State::Current) layouts_[k] = State::Stale;
  }
}

bool Choice::WantsSearch(double start) const
{
  return family_->recorded && !searched_ && !looked_at_ && Reading() > 0 && Allows(Reading() + start);
}

void Choice::Searched(double seconds)
{
  searched_        = true;
  family_->reading = seconds;
  Spend(seconds);
}

bool Choice::WantsPattern(double start) const
{
  return !looked_at_ && here_ >= kWatched && Aij() > 0 && Allows(kLook * Aij() + start);
}

void Choice::SetPattern(std::shared_ptr<Pattern> pattern, bool recorded, double seconds)
{
  const std::shared_ptr<Pattern> before = std::exchange(pattern_, std::move(pattern));
  looked_at_                            = true;
  recorded_                             = recorded;
  pattern_->products += here_;
  if (Aij() == 0) Of(kAij).product = before->candidates[kAij].product;
  Spend(seconds);
}

/// True as soon as there is something to record.
bool Choice::WantsRecord() const
{
  if (recorded_ || !looked_at_ || trial_) return false;
  const auto tried = [](const Findings &known) { return known.ratio > 0; };
  return std::any_of(pattern_->candidates.begin(), pattern_->candidates.end(), tried) && Allows(Reading());
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

/// Begins the most promising trial among those that can be afforded now and pay back within as many products as there were.
void Choice::Consider()
{
  const std::int64_t products  = pattern_->products;
  const std::size_t  incumbent = pattern_->adopted, none = layouts_.size();
  const double       now  = Cost(incumbent);
  std::size_t        best = none;
  double             most = 0;

  check_ = products + std::max<std::int64_t>(1, products / 16);
  if (Aij() == 0 || Preparation(incumbent) > 0) return;
  for (std::size_t k = 0; k < layouts_.size(); ++k) {
    if (k == incumbent || products < Of(k).next_trial) continue;
    const double turns = Trial::kRun * Trial::kRuns / 2. * std::max(0., Product(k) - Product(incumbent));
    const double slow  = Of(k).product.Known() ? Product(k) : kSlow * Aij();
    const double cost  = Preparation(k) + std::max(0., slow - Aij());
    const double gain = now - Cost(k), value = static_cast<double>(products) * gain - cost;
    if (k != kAij && !Allows(cost)) continue; // by AIJ nothing is lost against AIJ
    const bool pays = gain >= (1 - kAdopt) * now && value > most;
    const bool curious =
      best == none && (k == kAij || Of(k).ratio == 0) && Preparation(k) + turns <= kCuriosity * family_->account.Aij();
    if (!pays && !curious) continue;
    best = k;
    if (pays) most = value;
  }
  if (best != none) trial_ = Trial{.incumbent = incumbent, .challenger = best};
}

std::size_t Choice::Next()
{
  tried_ = kAij;
  if (!trial_ && looked_at_ && pattern_->products >= check_) Consider();
  next_ = trial_ ? Turn() : Usual();
  return next_;
}

/// Whose turn it is in a trial. The trial waits while its next turn cannot be afforded, as when values change again and again.
std::size_t Choice::Turn()
{
  const std::size_t candidate = trial_->Candidate();
  double            cost      = Preparation(candidate);
  if (candidate == trial_->challenger && candidate != kAij) cost += std::max(0., trial_->last - Aij());
  waits_ = trial_->turn > 0 && cost > 0 && !Allows(cost);
  return waits_ ? Usual() : candidate;
}

void Choice::Prepared(bool built, double seconds)
{
  layouts_[next_]     = State::Current;
  Of(next_).no_memory = false;
  (built ? Of(next_).build : Of(next_).refresh).Add(seconds);
  Spend(seconds);
}

void Choice::CannotBeMade(double seconds)
{
  Spend(seconds);
  Of(next_).no_memory  = true;
  Of(next_).next_trial = 16 * pattern_->products;
  if (pattern_->adopted == next_) pattern_->adopted = kAij;
  trial_.reset();
  layouts_[next_] = State::None;
  next_           = kAij;
  DropUnused();
}

bool Choice::Timed() const
{
  return trial_ || here_ < kWatched || here_ % kSample == 0;
}

void Choice::Multiplied(double seconds)
{
  Findings &known = Of(next_);
  if (!Timed()) {
    seconds = known.product.Value();
  } else {
    const bool   seen = trial_ && next_ == trial_->challenger ? trial_->last > 0 : known.product.Known();
    const double most = (seen ? kOutlier : kUnseen) * std::max(Aij(), known.product.Value());
    if (most > 0) seconds = std::min(seconds, most);
    if (!trial_ || waits_ || next_ == kAij) known.product.Add(seconds);
  }
  const double aij = next_ == kAij ? seconds : Aij();
  family_->account.Multiplied(seconds, aij);
  gained_ += aij - seconds;
  ++here_;
  ++since_;
  ++pattern_->products;
  if (trial_ && !waits_) TakeTurn(seconds);
  else if (trial_ && ++trial_->waited > pattern_->products / 4 * 3) GiveUp(); // three times as long as all products before
  else if (!trial_ && next_ != kAij && known.product.Value() > Aij())
    Of(kAij).next_trial = check_ = 0; // it has become slower, or was not as fast as it seemed
  DropUnused();
}

void Choice::TakeTurn(double seconds)
{
  Trial &trial = *trial_;
  if (trial.Candidate() == trial.challenger) trial.last = seconds;
  double &least = trial.least[static_cast<std::size_t>(trial.Run())];
  if (trial.turn % Trial::kRun >= Trial::kWarm) least = least > 0 ? std::min(least, seconds) : seconds;
  ++trial.turn;
  if (!trial.Begins()) return;
  const double first = trial.Ratio(0), second = trial.Ratio(1);
  if (trial.Run() == 2 && first > kHopeless) EndTrial(first);
  else if (trial.Run() == Trial::kRuns)
    EndTrial(std::max(std::min(first, second), std::min(std::max(first, second), trial.Ratio(2)))); // the median
}

void Choice::EndTrial(double ratio)
{
  const Trial       trial = *trial_;
  const std::size_t other = trial.challenger;
  trial_.reset();
  waits_            = false;
  tried_            = other == kAij ? trial.incumbent : other;
  const bool before = Of(other).ratio > 0;
  Of(other).ratio   = ratio;
  for (int run = 0; run < trial.Run(); ++run) {
    const std::size_t k = Trial::IsChallengers(run) ? other : trial.incumbent;
    if (k != kAij) Of(k).product.Add(trial.least[static_cast<std::size_t>(run)]);
  }
  const bool        adopts = ratio < (other == kAij ? 1 : kAdopt);
  const std::size_t loser  = adopts ? trial.incumbent : other;
  if (adopts) pattern_->adopted = other;
  Of(loser).next_trial = pattern_->products * (adopts ? 4 : ratio < kHopeless || !before ? 16 : 256); // once may be chance
  if (loser != kAij) Of(kAij).next_trial = std::max(Of(kAij).next_trial, 4 * pattern_->products);
  check_ = 0;
}

/// Leaves a trial undecided.
void Choice::GiveUp()
{
  Of(trial_->challenger).next_trial = 4 * pattern_->products;
  trial_.reset();
  waits_ = false;
}

WhyAij Choice::Why() const
{
  std::size_t best = kAij;
  if (!looked_at_) return WhyAij::Few;
  for (std::size_t k = 1; k < layouts_.size(); ++k) {
    if (!Of(k).no_memory && (best == kAij || Product(k) < Product(best))) best = k;
  }
  if (best == kAij) return WhyAij::NoMemory;
  const double gain = Aij() - Product(best);
  if (gain < (1 - kAdopt) * Aij()) return WhyAij::NotFaster;
  return period_ > 0 && ValuesLast() * gain < Refresh(best) ? WhyAij::Changing : WhyAij::Few;
}

void Choice::Spend(double seconds)
{
  family_->account.Spend(seconds);
  spent_ += seconds;
}

/// Drops the layouts of candidates that are neither adopted (possibly by other matrices of the pattern) nor on trial.
void Choice::DropUnused()
{
  for (std::size_t k = 0; k < layouts_.size(); ++k) {
    const bool used = k == kAij || k == pattern_->adopted || (trial_ && (k == trial_->incumbent || k == trial_->challenger));
    if (!used) layouts_[k] = State::None;
  }
}

} // namespace petscspmv
