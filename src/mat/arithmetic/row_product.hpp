// The products of a row's entries with x, one after the other.
#pragma once

#include "mat/arithmetic/scalar.hpp"

namespace petscspmv {

/// Calls f(val[k] x[col_idx[k]]) for k from begin to end - 1, in this order. Unrolled by four: whether the plain loop runs at full
/// speed depends on the alignment of its code.
template <class Scalar, class Index, class F>
KOKKOS_FORCEINLINE_FUNCTION void ForProducts(const Scalar *val, const Index *col_idx, Index begin, Index end, const Scalar *x,
                                             const F &f)
{
  const auto product = [&](Index k) { return Multiply(val[k], x[col_idx[k]]); };
  Index      k       = begin;
  for (; end - k >= 4; k += 4) {
    f(product(k));
    f(product(k + 1));
    f(product(k + 2));
    f(product(k + 3));
  }
  for (; k < end; ++k) f(product(k));
}

} // namespace petscspmv
