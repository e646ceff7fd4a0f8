// y = A x and y = v + A x in SELL-C-sigma (paper, Listing 4), host mapping: one SIMD lane per row.
#pragma once

#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/packs.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/scratch.hpp"
#include "mat/arithmetic/store_lanes.hpp"
#include "mat/arithmetic/sum.hpp"
#include "mat/arithmetic/value_lanes.hpp"
#include "mat/exec/host.hpp"
#include "mat/impls/sellcs/layout.hpp"
#include "mat/impls/sellcs/sum_columns.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace petscspmv::sellcs {

/// Lanes processed together if chunks do not have the compile-time height.
inline constexpr int kLanes = 8;

/// The products with chunks.
template <bool add, bool ahead, class Scalar, class Index, class X, class Y>
struct ChunkProducts {
  Chunks<Scalar, Index> a;
  Prefetch<ahead>       prefetch;
  const X              *x;
  Y                     y; // scalars, a Result, or rows of packs (arithmetic/store.hpp)

  /// The product with a chunk of a compile-time height, or with Height 0 of any height. If block > 1, rows of a block may share
  /// columns. Inlined: chunks of short rows have as few as 32 entries, and a call would save and restore all registers.
  template <int Height, int block>
  KOKKOS_FORCEINLINE_FUNCTION void Mult(std::int64_t c) const
  {
    a.template PrefetchChunks<block>(prefetch, c);
    if (a.IsEmpty(c) && !StoresEmpty<add>(y)) return; // as for most chunks of an off-diagonal matrix
    if constexpr (block > 1) {
      if (SumsBlocks(c)) MultLanes<Height, Height / block, block>(c, 0);
      else MultRows(c);
    } else if constexpr (Height > 0) {
      MultLanes<Height, Height, 1>(c, 0);
    } else {
      std::int64_t lane = 0;
      for (; lane + kLanes <= a.height; lane += kLanes) MultLanes<0, kLanes, 1>(c, lane);
      for (; lane < a.height; ++lane) MultLane(c, lane);
    }
  }

  /// The product with a chunk of any height. Not inlined: one copy of its code is enough.
  __attribute__((noinline)) void MultRows(std::int64_t c) const { Mult<0, 1>(c); }

private:
  /// With real numbers, the rows of a block are summed together whatever the kind of their values; with complex numbers and packs,
  /// whose code is large, only if the values are full.
  static constexpr bool kAllKinds = std::is_floating_point_v<X>;

  KOKKOS_FORCEINLINE_FUNCTION bool SumsBlocks(std::int64_t c) const
  {
    return a.SharesColumns(c) && (kAllKinds || !a.values.place || a.values.place[c].Kind() == ValueKind::Full);
  }

  template <int Height, int Width, int blocks>
  KOKKOS_FORCEINLINE_FUNCTION void MultLanes(std::int64_t c, std::int64_t lane) const
  {
    Lanes<X, Width> sums[blocks];
    const auto      sum = [&](const auto &values) PETSCSPMV_INLINE_LAMBDA {
      const auto of_lanes = values.From(lane);
      if constexpr (Height > 0 && blocks == 1) {
        if (a.HasRuns(c)) return SumRows<Height>(c, RunColumns<X, Width, Index>{a.Steps(c)}, of_lanes, x + a.run_base[c], sums);
      }
      const std::int64_t of_columns = Height ? Height / blocks : a.ColumnLanes(c);
      a.columns.With(c, a.ColumnsBegin(c), x, [&]<class Column>(const Column *col_idx, const X *x_from) PETSCSPMV_INLINE_LAMBDA {
        const EachColumn<X, Width, Column, Index> columns_of{col_idx + (Height ? 0 : lane % of_columns),
                                                             a.row_len + c * (Height ? Height : a.height) + lane, of_columns};
        SumRows<Height>(c, columns_of, of_lanes, x_from, sums);
      });
    };
    if constexpr (blocks == 1 || kAllKinds) a.values.With(c, a.chunk_ptr[c], sum);
    else sum(FullValues<Scalar>{a.values.full + a.values.FullAt(c, a.chunk_ptr[c])});
    lanes::Unroll<blocks>([&](auto r) PETSCSPMV_INLINE_LAMBDA { StoreSums<Height>(c, lane + r * Width, sums[r]); });
  }

