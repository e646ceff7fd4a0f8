// PETSc's loop and another way to sweep take turns.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace petscspmv {

/// Three turns of each; the least time of each counts. Two kinds of sweeps may alternate, as those before and after a coarser
/// level: each way has both kinds.
class LoopTurns {
public:
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

private:
  static constexpr std::size_t kTurns = 3; // of each

  struct Way {
    std::size_t turns = 0;
    double      least = 0; // seconds
  };

  Way aij_, other_;
};

} // namespace petscspmv
