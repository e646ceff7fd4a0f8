// y = A x and y = v + A x in CSR5 (paper, section 4, Algorithm 8), host mapping: a worker takes a block of tiles.
#pragma once

#include "mat/arithmetic/packs.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/store.hpp"
#include "mat/exec/host.hpp"
#include "mat/impls/csr5/layout.hpp"
#include "mat/impls/csr5/segments.hpp"
#include "mat/impls/csr5/tiles.hpp"

#include <cstdint>
#include <type_traits>

namespace petscspmv::csr5 {

/// The product with a block of tiles. Rows that begin in the block are stored to y; the block's part of a row that began before it
/// goes to carry[block], to be added in order afterwards.
template <SegmentedSum how, bool add, class Scalar, class Index, int Omega, int Sigma, bool ahead, class X, class Y>
struct MultBlock {
  Tiles<Scalar, Index, Omega, Sigma> a;
  Prefetch<ahead>                    prefetch;
  TileBlocks                         blocks;
  const std::uint8_t                *continues;
  const X                           *x;
  Y                                  y; // scalars, a Result, or rows of packs (arithmetic/store.hpp)
  X                                 *carry;

  void operator()(std::int64_t block) const
  {
    TileBuffer<X, Omega, Sigma, !std::is_same_v<X, Scalar>> buffer;
    const std::int64_t                                      first = blocks.Begin(block), end = blocks.End(block);
    Index                open = static_cast<Index>(RemoveSign(a.tile_ptr[first])); // the row whose sum is not complete yet
    X                    sum{};
    bool                 to_carry = continues[block];
    const std::uint16_t *end_of   = a.segment_end + a.block_ptr[block];
    for (std::int64_t tile = first; tile < end; ++tile) {
      const bool  empty = HasEmptyRows(a.tile_ptr[tile]);
      const Index row   = static_cast<Index>(RemoveSign(a.tile_ptr[tile]));
      a.PrefetchTiles(prefetch, tile, end_of);
      const Segments<X> segments = SumSegments<how>(a, tile, x, prefetch, end_of, buffer);
      const int         last     = segments.count - 1;
      end_of += last;
      if (row != open) {
        Close(block, open, sum, to_carry);
        open = row;
        sum  = X{};
      }
      sum = Plus(sum, segments.First());
      if (empty && StoresEmpty<add>(y)) StoreEmptyRows(tile);
      if (last == 0) continue;
      Close(block, open, sum, to_carry);
      if (empty) {
        const Index *offset = a.empty_offset + a.empty_ptr[tile];
        for (int k = 1; k < last; ++k) Store<add>(y[row + offset[k]], segments.Inner(k));
        open = row + offset[last];
      } else {
        StoreRows<add>(y, row + 1, last - 1,
                       [&](std::int64_t k) PETSCSPMV_INLINE_LAMBDA { return segments.Inner(static_cast<int>(k) + 1); });
        open = row + last;
      }
      sum = segments.last;
    }
    Close(block, open, sum, to_carry);
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION void Close(std::int64_t block, Index row, const X &sum, bool &to_carry) const
  {
    if (to_carry) carry[block] = sum;
    else Store<add>(y[row], sum);
    to_carry = false;
  }

  /// Stores the result of an empty row to all rows between the tile's first and the next tile's first. The empty ones among them
  /// belong to no other tile; the others are overwritten later.
  void StoreEmptyRows(std::int64_t tile) const
  {
    const Index end = static_cast<Index>(RemoveSign(a.tile_ptr[tile + 1]));
    for (Index row = static_cast<Index>(RemoveSign(a.tile_ptr[tile])) + 1; row < end; ++row) StoreEmpty<add, X>(y, row);
  }
};

/// The incomplete tile, row by row as in CSR.
template <bool add, OnProcessor Exec, class Scalar, class Index, class X, class Y>
void MultTail(const Layout<Scalar, Index, Exec> &layout, const X *x, Y y)
{
  const std::size_t rows = layout.tail_row.size();
  if (StoresEmpty<add>(y)) {
    for (std::int64_t row = static_cast<std::int64_t>(RemoveSign(layout.tile_ptr[static_cast<std::size_t>(layout.complete)])) + 1;
         row < layout.rows; ++row)
      StoreEmpty<add, X>(y, row);
  }
  if (rows == 0) return;
  const std::int64_t begin   = layout.CompleteEntries();
  const Index       *col_idx = ColumnsView<Index>(layout.columns).Plain(layout.complete, begin);
  const Scalar      *val     = layout.values.full.data() + ValuesView<Scalar>(layout.values).FullAt(layout.complete, begin);
  for (std::size_t k = 0; k < rows; ++k) {
    X sum{};
    for (std::int64_t e = layout.tail_ptr[k]; e < layout.tail_ptr[k + 1]; ++e)
      sum = PlusProduct(sum, val[e - begin], x[col_idx[e - begin]]);
    if (k == 0 && layout.continues[static_cast<std::size_t>(layout.Blocks())]) AddToStored(y[layout.tail_row[k]], sum);
    else Store<add>(y[layout.tail_row[k]], sum);
  }
}

template <SegmentedSum how, bool add, int Omega, int Sigma, bool ahead, OnProcessor Exec, class Scalar, class Index, class X,
          class Y>
void MultTiles(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const X *x, Y y)
{
  const TileBlocks blocks = layout.CompleteBlocks();
  X               *carry  = static_cast<X *>(exec.workspace());
  if (StoresEmpty<add>(y)) {
    const Index first = static_cast<Index>(RemoveSign(layout.tile_ptr[0]));
    for (Index row = 0; row < first; ++row) StoreEmpty<add, X>(y, row);
  }
  exec.For("CSR5Mult", blocks.Count(), static_cast<std::size_t>(layout.nnz),
           MultBlock<how, add, Scalar, Index, Omega, Sigma, ahead, X, Y>{
             Tiles<Scalar, Index, Omega, Sigma>(layout), {}, blocks, layout.continues.data(), x, y, carry});
  for (std::int64_t block = 0; block < blocks.Count(); ++block) {
    if (!layout.continues[static_cast<std::size_t>(block)]) continue;
    AddToStored(y[static_cast<std::int64_t>(RemoveSign(layout.tile_ptr[static_cast<std::size_t>(blocks.Begin(block))]))],
                carry[block]);
  }
  MultTail<add>(layout, x, y);
}

/// The paper's prefix sums, and shapes other than the default, have run-time omega and sigma and no prefetching. x holds scalars
/// or, with the default shape, packs.
template <bool add, OnProcessor Exec, class Scalar, class Index, class X, class Y>
void Mult(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const X *x, Y y)
{
  if constexpr (std::is_same_v<X, Scalar>) {
    if (layout.segmented_sum == SegmentedSum::Prefix) return MultTiles<SegmentedSum::Prefix, add, 0, 0, false>(exec, layout, x, y);
  }
  WithShape<Exec>(layout.fields, [&]<int Omega, int Sigma>() {
    if constexpr (Omega > 0) {
      WithPrefetch(exec, layout.values.Bytes() + layout.columns.Bytes(), [&]<bool ahead>(Prefetch<ahead>) {
        MultTiles<SegmentedSum::Separate, add, Omega, Sigma, ahead>(exec, layout, x, y);
      });
    } else if constexpr (std::is_same_v<X, Scalar>) MultTiles<SegmentedSum::Separate, add, 0, 0, false>(exec, layout, x, y);
  });
}

/// Products with several vectors, each with the same bits as a single product, which needs `own_workspace` bytes.
template <bool add, OnProcessor Exec, class Scalar, class Index>
void MultMany(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, std::size_t own_workspace, Vectors<const Scalar> x,
              Vectors<Scalar> y)
{
  const auto single = [&](const Scalar *vector, Scalar *product) { Mult<add>(exec, layout, vector, SingleY<add>(product)); };
  bool       packs  = layout.segmented_sum == SegmentedSum::Separate;
  WithShape<Exec>(layout.fields, [&]<int Omega, int Sigma>() { packs = packs && Omega > 0; });
  if (!packs) {
    for (std::int64_t k = 0; k < x.count; ++k) single(x[k], y[k]);
    return;
  }
  InPacks(
    exec, layout.cols, own_workspace, x, y, [&](const auto *packs, const auto &rows) { Mult<add>(exec, layout, packs, rows); },
    single);
}

} // namespace petscspmv::csr5
