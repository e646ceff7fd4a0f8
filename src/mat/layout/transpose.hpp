// Products with the transpose: by AIJ, or by a layout of A^T.
#pragma once

#include "mat/format/transpose.hpp"
#include "mat/layout/made.hpp"

namespace petscspmv {

/// Decides whether a layout of A^T is worth building: after a number of products with the same values. Products are counted, not
/// timed, so that a program gives the same bits again.
class Patience {
public:
  /// Call before a product with a matrix in this state.
  void Look(const Stamp &now)
  {
    const bool same_pattern = seen_.SamePattern(now);
    if (!same_pattern) *this = {};
    else if (!seen_.SameValues(now)) {
      patience_ = products_ < kForValues ? kForValues : 0;
      products_ = 0;
    }
    seen_ = now;
  }
  /// Whether a layout should do that product.
  bool Ends() const { return products_ >= patience_ && CanEnd(); }
  bool CanEnd() const { return !given_up_; }
  /// There is no memory for a layout of this nonzero pattern.
  void GiveUp() { given_up_ = true; }
  void Count(PetscInt vectors) { products_ += vectors; }

private:
  static constexpr PetscInt64 kForLayout = 32, // products by AIJ before a layout is built
    kForValues                           = 16; // and after new values before a refresh; none if the old values served as many

  Stamp      seen_;
  PetscInt64 products_ = 0, patience_ = kForLayout; // with the current values
  bool       given_up_ = false;
};

/// What the layouts of a shadow of A^T are made from.
struct TransposeSource {
  Transpose<PetscScalar, PetscInt> arrays;
  Patience                         patience;
};

} // namespace petscspmv
