// The range of many column indices, in lanes. Host only (lanes.hpp).
#pragma once

#include "mat/arithmetic/columns.hpp"
#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/prefetch.hpp"

#include <cstdint>

namespace petscspmv {

/// Adds n columns to a range.
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION void AddColumns(const Index *col_idx, std::int64_t n, ColumnRange<Index> &range)
{
  constexpr int kTogether = 16;
  using Vector            = lanes::Vector<lanes::IntOf<Index>, kRegisterBytes / sizeof(Index)>;
  constexpr int kCount    = kTogether / (kRegisterBytes / sizeof(Index)) > 0 ? kTogether / (kRegisterBytes / sizeof(Index)) : 1,
                kStep     = kCount * (kRegisterBytes / sizeof(Index));
  std::int64_t k          = 0;
  if (n >= kStep) {
    Vector least[kCount], most[kCount];
    lanes::Unroll<kCount>(
      [&](auto v) PETSCSPMV_INLINE_LAMBDA { least[v] = most[v] = lanes::LoadVector<Vector>(col_idx + v * (kStep / kCount)); });
    for (k = kStep; k + kStep <= n; k += kStep) {
      Prefetch<true>()(col_idx, kStep, k);
      lanes::Unroll<kCount>([&](auto v) PETSCSPMV_INLINE_LAMBDA {
        const Vector column = lanes::LoadVector<Vector>(col_idx + k + v * (kStep / kCount));
        least[v]            = column < least[v] ? column : least[v];
        most[v]             = column > most[v] ? column : most[v];
      });
    }
    Index ends[2][kStep];
    __builtin_memcpy(ends[0], least, sizeof(least));
    __builtin_memcpy(ends[1], most, sizeof(most));
    for (int i = 0; i < kStep; ++i) {
      range.Add(ends[0][i]);
      range.Add(ends[1][i]);
    }
  }
  for (; k < n; ++k) range.Add(col_idx[k]);
}

} // namespace petscspmv
