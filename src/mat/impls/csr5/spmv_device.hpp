// y = A x and y += A x in CSR5 (paper, section 4, Algorithm 8), device mapping: a warp per tile, a lane per column.
#pragma once

#include "mat/arithmetic/add_by_row.hpp"
#include "mat/arithmetic/load.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/sum_by_warp.hpp"
#include "mat/arithmetic/warp.hpp"
#include "mat/exec/host.hpp"
#include "mat/impls/csr5/layout.hpp"
#include "mat/impls/csr5/tiles.hpp"

#include <cstdint>

namespace petscspmv::csr5 {

/// Steps whose loads are in flight together.
inline constexpr int kStepsTogether = 4;

/// The product with a complete tile or, after those, with a row of the incomplete one. Rows that begin in a tile are stored to y;
/// the tile's part of a row that began before it goes to carry[tile], to be added in order afterwards.
template <SegmentedSum how, bool add, class Scalar, class Index>
struct MultByWarp {
  Tiles<Scalar, Index, 0, 0> a;
  const std::int64_t        *tail_ptr;
  const Index               *tail_row;
  const std::uint8_t        *continues;
  const Scalar              *x;
  Scalar                    *y;
  Scalar                    *carry;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t item) const
  {
    if (item < a.complete) MultTile(warp, item);
    else MultTailRow(warp, item - a.complete);
  }

private:
  template <class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void MultTile(const Warp &warp, std::int64_t tile) const
  {
    typename Warp::template PerLane<Scalar> head, sum; // of a column: before its first flag, and after its last
    typename Warp::template PerLane<int>    segment, has_flag, seg_offset;
    const Target                            target(*this, tile);
    warp.For([&](int lane) {
      const bool          column = lane < a.fields.omega;
      const std::uint64_t word   = column ? a.fields.Load(a.tile_desc + tile * a.fields.WordsPerTile(), lane) : 0;
      const std::uint32_t flags  = a.fields.BitFlag(word);
      head[lane] = sum[lane] = Scalar(0);
      segment[lane]          = a.fields.YOffset(word) - 1;
      seg_offset[lane]       = a.fields.SegOffset(word);
      has_flag[lane]         = 0;
      const auto step        = [&](int j, const Scalar &product) {
        if (flags >> j & 1u) {
          if (has_flag[lane]) target.Store(segment[lane], sum[lane]);
          else head[lane] = sum[lane];
          has_flag[lane] = 1;
          sum[lane]      = Scalar(0);
          ++segment[lane];
        }
        sum[lane] = Plus(sum[lane], product);
      };
      if (column) ForAllProducts(tile, lane, step);
      if (!has_flag[lane]) head[lane] = sum[lane];
    });
    // The segment open at the foot of a column continues in the columns to the right, up to their next flag.
    auto rest = warp.FromRight(head, 1);
    if constexpr (how == SegmentedSum::Separate) {
      auto end = warp.FromRight(has_flag, 1);
      SegmentedSumOfWarp(warp, rest, end);
    } else { // Algorithm 6
      auto                                 prefix = rest;
      typename Warp::template PerLane<int> last;
      PrefixSumOfWarp(warp, prefix);
      warp.For([&](int lane) { last[lane] = lane + seg_offset[lane]; });
      const auto at_last = warp.From(prefix, last);
      warp.For([&](int lane) { rest[lane] = Plus(Minus(at_last[lane], prefix[lane]), rest[lane]); });
    }
    warp.For([&](int lane) {
      if (has_flag[lane]) target.Store(segment[lane], Plus(sum[lane], rest[lane]));
    });
  }

  /// Calls step(j, product) for the steps of a tile's column.
  template <class Step>
  KOKKOS_FORCEINLINE_FUNCTION void ForAllProducts(std::int64_t tile, int column, const Step &step) const
  {
    a.values.With(tile, tile * (a.fields.omega * a.fields.sigma), [&]<class Values>(const Values &values) {
      const Entries<Values> entries(*this, tile, values);
      int                   j = 0;
      for (; j + kStepsTogether <= a.fields.sigma; j += kStepsTogether) {
        Scalar product[kStepsTogether];
        LoadProducts<kStepsTogether>(entries, column, j, product);
        for (int s = 0; s < kStepsTogether; ++s) step(j + s, product[s]);
      }
      for (; j < a.fields.sigma; ++j) {
        Scalar product;
        LoadProducts<1>(entries, column, j, &product);
        step(j, product);
      }
    });
  }

  /// The entries of a tile. Its columns are plain, or offsets from a base, by which x is shifted.
  template <class Values>
  struct Entries {
    KOKKOS_FORCEINLINE_FUNCTION Entries(const MultByWarp &m, std::int64_t tile, const Values &of_tile) :
      omega(m.a.fields.omega), values(of_tile), x(m.x)
    {
      if (m.a.columns.HasOffsets(tile)) {
        offsets = m.a.columns.Offsets(tile);
        x += m.a.columns.base[tile];
      } else {
        plain = m.a.columns.Plain(tile, tile * (omega * m.a.fields.sigma));
      }
    }

