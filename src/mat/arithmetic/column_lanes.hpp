// The range of many column indices, and their 16-bit offsets, found in lanes. Host only (lanes.hpp).
#pragma once

#include "mat/arithmetic/columns.hpp"
#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/prefetch.hpp"

#include <algorithm>
#include <cstdint>

namespace petscspmv {

/// The least or the greatest of n integers, by halving.
template <bool greatest, class Int, int n>
KOKKOS_FORCEINLINE_FUNCTION Int Extreme(const lanes::Vector<Int, n> &v)
{
  if constexpr (n == 1) {
    return v[0];
  } else {
    const auto a = lanes::Part<0, n / 2, Int, n>(v), b = lanes::Part<n / 2, n / 2, Int, n>(v);
    return Extreme<greatest, Int, n / 2>((greatest ? a > b : a < b) ? a : b);
  }
}

/// Adds n columns to a range and, if `ahead`, prefetches those that follow.
template <bool ahead = true, class Index>
KOKKOS_FORCEINLINE_FUNCTION void AddColumns(const Index *col_idx, std::int64_t n, ColumnRange<Index> &range)
{
  using Int            = lanes::IntOf<Index>;
  constexpr int kWidth = (kRegisterBytes < 32 ? kRegisterBytes : 32) / sizeof(Index); // so that RowLanes' stores are forwarded
  constexpr int kCount = 16 / kWidth, kStep = kCount * kWidth;
  using Vector = lanes::Vector<Int, kWidth>;
  if (n < kStep) {
    for (std::int64_t k = 0; k < n; ++k) range.Add(col_idx[k]);
  } else {
    Vector least[kCount], most[kCount];
    lanes::Unroll<kCount>([&](auto v)
                            PETSCSPMV_INLINE_LAMBDA { least[v] = most[v] = lanes::LoadVector<Vector>(col_idx + v * kWidth); });
    for (std::int64_t k = kStep; k < n; k += kStep) {
      const Index *const step = col_idx + std::min(k, n - kStep); // the last step may overlap the one before
      Prefetch<ahead>()(step, kStep);
      lanes::Unroll<kCount>([&](auto v) PETSCSPMV_INLINE_LAMBDA {
        const Vector column = lanes::LoadVector<Vector>(step + v * kWidth);
        least[v]            = column < least[v] ? column : least[v];
        most[v]             = column > most[v] ? column : most[v];
      });
    }
    lanes::Unroll<kCount - 1>([&](auto v) PETSCSPMV_INLINE_LAMBDA {
      least[0] = least[v + 1] < least[0] ? least[v + 1] : least[0];
      most[0]  = most[v + 1] > most[0] ? most[v + 1] : most[0];
    });
    range.Add(static_cast<Index>(Extreme<false, Int, kWidth>(least[0])));
    range.Add(static_cast<Index>(Extreme<true, Int, kWidth>(most[0])));
  }
}

/// Writes the offsets of n columns from a base.
template <int n, class From, class Index>
KOKKOS_FORCEINLINE_FUNCTION void ConvertLanes(const OffsetFrom<Index> &conversion, const From *from, std::uint16_t *to)
{
  if constexpr (n == 1) {
    *to = conversion(*from);
  } else {
    using Vector = lanes::Vector<From, n>;
    lanes::StoreVector(to, lanes::Converted<std::uint16_t, n, From>(lanes::LoadVector<Vector>(from) -
                                                                    lanes::All<From, n>(static_cast<From>(conversion.base))));
  }
}

} // namespace petscspmv
