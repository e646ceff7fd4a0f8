// y = A x and y += A x in SELL-C-sigma (paper, Listing 4), host mapping: a SIMD lane a row.
#pragma once

#include "mat/arithmetic/column_lanes.hpp"
#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/scratch.hpp"
#include "mat/arithmetic/sum.hpp"
#include "mat/arithmetic/value_lanes.hpp"
#include "mat/exec/host.hpp"
#include "mat/impls/sellcs/layout.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace petscspmv::sellcs {

/// Lanes side by side where the height of the chunks is not the compiled one.
inline constexpr int kLanes = 8;

/// The values of some lanes, padding as zeros: `keep` does so with those of lanes whose rows have not ended.
template <int Width, class Values, class Keep>
KOKKOS_FORCEINLINE_FUNCTION auto LoadPadded(const Values &values, std::int64_t k, const Keep &keep)
{
  if constexpr (Values::kZeroPadding) return LoadValues<Width>(values, k);
  else return keep(LoadValues<Width>(values, k));
}

/// The columns of `Width` neighbouring rows of a chunk with plain indices. The first `full` of them all rows fill; beyond, padding
/// counts as zero, and has zero as its x: not Inf or NaN.
template <int Width, bool ahead, class Val, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION Lanes<Scalar, Width> SumColumns(const Index *col_idx, const Val &val, std::int64_t height,
                                                            const Index *row_len, std::int64_t full, std::int64_t columns,
                                                            const Scalar *x, const Prefetch<ahead> &prefetch)
{
  using Values     = Lanes<Scalar, Width>;
  Values       sum = Values::Zero();
  std::int64_t j   = 0;
  const auto   add = [&](const auto &keep) PETSCSPMV_INLINE_LAMBDA {
    const std::int64_t at = j * height;
    PrefetchValues(prefetch, val, at, Width);
    prefetch(col_idx + at, Width);
    sum = sum.PlusProduct(LoadPadded<Width>(val, at, keep), keep(Values::LoadAt(x, PlainPlaces<Index>{col_idx + at})));
  };
  for (; j < full; ++j) add([](const Values &v) PETSCSPMV_INLINE_LAMBDA { return v; });
  if (j < columns) {
    const auto             length = Values::Counts::Load(row_len);
    typename Values::Count now    = static_cast<typename Values::Count>(j);
    for (; j < columns; ++j, now += 1) add([&](const Values &v) PETSCSPMV_INLINE_LAMBDA { return v.IfAbove(now, length); });
  }
  return sum;
}

/// The same for pairs of columns, x beginning at the chunk's base. Of the last pair the second column may be missing.
template <int Width, bool ahead, class Val, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION Lanes<Scalar, Width> SumPairs(const std::int32_t *pairs, const Val &val, std::int64_t height,
                                                          const Index *row_len, std::int64_t full, std::int64_t columns,
                                                          const Scalar *x, const Prefetch<ahead> &prefetch)
{
  using Values     = Lanes<Scalar, Width>;
  Values       sum = Values::Zero();
  std::int64_t j   = 0;
  const auto   add = [&]<bool second>(std::bool_constant<second>, const auto &keep) PETSCSPMV_INLINE_LAMBDA {
    const std::int64_t  at   = (j + second) * height;
    const std::int32_t *pair = pairs + j / 2 * height;
    PrefetchValues(prefetch, val, at, Width);
    if (!second) prefetch(pair, Width);
    sum = sum.PlusProduct(LoadPadded<Width>(val, at, keep), keep(Values::LoadAt(x, OffsetPlaces<second>{pair})));
  };
  const auto all = [](const Values &v) PETSCSPMV_INLINE_LAMBDA { return v; };
  for (; j + 1 < full; j += 2) {
    add(std::false_type(), all);
    add(std::true_type(), all);
  }
  if (j == columns) return sum;
  if (j + 1 == columns && full == columns) { // the last half of a pair
    add(std::false_type(), all);
    return sum;
  }
  const auto             length = Values::Counts::Load(row_len);
  typename Values::Count now    = static_cast<typename Values::Count>(j);
  const auto             within = [&](const Values &v) PETSCSPMV_INLINE_LAMBDA { return v.IfAbove(now, length); };
  for (; j + 1 < columns; j += 2, now += 1) {
    add(std::false_type(), within);
    now += 1;
    add(std::true_type(), within);
  }
  if (j < columns) add(std::false_type(), within);
  return sum;
}

/// Product with chunks of one height; 0: of any.
template <bool add, int Height, bool ahead, class Scalar, class Index>
struct MultChunk {
  Chunks<Scalar, Index> a;
  Prefetch<ahead>       prefetch;
  const Scalar         *x;
  Scalar               *y;

