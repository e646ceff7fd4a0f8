// Which of several ways of doing the same is the fastest, found out by the work itself.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace petscspmv {

/// Several ways take turns, and the fastest is kept. The first is the expected one: it alone works for a while, so that what is
/// not done often tries nothing, and another must then be faster by more than such a measurement is sure of. One that is clearly
/// slower is not tried to the end: what a trial costs is about two turns of each slow way.
class Trial {
public:
  static constexpr std::size_t kMost   = 4; // ways
  static constexpr std::size_t kBefore = 7; // turns of the first way that count for nothing
  static constexpr std::size_t kRounds = 3;
  static constexpr std::size_t kTurns  = kBefore + kMost * kRounds; // after so many it is decided
  static constexpr double      kSure   = 0.95;

  explicit Trial(std::size_t ways = 1) : ways_(ways) { std::fill_n(tried_.begin(), ways, true); }

  /// Whether it is not decided yet.
  bool Runs() const { return round_ < kRounds && Turns() > 1; }

  /// Whose turn it is; in the end, who is chosen.
  std::size_t Way() const { return way_; }

  /// What the turn took.
  void Add(double seconds)
  {
    if (!Runs()) return;
    if (before_ < kBefore) {
      ++before_;
      return;
    }
    least_[way_] = round_ == 0 ? seconds : std::min(least_[way_], seconds);
    if (++turn_ == Turns()) EndRound();
    way_ = Runs() ? Next() : Fastest();
  }

private:
  std::size_t Turns() const { return static_cast<std::size_t>(std::count(tried_.begin(), tried_.end(), true)); }

  /// In every second round the last begins: where every second turn is dear whatever the way, each has a cheap one.
  std::size_t Next() const
  {
    std::size_t before = round_ % 2 ? Turns() - 1 - turn_ : turn_, way = 0;
    for (;; ++way) {
      if (tried_[way] && before-- == 0) return way;
    }
  }

  void EndRound()
  {
    const double hopeless = round_ == 0 ? 1.5 : 1.1; // of the least; one turn alone may have met something else
    double       least    = least_[way_];
    for (std::size_t way = 0; way < ways_; ++way) {
      if (tried_[way]) least = std::min(least, least_[way]);
    }
    for (std::size_t way = 0; way < ways_; ++way) tried_[way] = tried_[way] && least_[way] <= hopeless * least;
    turn_ = 0;
    ++round_;
  }

  std::size_t Fastest() const
  {
    std::size_t best = 0;
    for (std::size_t way = 1; way < ways_; ++way) {
      if (tried_[way] && (!tried_[best] || least_[way] < (best == 0 ? kSure : 1) * least_[best])) best = way;
    }
    return best;
  }

  std::size_t               ways_;
  std::array<bool, kMost>   tried_{};
  std::array<double, kMost> least_{}; // seconds
  std::size_t               before_ = 0, round_ = 0, turn_ = 0, way_ = 0;
};

} // namespace petscspmv
