// The sums of a chunk's rows, one SIMD lane per row, column after column of the chunk.
#pragma once

#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/mask_lanes.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/value_lanes.hpp"
#include "mat/impls/sellcs/layout.hpp"

#include <cstdint>

namespace petscspmv::sellcs {

/// The values of some lanes, with padding as zeros: `keep` zeroes the lanes whose rows have ended.
template <class X, int Width, class Values, class Keep>
KOKKOS_FORCEINLINE_FUNCTION auto LoadPadded(const Values &values, std::int64_t k, const Keep &keep)
{
  if constexpr (Values::kZeroPadding) return Factors<X, Width>::Load(values, k);
  else return keep(Factors<X, Width>::Load(values, k));
}

/// The column indices of `Width` adjacent rows of a chunk, one for each entry. Padding has an index whose x may be loaded.
template <class X, int Width, class Column, class Index>
struct EachColumn {
  using Sums = Lanes<X, Width>;

  const Column *col_idx;
  const Index  *row_len;
  std::int64_t  height;

  KOKKOS_FORCEINLINE_FUNCTION Sums Load(const X *x, std::int64_t j) const
  {
    return Sums::LoadAt(x, Places<Column>{col_idx + j * height});
  }
  template <bool ahead>
  KOKKOS_FORCEINLINE_FUNCTION void PrefetchColumns(const Prefetch<ahead> &prefetch, std::int64_t j) const
  {
    prefetch(col_idx + j * height, Width);
  }
  /// Calls add(column, keep, entries of x) for the columns that not all rows have; keep zeroes the lanes whose rows have ended.
  template <class Add>
  KOKKOS_FORCEINLINE_FUNCTION void ForPadded(const X *x, std::int64_t j, std::int64_t columns, const Add &add) const
  {
    const auto           length = Sums::Counts::Load(row_len);
    typename Sums::Count now    = static_cast<typename Sums::Count>(j);
    for (; j < columns; ++j, now += 1) {
      const auto keep = [&](const auto &v) PETSCSPMV_INLINE_LAMBDA { return v.IfAbove(now, length); };
      add(j, keep, keep(Load(x, j)));
    }
  }
};

/// The same for chunks with runs: x is loaded in whole registers, even at steps where some rows have no entry.
template <class X, int Width, class Index>
struct RunColumns {
  const RunStep<Index> *steps;

  KOKKOS_FORCEINLINE_FUNCTION Lanes<X, Width> Load(const X *x, std::int64_t j) const
  {
    return Lanes<X, Width>::Load(x + steps[j].first);
  }
  template <bool ahead>
  KOKKOS_FORCEINLINE_FUNCTION void PrefetchColumns(const Prefetch<ahead> &, std::int64_t) const // many chunks share steps
  {
  }
  template <class Add>
  KOKKOS_FORCEINLINE_FUNCTION void ForPadded(const X *x, std::int64_t j, std::int64_t columns, const Add &add) const
  {
    for (; j < columns; ++j) {
      const std::uint32_t there = steps[j].lanes;
      const auto          keep  = [&](const auto &v) PETSCSPMV_INLINE_LAMBDA { return KeepSome(v, there); };
      add(j, keep, keep(Load(x, j)));
    }
  }
};

/// Sums `Width` blocks of `block` rows: sums[r] are those of row r of each block. The first `full` columns have no padding. In the
/// others, padding counts as zero and is multiplied by zero instead of its x, which might be Inf or NaN.
template <int Width, int block, bool ahead, class Values, class ColumnsOf, class X>
KOKKOS_FORCEINLINE_FUNCTION void SumColumns(const ColumnsOf &columns_of, const Values &values, std::int64_t height,
                                            std::int64_t full, std::int64_t columns, const X *x, const Prefetch<ahead> &prefetch,
                                            Lanes<X, Width> (&sums)[block])
{
  Lanes<X, Width> sum[block];
  lanes::Unroll<block>([&](auto r) PETSCSPMV_INLINE_LAMBDA { sum[r] = Lanes<X, Width>::Zero(); });
  std::int64_t j   = 0;
  const auto   add = [&](std::int64_t column, const auto &keep, const auto &of_x) PETSCSPMV_INLINE_LAMBDA {
    columns_of.PrefetchColumns(prefetch, column);
    PrefetchValues(prefetch, values, column * height, block * Width);
    lanes::Unroll<block>([&](auto r) PETSCSPMV_INLINE_LAMBDA {
      sum[r] = sum[r].PlusProduct(LoadPadded<X, Width>(values, column * height + r * Width, keep), of_x);
    });
  };
  const auto all = [](const auto &v) PETSCSPMV_INLINE_LAMBDA { return v; };
  for (; j + 1 < full; j += 2) {
    add(j, all, columns_of.Load(x, j));
    add(j + 1, all, columns_of.Load(x, j + 1));
  }
  if (j < full) {
    add(j, all, columns_of.Load(x, j));
    ++j;
  }
  if (j < columns) columns_of.ForPadded(x, j, columns, add);
  lanes::Unroll<block>([&](auto r) PETSCSPMV_INLINE_LAMBDA { sums[r] = sum[r]; });
}

} // namespace petscspmv::sellcs
