// The sum of consecutive entries of one row by a warp.
#pragma once

#include "mat/arithmetic/load.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/warp.hpp"

#include <cstdint>

namespace petscspmv {

/// Sum of val[k] x[col_idx[k]] for k = begin .. end-1: lane t adds up the entries begin + t, begin + t + 32, ...; lane 0 gets the
/// sum.
template <class Warp, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION typename Warp::template PerLane<Scalar> SumOfProductsByWarp(const Warp &warp, const Index *col_idx,
                                                                                        const Scalar *val, std::int64_t begin,
                                                                                        std::int64_t end, const Scalar *x)
{
  typename Warp::template PerLane<Scalar> sum;
  warp.For([&](int lane) {
    constexpr int kTogether = 4; // loads in flight
    const auto    product   = [&](std::int64_t e) { return Multiply(LoadOnce(val + e), Load(x + LoadOnce(col_idx + e))); };
    std::int64_t  e         = begin + lane;
    sum[lane]               = Scalar(0);
    for (; e + (kTogether - 1) * kWarp < end; e += kTogether * kWarp) {
      Scalar products[kTogether];
      for (int k = 0; k < kTogether; ++k) products[k] = product(e + k * kWarp);
      for (int k = 0; k < kTogether; ++k) sum[lane] = Plus(sum[lane], products[k]);
    }
    for (; e < end; e += kWarp) sum[lane] = Plus(sum[lane], product(e));
  });
  SumOfWarp(warp, sum);
  return sum;
}

} // namespace petscspmv
