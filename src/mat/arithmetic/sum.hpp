// Sums of consecutive entries of one row.
#pragma once

#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/packs.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/scratch.hpp"

#include <cstdint>

namespace petscspmv {

/// Sum of val[k] x[col_idx[k]] for k = 0 .. n-1. Several partial sums keep additions independent; short rows are added one by one.
template <bool ahead, class Scalar, class Index, class X>
KOKKOS_FORCEINLINE_FUNCTION X SumOfProducts(const Index *col_idx, const Scalar *val, std::int64_t n, const X *x,
                                            const Prefetch<ahead> &prefetch)
{
  constexpr int kLanes = 32 / Parts<Scalar>::count;
  using Sums           = Lanes<X, kLanes>;
  if (n < kLanes) {
    X sum{};
    for (std::int64_t k = 0; k < n; ++k) sum = PlusProduct(sum, val[k], x[col_idx[k]]);
    return sum;
  }
  const std::int64_t whole = n / kLanes * kLanes;
  Sums               sum   = Sums::Zero();
  for (std::int64_t k = 0; k < whole; k += kLanes) {
    prefetch(val + k, kLanes);
    prefetch(col_idx + k, kLanes);
    sum = sum.PlusProduct(Factors<X, kLanes>::Load(FullValues<Scalar>{val}, k), Sums::LoadAt(x, Places<Index>{col_idx + k}));
  }
  if (whole < n) {
    Scratch<X, kLanes> buffer;
    sum.Store(buffer.data());
    for (std::int64_t t = 0; t < n - whole; ++t)
      buffer.data()[t] = PlusProduct(buffer.data()[t], val[whole + t], x[col_idx[whole + t]]);
    sum = Sums::Load(buffer.data());
  }
  return sum.Sum();
}

/// product[k] = val[k] x[col_idx[k]] for k = 0 .. n-1.
template <bool ahead, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION void MultiplyEntries(const Index *col_idx, const Scalar *val, std::int64_t n, const Scalar *x,
                                                 const Prefetch<ahead> &prefetch, Scalar *product)
{
  constexpr int kLanes = 16 / Parts<Scalar>::count;
  using Values         = Lanes<Scalar, kLanes>;
  std::int64_t k       = 0;
  for (; k + kLanes <= n; k += kLanes) {
    prefetch(val + k, kLanes);
    prefetch(col_idx + k, kLanes);
    (Values::Load(val + k) * Values::LoadAt(x, Places<Index>{col_idx + k})).Store(product + k);
  }
  for (; k < n; ++k) {
    if constexpr (Parts<Scalar>::count == 1) product[k] = val[k] * x[col_idx[k]];
    else product[k] = PlusProduct(Scalar(0), val[k], x[col_idx[k]]);
  }
}

} // namespace petscspmv
