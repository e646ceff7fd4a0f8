// PETSc's loop and another way take turns.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace petscspmv {

/// Three turns of each; the least time of each counts. Where two kinds of sweeps alternate, as those before and after a coarser
/// level, each way has both.
class LoopTurns {
public:
  static constexpr std::size_t kTurns = 3; // of each

  /// Whether it is the turn of the other way.
  bool IsOthers() const
  {
    constexpr std::array<bool, 2 *kTurns> kOthers = {true, false, false, true, true, false};
    return other_.turns < kTurns && (aij_.turns >= kTurns || kOthers[other_.turns + aij_.turns]);
  }

  void Add(bool other, double seconds)
  {
    Way &way  = other ? other_ : aij_;
    way.least = way.turns > 0 ? std::min(way.least, seconds) : seconds;
    ++way.turns;
  }

  bool   IsOver() const { return other_.turns >= kTurns && aij_.turns >= kTurns; }
  double AijSeconds() const { return aij_.least; }

  /// What the other way takes, over PETSc's loop; 1 where the clock did not advance.
  double Ratio() const { return aij_.least > 0 && other_.least > 0 ? other_.least / aij_.least : 1; }
  double OtherSeconds() const { return Ratio() * AijSeconds(); }

private:
  struct Way {
    std::size_t turns = 0;
    double      least = 0; // seconds
  };

  Way aij_, other_;
};

/// Turns that are taken again after a while.
class RepeatedTurns {
public:
  static constexpr int kPeriod = 256; // reports between turns: those of a way half as fast lose 1.2 % of what PETSc's loop takes

  /// The first turns are due after so many reports.
  explicit RepeatedTurns(int left = 0) : left_(left) { }

  bool IsDue() const { return !in_turns_ && left_ == 0; }
  void Begin() { in_turns_ = true; }

  bool IsInTurns() const { return in_turns_; } // what follows must be timed
  bool IsOthers() const { return turns_.IsOthers(); }

  /// What the last turns have shown.
  const std::optional<LoopTurns> &Known() const { return known_; }

  /// Reports who did something, and the seconds if they are known. True if that was the last turn.
  bool Done(bool other, std::optional<double> seconds)
  {
    if (!in_turns_) left_ = std::max(0, left_ - 1);
    else if (seconds) turns_.Add(other, *seconds);
    if (!turns_.IsOver()) return false;
    known_    = std::exchange(turns_, {});
    in_turns_ = false;
    left_     = kPeriod;
    return true;
  }

private:
  bool                     in_turns_ = false;
  int                      left_;  // reports until turns are due
  LoopTurns                turns_; // the present ones
  std::optional<LoopTurns> known_;
};

} // namespace petscspmv
