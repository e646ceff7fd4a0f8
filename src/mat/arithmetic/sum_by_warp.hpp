// The sum of consecutive entries of one row by a warp.
#pragma once

#include "mat/arithmetic/load.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/warp.hpp"

#include <cstdint>

namespace petscspmv {

/// How many products of a thread are loaded before the first of them is added, so that their loads overlap.
inline constexpr int kLoadsTogether = 4;

/// Adds product(k) to `sum` for k = begin, begin + stride, ... below `end`. Returns the first such k that is not below `end`.
template <int stride, class Index, class Product, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Index AddProducts(Index begin, Index end, const Product &product, Scalar &sum)
{
  Index k = begin;
  for (; k + (kLoadsTogether - 1) * stride < end; k += kLoadsTogether * stride) {
    Scalar products[kLoadsTogether];
    for (int j = 0; j < kLoadsTogether; ++j) products[j] = product(k + j * stride);
    for (int j = 0; j < kLoadsTogether; ++j) sum = Plus(sum, products[j]);
  }
  for (; k < end; k += stride) sum = Plus(sum, product(k));
  return k;
}

/// Sum of val[k] x[col_idx[k]] for k = begin .. end-1: lane t adds up the products k = begin + t, begin + t + 32, ...; lane 0 gets
/// the sum.
template <class Warp, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION typename Warp::template PerLane<Scalar> SumOfProductsByWarp(const Warp &warp, const Index *col_idx,
                                                                                        const Scalar *val, std::int64_t begin,
                                                                                        std::int64_t end, const Scalar *x)
{
  typename Warp::template PerLane<Scalar> sum;
  warp.For([&](int lane) {
    sum[lane] = Scalar(0);
    AddProducts<kWarp>(
      begin + lane, end, [&](std::int64_t k) { return Multiply(LoadOnce(val + k), Load(x + LoadOnce(col_idx + k))); }, sum[lane]);
  });
  SumOfWarp(warp, sum);
  return sum;
}

} // namespace petscspmv