    int                  omega;
    Values               values;
    const Scalar        *x;
    const std::uint16_t *offsets = nullptr;
    const Index         *plain   = nullptr;
  };

  /// The products of steps j .. j + steps - 1 of a column. No load waits for another step.
  template <int steps, class Values>
  KOKKOS_FORCEINLINE_FUNCTION static void LoadProducts(const Entries<Values> &entries, int column, int j, Scalar *product)
  {
    Index  col[steps];
    Scalar val[steps];
    if (entries.offsets) {
      for (int s = 0; s < steps; ++s) col[s] = Load(entries.offsets + (j + s) * entries.omega + column);
    } else {
      for (int s = 0; s < steps; ++s) col[s] = Load(entries.plain + (j + s) * entries.omega + column);
    }
    for (int s = 0; s < steps; ++s) val[s] = entries.values[(j + s) * entries.omega + column];
    for (int s = 0; s < steps; ++s) product[s] = Multiply(val[s], Load(entries.x + col[s]));
  }

  /// Where the sums of a tile's segments are stored.
  struct Target {
    KOKKOS_FORCEINLINE_FUNCTION Target(const MultByWarp &m, std::int64_t t) :
      mult(m), tile(t), row(static_cast<Index>(RemoveSign(m.a.tile_ptr[t]))),
      offset(HasEmptyRows(m.a.tile_ptr[t]) ? m.a.empty_offset + m.a.empty_ptr[t] : nullptr)
    {
    }

    KOKKOS_FORCEINLINE_FUNCTION void Store(int segment, const Scalar &sum) const
    {
      if (segment == 0) return mult.StoreFirst(tile, row, sum);
      petscspmv::Store<add>(mult.y[offset ? row + offset[segment] : row + segment], sum);
    }

    const MultByWarp &mult;
    std::int64_t      tile;
    Index             row;
    const Index      *offset;
  };

  /// Stores the sum of the first row of a tile.
  KOKKOS_FORCEINLINE_FUNCTION void StoreFirst(std::int64_t tile, Index row, const Scalar &sum) const
  {
    carry[tile] = continues[tile] ? sum : Scalar(0);
    if (!continues[tile]) Store<add>(y[row], sum);
  }

  template <class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void MultTailRow(const Warp &warp, std::int64_t k) const
  {
    const std::int64_t begin   = a.complete * (a.fields.omega * a.fields.sigma);
    const Index       *col_idx = a.columns.Plain(a.complete, begin) - begin;
    const Scalar      *val     = a.values.full + a.values.FullAt(a.complete, begin) - begin;
    const auto         sum     = SumOfProductsByWarp(warp, col_idx, val, tail_ptr[k], tail_ptr[k + 1], x);
    warp.For([&](int lane) {
      if (lane > 0) return;
      if (k == 0) StoreFirst(a.complete, tail_row[k], sum[lane]);
      else Store<add>(y[tail_row[k]], sum[lane]);
    });
  }
};

/// The part of each tile, and of the tail, in its first row.
template <class Scalar, class Index, class Unsigned>
struct Carries {
  const Unsigned *tile_ptr;
  const Scalar   *carry;

  KOKKOS_FORCEINLINE_FUNCTION Index  Row(std::int64_t tile) const { return static_cast<Index>(RemoveSign(tile_ptr[tile])); }
  KOKKOS_FORCEINLINE_FUNCTION Scalar Value(std::int64_t tile) const { return carry[tile]; }
};

template <SegmentedSum how, bool add, OnDevice Exec, class Scalar, class Index>
void MultTiles(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  using Unsigned               = typename Layout<Scalar, Index, Exec>::Unsigned;
  const std::int64_t tail_rows = static_cast<std::int64_t>(layout.tail_row.size());
  Scalar            *carry     = static_cast<Scalar *>(exec.workspace());
  if (!add && layout.empty_rows > 0) exec.ForThreads("CSR5ClearRows", layout.rows, SetItems<Scalar>{y, Scalar(0)});
  exec.ForWarps("CSR5Mult", layout.complete + tail_rows, 0,
                MultByWarp<how, add, Scalar, Index>{Tiles<Scalar, Index, 0, 0>(layout), layout.tail_ptr.data(),
                                                    layout.tail_row.data(), layout.continues.data(), x, y, carry});
  AddRows(exec, "CSR5AddCarries", layout.complete + (tail_rows > 0),
          Carries<Scalar, Index, Unsigned>{layout.tile_ptr.data(), carry}, y);
}

template <bool add, OnDevice Exec, class Scalar, class Index>
void Mult(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  if (layout.segmented_sum == SegmentedSum::Prefix) MultTiles<SegmentedSum::Prefix, add>(exec, layout, x, y);
  else MultTiles<SegmentedSum::Separate, add>(exec, layout, x, y);
}

} // namespace petscspmv::csr5