  /// Inlined: chunks of short rows have as few as 32 entries, and a call would save and restore all registers.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t c) const
  {
    a.PrefetchChunks(prefetch, c);
    if (add && a.IsEmpty(c)) return; // most chunks of an off-diagonal block
    if constexpr (Height > 0) {
      MultLanes<Height>(c, 0);
    } else {
      std::int64_t lane = 0;
      for (; lane + kLanes <= a.height; lane += kLanes) MultLanes<kLanes>(c, lane);
      for (; lane < a.height; ++lane) MultLane(c, lane);
    }
  }

private:
  template <int Width>
  KOKKOS_FORCEINLINE_FUNCTION void MultLanes(std::int64_t c, std::int64_t lane) const
  {
    const std::int64_t   height = Height ? Height : a.height, slot = c * height + lane, begin = a.chunk_ptr[c], full = a.full[c];
    const std::int64_t   columns = a.rest_ptr ? full : (a.chunk_ptr[c + 1] - begin) / height;
    const Index         *row_len = a.row_len + slot;
    Lanes<Scalar, Width> sums;
    a.values.With(c, begin, [&](const auto &values) PETSCSPMV_INLINE_LAMBDA {
      const auto val = values.From(lane);
      if (a.columns.HasOffsets(c))
        sums = SumPairs<Width>(a.columns.Pairs(c) + lane, val, height, row_len, full, columns, x + a.columns.base[c], prefetch);
      else
        sums =
          SumColumns<Width>(a.columns.plain + a.columns.PlainAt(c, begin) + lane, val, height, row_len, full, columns, x, prefetch);
    });
    if (!a.perm && !a.rest_ptr && slot + Width <= a.rows) {
      if constexpr (add) sums = Lanes<Scalar, Width>::Load(y + slot) + sums;
      return sums.Store(y + slot);
    }
    Scratch<Scalar, Width> buffer;
    Scalar                *sum = buffer.data();
    sums.Store(sum);
    if (a.rest_ptr) {
      for (int i = 0; i < Width; ++i) sum[i] = AddRest(c, slot + i, sum[i]);
    }
    if (slot + Width > a.rows) StoreRows(sum, slot, std::min<std::int64_t>(Width - 1, a.rows - slot));
    else StoreRows(sum, slot, Width);
  }

  /// One row, as the lanes do it.
  void MultLane(std::int64_t c, std::int64_t lane) const
  {
    const std::int64_t slot = c * a.height + lane, columns = std::min<std::int64_t>(a.row_len[slot], a.Width(c)),
                       begin = a.chunk_ptr[c];
    if (slot >= a.rows) return;
    Scalar sum = Scalar(0);
    for (std::int64_t j = 0; j < columns; ++j)
      sum = PlusProduct(sum, a.values.Value(c, begin, j * a.height + lane), x[a.columns.Column(c, begin, j, a.height, lane)]);
    Store<add>(y[a.RowOf(slot)], a.rest_ptr ? AddRest(c, slot, sum) : sum);
  }

  /// What the columns leave of a row (TSELL-C-sigma).
  KOKKOS_FORCEINLINE_FUNCTION Scalar AddRest(std::int64_t c, std::int64_t slot, Scalar sum) const
  {
    const std::int64_t first = a.rest_ptr[slot], begin = a.chunk_ptr[c];
    const Index       *col_idx = a.columns.plain + a.columns.PlainAt(c, begin);
    return a.values.With(c, begin, [&](const auto &values) {
      for (std::int64_t e = first - begin; e < first - begin + a.row_len[slot] - a.full[c]; ++e)
        sum = PlusProduct(sum, values[e], x[col_idx[e]]);
      return sum;
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void StoreRows(const Scalar *sum, std::int64_t slot, std::int64_t lanes) const
  {
    for (std::int64_t i = 0; i < lanes; ++i) Store<add>(y[a.RowOf(slot + i)], sum[i]);
  }
};

/// Sum of a piece of a long row.
template <bool ahead, class Scalar, class Index>
struct MultPiece {
  const std::int64_t *piece_ptr;
  const Index        *col_idx;
  const Scalar       *val;
  const Scalar       *x;
  Prefetch<ahead>     prefetch;
  Scalar             *sum;

  void operator()(std::int64_t piece) const
  {
    const std::int64_t begin = piece_ptr[piece];
    sum[piece]               = SumOfProducts(col_idx + begin, val + begin, piece_ptr[piece + 1] - begin, x, prefetch);
  }
};

/// Adds the long rows to y, where their lanes in the chunks have left a zero.
template <bool ahead, OnProcessor Exec, class Scalar, class Index>
void AddRemainder(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Scalar *x, const Prefetch<ahead> &prefetch,
                  Scalar *y)
{
  const auto &r   = layout.remainder;
  Scalar     *sum = static_cast<Scalar *>(exec.workspace());
  exec.For("SELLCSMultRemainder", r.Pieces(), r.val.size(),
           MultPiece<ahead, Scalar, Index>{r.piece_ptr.data(), r.col_idx.data(), r.val.data(), x, prefetch, sum});
  for (std::size_t piece = 0; piece < r.row.size(); ++piece) y[r.row[piece]] = Plus(y[r.row[piece]], sum[piece]);
}

template <bool add, OnProcessor Exec, class Scalar, class Index>
void Mult(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  constexpr int     kHeight = DefaultChunk<Exec, Scalar>();
  const std::size_t work    = static_cast<std::size_t>(layout.entries + layout.rows);
  WithPrefetch(
    exec, layout.values.Bytes() + layout.columns.Bytes() + layout.remainder.Bytes(),
    [&]<bool ahead>(const Prefetch<ahead> &prefetch) {
      if (layout.height == kHeight)
        exec.For("SELLCSMult", layout.chunks, work, MultChunk<add, kHeight, ahead, Scalar, Index>{Chunks(layout), prefetch, x, y});
      else
        exec.For("SELLCSMult", layout.chunks, work,
                 MultChunk<add, 0, false, Scalar, Index>{Chunks(layout), Prefetch<false>(), x, y});
      AddRemainder(exec, layout, x, prefetch, y);
    });
}

} // namespace petscspmv::sellcs
