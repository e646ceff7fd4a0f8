// y = A x and y += A x in SELL-C-sigma, device mapping: a thread per row, and a warp per piece of a long row.
#pragma once

#include "mat/arithmetic/add_by_row.hpp"
#include "mat/arithmetic/load.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/sum_by_warp.hpp"
#include "mat/exec/host.hpp"
#include "mat/impls/sellcs/layout.hpp"

#include <cstdint>

namespace petscspmv::sellcs {

/// Columns whose loads are in flight together.
inline constexpr int kColumnsTogether = 4;

/// The product with the row of a slot. Adjacent threads read adjacent entries (coalesced); each stops at the end of its row, so
/// padding is not read. Height is a compile-time constant unless 0.
template <bool add, int Height, class Scalar, class Index>
struct MultSlot {
  Chunks<Scalar, Index> a;
  const Scalar         *x;
  Scalar               *y;

  KOKKOS_FUNCTION void operator()(std::int64_t slot) const
  {
    const std::int64_t height = Height ? Height : a.height, c = slot / height, lane = slot - c * height;
    const Index        length = a.row_len[slot];
    if (add && length == 0) return; // as for most rows of an off-diagonal matrix
    const std::int64_t begin   = a.chunk_ptr[c];
    Scalar             sum     = Scalar(0);
    const Index        columns = a.rest_ptr && a.full[c] < length ? a.full[c] : length;
    a.values.With(c, begin, [&](const auto &values) {
      a.columns.With(c, begin, x, [&](const auto *col_idx, const Scalar *x_from) {
        const auto entry = [&](std::int64_t k) { return Multiply(values[k], Load(x_from + Load(col_idx + k))); };
        AddColumns(
          columns, [&](Index j) { return entry(j * height + lane); }, sum);
        for (Index j = columns; j < length; ++j) // TSELL-C-sigma
          sum = Plus(sum, entry(a.rest_ptr[slot] - begin + (j - columns)));
      });
    });
    Store<add>(y[a.RowOf(slot)], sum);
  }

private:
  template <class Product>
  KOKKOS_FORCEINLINE_FUNCTION static void AddColumns(Index columns, const Product &product, Scalar &sum)
  {
    Index j = 0;
    for (; j + kColumnsTogether <= columns; j += kColumnsTogether) {
      Scalar products[kColumnsTogether];
      for (int k = 0; k < kColumnsTogether; ++k) products[k] = product(j + k);
      for (int k = 0; k < kColumnsTogether; ++k) sum = Plus(sum, products[k]);
    }
    for (; j < columns; ++j) sum = Plus(sum, product(j));
  }
};

/// The sum of a piece of a long row.
template <class Scalar, class Index>
struct MultPieceByWarp {
  const std::int64_t *piece_ptr;
  const Index        *col_idx;
  const Scalar       *val;
  const Scalar       *x;
  Scalar             *sum;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t piece) const
  {
    const auto total = SumOfProductsByWarp(warp, col_idx, val, piece_ptr[piece], piece_ptr[piece + 1], x);
    warp.For([&](int lane) {
      if (lane == 0) sum[piece] = total[lane];
    });
  }
};

template <class Scalar, class Index>
struct Pieces {
  const Index  *row;
  const Scalar *sum;

  KOKKOS_FORCEINLINE_FUNCTION Index  Row(std::int64_t piece) const { return row[piece]; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar Value(std::int64_t piece) const { return sum[piece]; }
};

template <bool add, OnDevice Exec, class Scalar, class Index>
void Mult(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  const auto &r   = layout.remainder;
  Scalar     *sum = static_cast<Scalar *>(exec.workspace());
  if (layout.height == 32) exec.ForThreads("SELLCSMult", layout.rows, MultSlot<add, 32, Scalar, Index>{Chunks(layout), x, y});
  else exec.ForThreads("SELLCSMult", layout.rows, MultSlot<add, 0, Scalar, Index>{Chunks(layout), x, y});
  exec.ForWarps("SELLCSMultRemainder", r.Pieces(), 0,
                MultPieceByWarp<Scalar, Index>{r.piece_ptr.data(), r.col_idx.data(), r.val.data(), x, sum});
  AddRows(exec, "SELLCSAddRemainder", r.Pieces(), Pieces<Scalar, Index>{r.row.data(), sum}, y);
}

} // namespace petscspmv::sellcs