  template <int Height, int Width, int blocks, class ColumnsOf, class Values>
  KOKKOS_FORCEINLINE_FUNCTION void SumRows(std::int64_t c, const ColumnsOf &columns_of, const Values &values, const X *x_from,
                                           Lanes<X, Width> (&sums)[blocks]) const
  {
    const std::int64_t height = Height ? Height : a.height, full = a.full[c],
                       columns = a.rest_ptr ? full : (a.chunk_ptr[c + 1] - a.chunk_ptr[c]) / height;
    SumColumns(columns_of, values, height, full, columns, x_from, prefetch, sums);
  }

  template <int Height, int Width>
  KOKKOS_FORCEINLINE_FUNCTION void StoreSums(std::int64_t c, std::int64_t lane, const Lanes<X, Width> &sums) const
  {
    const std::int64_t slot = c * (Height ? Height : a.height) + lane;
    if (!a.perm && !a.rest_ptr && slot + Width <= a.rows) return StoreLanes(slot, sums);
    Scratch<X, Width> buffer;
    X                *sum = buffer.data();
    sums.Store(sum);
    if (a.rest_ptr) {
      for (int i = 0; i < Width; ++i) sum[i] = AddRest(c, slot + i, sum[i]);
    }
    if (slot + Width > a.rows) StoreRows(sum, slot, std::min<std::int64_t>(Width - 1, a.rows - slot));
    else StoreRows(sum, slot, Width);
  }

  /// Stores sums of rows that were not moved: they are consecutive in y.
  template <int Width>
  KOKKOS_FORCEINLINE_FUNCTION void StoreLanes(std::int64_t slot, const Lanes<X, Width> &sums) const
  {
    if constexpr (std::is_same_v<X, Scalar>) petscspmv::StoreLanes<add>(y, slot, sums);
    else petscspmv::StoreRows<add>(y, slot, Width, [&](std::int64_t i) PETSCSPMV_INLINE_LAMBDA { return sums.v[i]; });
  }

  /// One row, in the same order of operations as a lane.
  void MultLane(std::int64_t c, std::int64_t lane) const
  {
    const std::int64_t slot = c * a.height + lane, columns = std::min<std::int64_t>(a.row_len[slot], a.Width(c)),
                       begin = a.chunk_ptr[c];
    if (slot >= a.rows) return;
    X sum{};
    for (std::int64_t j = 0; j < columns; ++j)
      sum = PlusProduct(sum, a.values.Value(c, begin, j * a.height + lane), x[a.columns.Column(c, begin, j * a.height + lane)]);
    Store<add>(y[a.RowOf(slot)], a.rest_ptr ? AddRest(c, slot, sum) : sum);
  }

  /// Adds the rest of a row beyond the columns (TSELL-C-sigma).
  KOKKOS_FORCEINLINE_FUNCTION X AddRest(std::int64_t c, std::int64_t slot, X sum) const
  {
    const std::int64_t begin = a.chunk_ptr[c], first = a.rest_ptr[slot] - begin;
    return a.values.With(c, begin, [&](const auto &values) {
      return a.columns.With(c, begin, x, [&](const auto *col_idx, const X *x_from) {
        for (std::int64_t e = first; e < first + a.row_len[slot] - a.full[c]; ++e)
          sum = PlusProduct(sum, values[e], x_from[col_idx[e]]);
        return sum;
      });
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION void StoreRows(const X *sum, std::int64_t slot, std::int64_t lanes) const
  {
    for (std::int64_t i = 0; i < lanes; ++i) Store<add>(y[a.RowOf(slot + i)], sum[i]);
  }
};

/// The product with all chunks, of height Height or, if that is 0, of any height.
template <int Height, int block, class Products>
struct MultChunk {
  Products of;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t c) const
  {
    if constexpr (Height > 0) of.template Mult<Height, block>(c);
    else of.MultRows(c);
  }
};

/// The product of layouts with runs, whose values are all full and whose rows were not moved: what a product has to know of a chunk
/// with runs stays in registers. Other chunks are multiplied as usual.
template <bool add, int Height, bool ahead, class Scalar, class Index, class Y>
struct MultRuns {
  ChunkProducts<add, ahead, Scalar, Index, Scalar, Y> of;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t c) const
  {
    const Chunks<Scalar, Index> &a = of.a;
    if ((c + 1) * Height > a.rows || !a.HasRuns(c)) return MultAny(c);
    a.PrefetchChunks(of.prefetch, c);
    const std::int64_t    begin = a.chunk_ptr[c], columns = (a.chunk_ptr[c + 1] - begin) / Height;
    Lanes<Scalar, Height> sums[1];
    SumColumns(RunColumns<Scalar, Height, Index>{a.Steps(c)}, FullValues<Scalar>{a.values.full + begin}, Height,
               std::int64_t{a.full[c]}, columns, of.x + a.run_base[c], of.prefetch, sums);
    StoreLanes<add>(of.y, c * Height, sums[0]);
  }

private:
  __attribute__((noinline)) void MultAny(std::int64_t c) const { of.template Mult<Height, 1>(c); }
};

/// The sum of a piece of a long row.
template <bool ahead, class Scalar, class Index, class X>
struct MultPiece {
  const std::int64_t *piece_ptr;
  const Index        *col_idx;
  const Scalar       *val;
  const X            *x;
  Prefetch<ahead>     prefetch;
  X                  *sum;

