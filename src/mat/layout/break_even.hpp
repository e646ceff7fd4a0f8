// When a layout is worth building.
#pragma once

#include "mat/layout/stamp.hpp"

namespace petscspmv {

/// A layout counts as worth building after a number of products by AIJ with the same values. Products are counted, not timed, so
/// that each run of a program gives the same bits.
class BreakEven {
public:
  /// Call before a product with a matrix in this state.
  void Look(const Stamp &now)
  {
    const bool same_pattern = seen_.SamePattern(now);
    if (!same_pattern) *this = {};
    else if (!seen_.SameValues(now)) {
      needed_   = products_ < kForValues ? kForValues : 0;
      products_ = 0;
    }
    seen_ = now;
  }
  /// Whether a layout should do the product that Look() announced.
  bool Reached() const { return products_ >= needed_ && CanBeReached(); }
  bool CanBeReached() const { return !given_up_; }
  /// Reports that there is no memory for a layout of this nonzero pattern.
  void GiveUp() { given_up_ = true; }
  void Count(PetscInt vectors) { products_ += vectors; }

private:
  static constexpr PetscInt64 kForLayout = 32; // products by AIJ before a layout is built
  static constexpr PetscInt64 kForValues = 16; // products by AIJ with new values before a refresh; 0 if old ones served as many

  Stamp      seen_;
  PetscInt64 products_ = 0; // with the current values
  PetscInt64 needed_   = kForLayout;
  bool       given_up_ = false;
};

} // namespace petscspmv
