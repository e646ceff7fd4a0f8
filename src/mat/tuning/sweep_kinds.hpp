// Kinds of sweeps with the same triangles need not gain alike: those from zero, and those from a guess.
#pragma once

#include "mat/tuning/loop_turns.hpp"
#include "mat/tuning/sweep_by.hpp"

#include <array>
#include <cstddef>
#include <optional>

namespace petscspmv {

/// Once another way than PETSc's loop is chosen, both take turns with each kind of sweeps, and now and then once more. Kinds that
/// PETSc's loop sweeps faster are left to it. Independent of clocks.
class SweepKinds {
public:
  static constexpr std::size_t kKinds = 12;

  /// Reports which kind the next sweeps are of: a number below kKinds that the caller assigns.
  void Now(std::size_t kind);

  /// Reports that a way was chosen. If there has been one kind only, the choice was made with it.
  void    Choose(SweepBy way);
  SweepBy Chosen() const { return way_; } // Aij: none

  // All that follows is about the present kind.

  /// Whether turns should begin; until then the first ones are swept by PETSc's loop.
  bool IsDue() const { return Of().turns.IsDue(); }
  void BeginTurns() { Of().turns.Begin(); }

  bool IsInTurns() const { return Of().turns.IsInTurns(); } // sweeps must be timed
  bool IsLeftToAij() const { return Known() && Known()->Ratio() > 1; }

  SweepBy By() const;

  /// Reports sweeps, and what one of them took if it is known.
  void Swept(SweepBy by, std::optional<double> seconds);

  /// What a sweep takes, if it is known.
  std::optional<double> Seconds(SweepBy by) const;

private:
  struct Kind {
    bool          seen = false;
    RepeatedTurns turns{};
  };

  Kind       &Of() { return kinds_[now_]; }
  const Kind &Of() const { return kinds_[now_]; }

  const std::optional<LoopTurns> &Known() const { return Of().turns.Known(); }

  std::array<Kind, kKinds> kinds_;
  std::size_t              now_ = 0;
  SweepBy                  way_ = SweepBy::Aij;
};

} // namespace petscspmv
