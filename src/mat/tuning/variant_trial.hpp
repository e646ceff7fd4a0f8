// Finds the fastest of several variants by timing them at real work.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace petscspmv {

/// Variants take turns, and the fastest is kept. The first is expected to be the fastest. It runs alone for a while, so that rare
/// work tries nothing, and another variant must beat it by more than the measurement's uncertainty. Clearly slower variants are
/// dropped early: a trial costs about two turns of each.
class VariantTrial {
public:
  static constexpr std::size_t kMost   = 4; // variants
  static constexpr std::size_t kBefore = 7; // turns of the first variant before the trial, not counted
  static constexpr std::size_t kRounds = 3;
  static constexpr std::size_t kTurns  = kBefore + kMost * kRounds; // decided after this many
  static constexpr double      kSure   = 0.95;

  explicit VariantTrial(std::size_t variants = 1) : variants_(variants) { std::fill_n(tried_.begin(), variants, true); }

  /// Whether the trial is still undecided.
  bool Runs() const { return round_ < kRounds && Turns() > 1; }

  /// The variant whose turn it is; in the end, the chosen one.
  std::size_t Variant() const { return variant_; }

  /// Records the time of a turn.
  void Add(double seconds)
  {
    if (!Runs()) return;
    if (before_ < kBefore) {
      ++before_;
      return;
    }
    least_[variant_] = round_ == 0 ? seconds : std::min(least_[variant_], seconds);
    if (++turn_ == Turns()) EndRound();
    variant_ = Runs() ? Next() : Fastest();
  }

private:
  std::size_t Turns() const { return static_cast<std::size_t>(std::count(tried_.begin(), tried_.end(), true)); }

  /// Every second round runs in reverse order: if every second turn is expensive whatever the variant, each gets a cheap one.
  std::size_t Next() const
  {
    std::size_t before = round_ % 2 ? Turns() - 1 - turn_ : turn_, variant = 0;
    for (;; ++variant) {
      if (tried_[variant] && before-- == 0) return variant;
    }
  }

  void EndRound()
  {
    const double hopeless = round_ == 0 ? 1.5 : 1.1; // times the least time; a single turn may have been disturbed
    double       least    = least_[variant_];
    for (std::size_t variant = 0; variant < variants_; ++variant) {
      if (tried_[variant]) least = std::min(least, least_[variant]);
    }
    for (std::size_t variant = 0; variant < variants_; ++variant)
      tried_[variant] = tried_[variant] && least_[variant] <= hopeless * least;
    turn_ = 0;
    ++round_;
  }

  std::size_t Fastest() const
  {
    std::size_t best = 0;
    for (std::size_t variant = 1; variant < variants_; ++variant) {
      if (tried_[variant] && (!tried_[best] || least_[variant] < (best == 0 ? kSure : 1) * least_[best])) best = variant;
    }
    return best;
  }

  std::size_t               variants_;
  std::array<bool, kMost>   tried_{};
  std::array<double, kMost> least_{}; // seconds
  std::size_t               before_ = 0, round_ = 0, turn_ = 0, variant_ = 0;
};

} // namespace petscspmv
