// Which of several ways of doing the same is the fastest, found out by the work itself.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace petscspmv {

/// Several ways take turns, and the fastest in the median is kept. The first is the expected one: another must be faster by more
/// than such a measurement is sure of. One that is clearly slower is not tried to the end: what a trial costs is about two turns of
/// each slow way.
class Trial {
public:
  static constexpr std::size_t kMost   = 4; // ways
  static constexpr std::size_t kRounds = 3;
  static constexpr double      kSure = 0.97, kHopeless = 1.1;

  explicit Trial(std::size_t ways = 1) : ways_(ways) { std::fill_n(tried_.begin(), ways, true); }

  /// Whether it is not decided yet.
  bool Runs() const { return round_ < kRounds && std::count(tried_.begin(), tried_.end(), true) > 1; }

  /// Whose turn it is; in the end, who is chosen.
  std::size_t Way() const { return way_; }

  /// What the turn took. The first of all counts for nothing: it finds caches as others have left them.
  void Add(double seconds)
  {
    if (!Runs()) return;
    if (first_) {
      first_ = false;
      return;
    }
    seconds_[way_][round_] = seconds;
    if (++turn_ == Turns()) EndRound();
    if (Runs()) way_ = Next();
    else way_ = Fastest();
  }

private:
  std::size_t Turns() const { return static_cast<std::size_t>(std::count(tried_.begin(), tried_.end(), true)); }

  /// In every second round the last begins, so that work which itself takes turns does not always fall to the same way.
  std::size_t Next() const
  {
    std::size_t before = round_ % 2 ? Turns() - 1 - turn_ : turn_, way = 0;
    for (;; ++way) {
      if (tried_[way] && before-- == 0) return way;
    }
  }

  void EndRound()
  {
    turn_ = 0;
    if (++round_ < 2 || round_ == kRounds) return;
    double least = Least(way_);
    for (std::size_t way = 0; way < ways_; ++way) {
      if (tried_[way]) least = std::min(least, Least(way));
    }
    for (std::size_t way = 0; way < ways_; ++way) tried_[way] = tried_[way] && Least(way) <= kHopeless * least;
  }

  double Least(std::size_t way) const { return *std::min_element(seconds_[way].begin(), seconds_[way].begin() + round_); }

  std::size_t Fastest() const
  {
    std::size_t best = 0;
    for (std::size_t way = 1; way < ways_; ++way) {
      if (tried_[way] && (!tried_[best] || Median(way) < (best == 0 ? kSure : 1) * Median(best))) best = way;
    }
    return best;
  }

  double Median(std::size_t way) const
  {
    std::array<double, kRounds> sorted = seconds_[way];
    std::sort(sorted.begin(), sorted.end());
    return sorted[kRounds / 2];
  }

  std::size_t                                    ways_;
  std::array<bool, kMost>                        tried_{};
  std::array<std::array<double, kRounds>, kMost> seconds_{};
  std::size_t                                    round_ = 0, turn_ = 0, way_ = 0;
  bool                                           first_ = true;
};

} // namespace petscspmv
