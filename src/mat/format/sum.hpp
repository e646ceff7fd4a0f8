// Sums of consecutive entries of one row.
#pragma once

#include "mat/format/native.hpp"
#include "mat/format/prefetch.hpp"
#include "mat/format/scalar.hpp"
#include "mat/format/scratch.hpp"
#include "mat/format/warp.hpp"

#include <cstdint>

namespace petscspmv {

/// Sum over `lanes` lanes, a power of two, by halves down to `left` of them.
template <int lanes, int left = 1, class T>
KOKKOS_INLINE_FUNCTION void TreeSum(T *lane)
{
  for (int half = lanes / 2; half >= left; half /= 2) {
    for (int t = 0; t < half; ++t) lane[t] += lane[t + half];
  }
}

/// Sum of val[k] x[col_idx[k]] for k = 0 .. n-1. Several sums side by side, so that additions do not
/// wait for one another; few terms are added one by one.
template <bool ahead, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION Scalar SumOfProducts(const Index *col_idx, const Scalar *val, std::int64_t n, const Scalar *x, const Prefetch<ahead> &prefetch)
{
  constexpr int lanes = 32;
  if (n < lanes) {
    Scalar sum = Scalar(0);
    for (std::int64_t k = 0; k < n; ++k) sum += Multiply(val[k], x[col_idx[k]]);
    return sum;
  }
  const std::int64_t         whole       = n / lanes * lanes;
  alignas(kStackLine) Scalar lane[lanes] = {};
  for (std::int64_t k = 0; k < whole; k += lanes) {
    prefetch(val + k, lanes);
    prefetch(col_idx + k, lanes);
#pragma omp simd
    for (int t = 0; t < lanes; ++t) lane[t] += Multiply(val[k + t], x[col_idx[k + t]]);
  }
  for (std::int64_t t = 0; t < n - whole; ++t) lane[t] += Multiply(val[whole + t], x[col_idx[whole + t]]);
  TreeSum<lanes>(lane);
  return lane[0];
}

/// The same on devices, for the entries begin .. end-1: lane t of a warp adds up the entries t, t + 32, ...; lane 0 gets the sum.
template <class Warp, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION typename Warp::template PerLane<Scalar> SumOfProductsByWarp(const Warp &warp, const Index *col_idx, const Scalar *val, std::int64_t begin, std::int64_t end, const Scalar *x)
{
  typename Warp::template PerLane<Scalar> sum;
  warp.For([&](int lane) {
    sum[lane] = Scalar(0);
    for (std::int64_t e = begin + lane; e < end; e += kWarp) sum[lane] = Plus(sum[lane], Multiply(Load(val + e), Load(x + Load(col_idx + e))));
  });
  SumOfWarp(warp, sum);
  return sum;
}

/// product[k] = val[k] x[col_idx[k]] for k = 0 .. n-1.
template <bool ahead, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION void MultiplyEntries(const Index *col_idx, const Scalar *val, std::int64_t n, const Scalar *x, const Prefetch<ahead> &prefetch, Scalar *product)
{
  constexpr int      kTogether = 64;
  const std::int64_t whole     = n / kTogether * kTogether;
  for (std::int64_t k = 0; k < whole; k += kTogether) {
    prefetch(val + k, kTogether);
    prefetch(col_idx + k, kTogether);
#pragma omp simd
    for (int i = 0; i < kTogether; ++i) product[k + i] = Multiply(val[k + i], x[col_idx[k + i]]);
  }
#pragma omp simd
  for (std::int64_t k = whole; k < n; ++k) product[k] = Multiply(val[k], x[col_idx[k]]);
}

} // namespace petscspmv
