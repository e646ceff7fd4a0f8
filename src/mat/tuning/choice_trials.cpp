// Trials: which candidate is tried, when, and what comes of it.
#include "mat/tuning/choice.hpp"

#include <algorithm>
#include <utility>

namespace petscspmv {

namespace {

// In units of a product by the incumbent.
constexpr double kClear         = 0.9;  // a challenger below: adopted after one run; forecasts that differ by less are close
constexpr double kClearlyFaster = 0.55; // likewise, of a few products of AIJ, which take up to 1.6 times as long as later ones
constexpr double kHopeless      = 1.15; // a challenger above: rejected after one round, and rarely tried again

constexpr double kMargin    = 1.2;  // what a layout must gain over what it costs, where products to come are only presumed
constexpr double kOverdue   = 4;    // an unaffordable candidate must gain so many times its cost before another is tried instead
constexpr double kCuriosity = 0.01; // share of AIJ's time so far that a trial may cost if no gain is forecast

} // namespace

double Choice::Trial::Ratio(int round) const
{
  const auto   first = static_cast<std::size_t>(2 * round);
  const bool   mine  = IsChallengers(2 * round);
  const double its = least[mine ? first : first + 1], others = least[mine ? first + 1 : first];
  return others > 0 ? its / others : 1; // the clock did not advance
}

/// Begins a trial if one is worth it: of the cheapest candidate whose forecast is close to the best, once it pays within the
/// expected products. If that candidate stays unaffordable for long, the best affordable one is tried instead. If no candidate
/// promises a gain, AIJ or a format never tried before gets a trial once that costs next to nothing.
void Choice::Consider()
{
  const std::int64_t products  = pattern_->products;
  const std::size_t  incumbent = pattern_->adopted, none = layouts_.size();
  const auto         promises = [&](std::size_t k) { // over AIJ too, than which the incumbent may be slower by now
    return Gain(k) >= (1 - kAdopt) * Running(incumbent) && (k == kAij || Running(k) <= kAdopt * Aij());
  };
  const double margin     = KnowsLife() ? 1 : kMargin;
  const auto   pays       = [&](std::size_t k) { return Expected() * Gain(k) > margin * Trying(k); };
  const auto   affordable = [&](std::size_t k) { return k == kAij || Allows(Beginning(k)); }; // AIJ never loses against AIJ
  const auto   cheap      = [&](std::size_t k) {
    const int turns = k == kAij ? Trial::kRun : Trial::kRun * Trial::kRuns / 2;
    return Preparation(k) + turns * std::max(0., Product(k) - Product(incumbent)) <= kCuriosity * pattern_->account.Aij();
  };
  const auto best = [&](const auto &fits, const auto &value) {
    std::size_t found = none;
    for (std::size_t k = 0; k < layouts_.size(); ++k) {
      if (k != incumbent && products >= Of(k).next_trial && fits(k) && (found == none || value(k) > value(found))) found = k;
    }
    return found;
  };
  const auto value   = [&](std::size_t k) { return Value(k); };
  const auto savings = [&](std::size_t k) { return -Trying(k); };

  if (std::exchange(recheck_, false) && incumbent != kAij) return Begin(kAij);
  check_             = products + std::max<std::int64_t>(1, products / 16);
  const bool goes_on = NextPartPays(incumbent) || (IsMeasuredFirst(incumbent) && GainOfNextPart(incumbent) > NextPart(incumbent));
  if (Aij() == 0 || (!IsWhole(incumbent) && (layouts_[incumbent].current == 0 || goes_on))) return;
  std::size_t challenger = best(promises, value);
  if (challenger == none) {
    challenger = best([&](std::size_t k) { return (k == kAij || Of(k).ratio == 0) && cheap(k) && affordable(k); }, value);
  } else {
    const double close = Running(challenger) / kClear;
    challenger         = best([&](std::size_t k) { return promises(k) && Running(k) < close; }, savings);
    unaffordable_      = pays(challenger) && !affordable(challenger);
    if (!pays(challenger) || (unaffordable_ && Expected() * Gain(challenger) <= kOverdue * Trying(challenger))) return;
    if (unaffordable_) challenger = best([&](std::size_t k) { return promises(k) && pays(k) && affordable(k); }, value);
  }
  if (challenger != none) Begin(challenger);
}

void Choice::Begin(std::size_t challenger)
{
  const RecentMedian &known = Of(pattern_->adopted).product;
  trial_ = Trial{.incumbent = pattern_->adopted, .challenger = challenger, .before = known.Value(), .others = known.Least()};
}

/// Which candidate multiplies during a trial. A trial waits while its next turn costs too much, as when values change repeatedly.
std::size_t Choice::Turn()
{
  const std::size_t candidate = trial_->Candidate();
  double cost = NeedsWhole(candidate) ? Preparation(candidate) : layouts_[candidate].current > 0 ? 0 : NextStep(candidate);
  if (candidate == trial_->challenger && candidate != kAij) cost += std::max(0., trial_->last - Aij());
  waits_ = trial_->turn > 0 && cost > 0 && !MayBegin(cost);
  return waits_ ? Usual() : candidate;
}

double Choice::Displaced(std::size_t k) const
{
  const int parts = layouts_[k].current;
  return k != kAij && parts > 0 ? displacement_.Cost() / Share(k, parts) : 0;
}

/// What a layout displaces is known at the end of a run.
void Choice::TakeTurn(double seconds, double alone)
{
  Trial            &trial     = *trial_;
  const std::size_t candidate = trial.Candidate();
  if (candidate == trial.challenger) {
    trial.last = seconds;
    trial.best = trial.best > 0 ? std::min(trial.best, alone) : alone;
  }
  double &least = trial.least[static_cast<std::size_t>(trial.Run())];
  if (trial.turn % Trial::kRun >= Trial::kWarm) least = least > 0 ? std::min(least, alone) : alone;
  ++trial.turn;
  if (!trial.Begins()) return;
  least += Displaced(candidate);
  if (trial.Run() == 1) {
    const RecentMedian &others = Of(trial.incumbent).product;
    const double        now = trial.least[0], clear = others.IsFull() ? kClear : kClearlyFaster;
    trial.promising = trial.challenger != kAij && now < kClear * std::min(others.Value(), trial.before);
    if (trial.promising && now < clear * trial.others) EndTrial(now / trial.others);
    else if (trial.challenger == kAij && now > kHopeless * (others.Value() + Displaced(trial.incumbent))) EndTrial(kHopeless);
    return;
  }
  const double first = trial.Ratio(0), second = trial.Ratio(1);
  const bool   believed = trial.promising || trial.challenger == kAij; // if it is faster in the first round
  if (trial.Run() == 2 && (first > kHopeless || (believed && first < kClear))) EndTrial(first);
  else if (trial.Run() == Trial::kRuns)
    EndTrial(std::max(std::min(first, second), std::min(std::max(first, second), trial.Ratio(2)))); // the median of all rounds
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
  Of(loser).next_trial = pattern_->products * (adopts ? 4 : ratio < kHopeless || !before ? 16 : 256); // one defeat may be chance
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

} // namespace petscspmv