  void operator()(std::int64_t piece) const
  {
    const std::int64_t begin = piece_ptr[piece];
    sum[piece]               = SumOfProducts(col_idx + begin, val + begin, piece_ptr[piece + 1] - begin, x, prefetch);
  }
};

/// Adds the sums of long rows to y, where the chunks, which have an empty lane for each, have stored v or zero.
template <bool ahead, OnProcessor Exec, class Scalar, class Index, class X, class Y>
void AddRemainder(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const X *x, const Prefetch<ahead> &prefetch, Y y)
{
  const auto &r   = layout.remainder;
  X          *sum = static_cast<X *>(exec.workspace());
  exec.For("SELLCSMultRemainder", r.Pieces(), r.val.size(),
           MultPiece<ahead, Scalar, Index, X>{r.piece_ptr.data(), r.col_idx.data(), r.val.data(), x, prefetch, sum});
  for (std::size_t piece = 0; piece < r.row.size(); ++piece) AddToStored(y[r.row[piece]], sum[piece]);
}

/// x holds scalars or packs.
template <bool add, OnProcessor Exec, class Scalar, class Index, class X, class Y>
void Mult(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const X *x, Y y)
{
  constexpr int     kHeight = DefaultChunk<Exec, Scalar>();
  const std::size_t work    = static_cast<std::size_t>(layout.entries + layout.rows);
  WithPrefetch(exec, layout.values.Bytes() + layout.columns.Bytes() + layout.runs.Bytes() + layout.remainder.Bytes(),
               [&]<bool ahead>(const Prefetch<ahead> &prefetch) {
                 using Products = ChunkProducts<add, ahead, Scalar, Index, X, Y>;
                 const Products of{Chunks(layout), prefetch, x, y};
                 const auto     mult = [&]<int Height, int block>() {
                   exec.For("SELLCSMult", layout.chunks, work, MultChunk<Height, block, Products>{of});
                 };
                 if constexpr (std::is_same_v<X, Scalar>) {
                   if (layout.runs.entries > 0 && layout.values.place.size() == 0 && layout.perm.size() == 0) {
                     exec.For("SELLCSMultRuns", layout.chunks, work, MultRuns<add, kHeight, ahead, Scalar, Index, Y>{of});
                     return AddRemainder(exec, layout, x, prefetch, y);
                   }
                 }
                 if (layout.block == 2) mult.template operator()<2 * kHeight, 2>();
                 else if (layout.block == 3) mult.template operator()<3 * kHeight, 3>();
                 else if (layout.block == 4) mult.template operator()<4 * kHeight, 4>();
                 else if (layout.height == kHeight) mult.template operator()<kHeight, 1>();
                 else mult.template operator()<0, 1>();
                 AddRemainder(exec, layout, x, prefetch, y);
               });
}

/// Products with several vectors, each with the same bits as a single product, which needs `own_workspace` bytes.
template <bool add, OnProcessor Exec, class Scalar, class Index>
void MultMany(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, std::size_t own_workspace, Vectors<const Scalar> x,
              Vectors<Scalar> y)
{
  InPacks(
    exec, layout.cols, own_workspace, x, y, [&](const auto *packs, const auto &rows) { Mult<add>(exec, layout, packs, rows); },
    [&](const Scalar *vector, Scalar *product) { Mult<add>(exec, layout, vector, SingleY<add>(product)); });
}

} // namespace petscspmv::sellcs
