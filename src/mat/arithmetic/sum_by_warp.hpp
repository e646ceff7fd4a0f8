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
    sum[lane] = Scalar(0);
    for (std::int64_t e = begin + lane; e < end; e += kWarp)
      sum[lane] = Plus(sum[lane], Multiply(Load(val + e), Load(x + Load(col_idx + e))));
  });
  SumOfWarp(warp, sum);
  return sum;
}

} // namespace petscspmv
