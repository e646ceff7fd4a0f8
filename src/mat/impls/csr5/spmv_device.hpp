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
/// the tile's part of a row that began before it goes to carry[tile], to be added in order afterwards. Omega and Sigma are
/// compile-time constants unless 0.
template <SegmentedSum how, bool add, int Omega, int Sigma, class Scalar, class Index>
struct MultByWarp {
  Tiles<Scalar, Index, Omega, Sigma> a;
  const std::int64_t                *tail_ptr;
  const Index                       *tail_row;
  const std::uint8_t                *continues;
  const Scalar                      *x;
  Scalar                            *y;
  Scalar                            *carry;

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
    typename Warp::template PerLane<Scalar> head, first,
      sum; // sums of a column: before its first flag, of segment 0, after its last flag
    typename Warp::template PerLane<int> segment, has_flag, seg_offset;
    const Target                         target(*this, tile);
    const bool                           goes_on = continues[tile];
    const ColumnsOfTile                  columns(*this, tile);
    warp.For([&](int lane) {
      const DescriptorFields fields = a.Fields();
      const bool             column = lane < fields.omega;
      const std::uint64_t    word   = column ? fields.Load(a.tile_desc + tile * fields.WordsPerTile(), lane) : 0;
      const std::uint32_t    flags  = fields.BitFlag(word);
      head[lane] = first[lane] = sum[lane] = Scalar(0);
      segment[lane]                        = fields.YOffset(word) - 1;
      seg_offset[lane]                     = fields.SegOffset(word);
      has_flag[lane]                       = 0;
      const auto step                      = [&](int j, const Scalar &product) {
        if (flags >> j & 1u) {
          if (!has_flag[lane]) head[lane] = sum[lane];
          else if (segment[lane] == 0) first[lane] = sum[lane];
          else target.Store(segment[lane], sum[lane]);
          has_flag[lane] = 1;
          sum[lane]      = Scalar(0);
          ++segment[lane];
        }
        sum[lane] = Plus(sum[lane], product);
      };
      if (column) ForAllProducts(tile, columns, lane, step);
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
      const Scalar last = Plus(sum[lane], rest[lane]);
      if (has_flag[lane] && segment[lane] > 0) target.Store(segment[lane], last);
      if (lane == 0) StoreFirst(tile, target.row, goes_on, segment[lane] > 0 ? first[lane] : last); // lane 0 has segment 0
    });
  }

  /// The column indices of a tile: plain, or offsets from a base, by which x is shifted.
  struct ColumnsOfTile {
    KOKKOS_FORCEINLINE_FUNCTION ColumnsOfTile(const MultByWarp &m, std::int64_t tile) : x(m.x)
    {
      const auto &columns = m.a.columns;
      if (!columns.base) {
        plain = columns.plain + tile * (m.a.omega() * m.a.sigma());
        return;
      }
      const Index        base = columns.base[tile]; // neither load waits for the other
      const std::int64_t at   = columns.at[tile];
      if (base == kFar) {
        plain = columns.plain + at;
      } else {
        offsets = columns.offsets + at;
        x += base;
      }
    }

    const Scalar        *x;
    const std::uint16_t *offsets = nullptr;
    const Index         *plain   = nullptr;
  };

  /// Calls step(j, product) for the steps of a tile's column.
  template <class Step>
  KOKKOS_FORCEINLINE_FUNCTION void ForAllProducts(std::int64_t tile, const ColumnsOfTile &columns, int column,
                                                  const Step &step) const
  {
    a.values.With(tile, tile * (a.omega() * a.sigma()), [&]<class Values>(const Values &values) {
      if (columns.offsets) ForAllSteps(columns.offsets + column, values.From(column), columns.x, step);
      else ForAllSteps(columns.plain + column, values.From(column), columns.x, step);
    });
  }

  template <class Column, class Values, class Step>
  KOKKOS_FORCEINLINE_FUNCTION void ForAllSteps(const Column *col_idx, const Values &values, const Scalar *x_from,
                                               const Step &step) const
  {
    int j = 0;
    for (; j + kStepsTogether <= a.sigma(); j += kStepsTogether) {
      Scalar product[kStepsTogether];
      LoadProducts<kStepsTogether>(col_idx, values, x_from, j, product);
      for (int s = 0; s < kStepsTogether; ++s) step(j + s, product[s]);
    }
    if constexpr (Sigma == 0 || Sigma % kStepsTogether > 0) {
      for (; j < a.sigma(); ++j) {
        Scalar product;
        LoadProducts<1>(col_idx, values, x_from, j, &product);
        step(j, product);
      }
    }
  }

  /// The products of steps j .. j + steps - 1 of a column. No load waits for another step.
  template <int steps, class Column, class Values>
  KOKKOS_FORCEINLINE_FUNCTION void LoadProducts(const Column *col_idx, const Values &values, const Scalar *x_from, int j,
                                                Scalar *product) const
  {
    Column col[steps];
    Scalar val[steps];
    for (int s = 0; s < steps; ++s) col[s] = LoadOnce(col_idx + (j + s) * a.omega());
    for (int s = 0; s < steps; ++s) val[s] = values[(j + s) * a.omega()];
    for (int s = 0; s < steps; ++s) product[s] = Multiply(val[s], Load(x_from + col[s]));
  }

  /// Where the sums of a tile's segments are stored.
  struct Target {
    KOKKOS_FORCEINLINE_FUNCTION Target(const MultByWarp &m, std::int64_t tile) : y(m.y)
    {
      const auto tile_ptr = m.a.tile_ptr[tile];
      row                 = static_cast<Index>(RemoveSign(tile_ptr));
      offset              = HasEmptyRows(tile_ptr) ? m.a.empty_offset + m.a.empty_ptr[tile] : nullptr;
    }

    KOKKOS_FORCEINLINE_FUNCTION void Store(int segment, const Scalar &sum) const
    {
      petscspmv::Store<add>(y[offset ? row + offset[segment] : row + segment], sum);
    }

    Scalar      *y;
    Index        row;
    const Index *offset;
  };

  /// Stores the sum of a tile's first row: to `carry` if the row goes on from an earlier tile, otherwise to y.
  KOKKOS_FORCEINLINE_FUNCTION void StoreFirst(std::int64_t tile, Index row, bool goes_on, const Scalar &sum) const
  {
    carry[tile] = goes_on ? sum : Scalar(0);
    if (!goes_on) Store<add>(y[row], sum);
  }

  template <class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void MultTailRow(const Warp &warp, std::int64_t k) const
  {
    const std::int64_t begin   = a.complete * (a.omega() * a.sigma());
    const Index       *col_idx = a.columns.Plain(a.complete, begin) - begin;
    const Scalar      *val     = a.values.full + a.values.FullAt(a.complete, begin) - begin;
    const auto         sum     = SumOfProductsByWarp(warp, col_idx, val, tail_ptr[k], tail_ptr[k + 1], x);
    warp.For([&](int lane) {
      if (lane > 0) return;
      if (k == 0) StoreFirst(a.complete, tail_row[k], continues[a.complete], sum[lane]);
      else Store<add>(y[tail_row[k]], sum[lane]);
    });
  }
};

/// What each tile, and the tail, adds to its first row if that row began before it.
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
  WithShape<Exec>(layout.fields, [&]<int Omega, int Sigma>() {
    exec.ForWarps("CSR5Mult", layout.complete + tail_rows, 0,
                  MultByWarp<how, add, Omega, Sigma, Scalar, Index>{Tiles<Scalar, Index, Omega, Sigma>(layout),
                                                                    layout.tail_ptr.data(), layout.tail_row.data(),
                                                                    layout.continues.data(), x, y, carry});
  });
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
