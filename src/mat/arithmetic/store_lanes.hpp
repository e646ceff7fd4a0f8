// How kernels store the sums of consecutive rows from lanes.
#pragma once

#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/store.hpp"

#include <cstdint>

namespace petscspmv {

/// Stores a lane to each of n consecutive rows.
template <bool add, class T, int n>
KOKKOS_FORCEINLINE_FUNCTION void StoreLanes(T *y, std::int64_t row, const Lanes<T, n> &sums)
{
  if constexpr (add) (Lanes<T, n>::Load(y + row) + sums).Store(y + row);
  else sums.Store(y + row);
}
template <bool add, class T, int n>
KOKKOS_FORCEINLINE_FUNCTION void StoreLanes(const Result<T> &result, std::int64_t row, const Lanes<T, n> &sums)
{
  const auto v = Lanes<T, n>::Load(result.v + row);
  (result.minus ? v - sums : v + sums).Store(result.y + row);
}

} // namespace petscspmv
