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

/// The sums of rows. Padding is not read. Height is a compile-time constant unless 0.
template <int Height, class Scalar, class Index>
struct SlotSums {
  Chunks<Scalar, Index> a;
  const Scalar         *x;

  /// The sum of every Threads-th entry of a slot's row, from entry t on.
  template <int Threads>
  KOKKOS_FORCEINLINE_FUNCTION Scalar Sum(std::int64_t slot, int t) const
  {
    const std::int64_t height = Height ? Height : a.height, c = slot / height, lane = slot - c * height;
    const Index        length = a.row_len[slot];
    if (length == 0) return Scalar(0); // as for most rows of an off-diagonal matrix
    const std::int64_t begin   = a.chunk_ptr[c];
    const Index        columns = a.rest_ptr && a.full[c] < length ? a.full[c] : length;
    Scalar             sum     = Scalar(0);
    a.values.With(c, begin, [&](const auto &values) {
      a.columns.With(c, begin, x, [&](const auto *col_idx, const Scalar *x_from) {
        const auto entry = [&](std::int64_t k) { return Multiply(values[k], Load(x_from + LoadOnce(col_idx + k))); };
        Index      j     = AddProducts<Threads>(
          static_cast<Index>(t), columns, [&](Index k) { return entry(k * height + lane); }, sum);
        for (; j < length; j += Threads) // TSELL-C-sigma
          sum = Plus(sum, entry(a.rest_ptr[slot] - begin + (j - columns)));
      });
    });
    return sum;
  }

  template <bool add>
  KOKKOS_FORCEINLINE_FUNCTION void StoreRow(std::int64_t slot, const Scalar &sum, Scalar *y) const
  {
    if (add && a.row_len[slot] == 0) return; // y stays as it is
    Store<add>(y[a.RowOf(slot)], sum);
  }
};

/// The product with the row of a slot, by a thread. Adjacent threads read adjacent entries (coalesced).
template <bool add, int Height, class Scalar, class Index>
struct MultSlot {
  SlotSums<Height, Scalar, Index> sums;
  Scalar                         *y;

  KOKKOS_FUNCTION void operator()(std::int64_t slot) const { sums.template StoreRow<add>(slot, sums.template Sum<1>(slot, 0), y); }
};

/// The products with the rows of adjacent slots, by a warp, `Threads` threads for each row.
template <bool add, int Threads, class Scalar, class Index>
struct MultSlotsByWarp {
  static constexpr int kSlots = kWarp / Threads;

  SlotSums<0, Scalar, Index> sums;
  Scalar                    *y;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t item) const
  {
    typename Warp::template PerLane<Scalar> sum;
    const std::int64_t                      first = item * kSlots;
    warp.For([&](int lane) {
      const std::int64_t slot = first + lane % kSlots;
      sum[lane]               = slot < sums.a.rows ? sums.template Sum<Threads>(slot, lane / kSlots) : Scalar(0);
    });
    SumOfWarp<kSlots>(warp, sum);
    warp.For([&](int lane) {
      if (lane < kSlots && first + lane < sums.a.rows) sums.template StoreRow<add>(first + lane, sum[lane], y);
    });
  }
};

inline constexpr int kMostThreadsPerRow = 8;

/// Threads for each row: more than one if the rows are too few for the device's threads, and long enough.
template <class Scalar, class Index, class Exec>
int ThreadsPerRow(const Exec &exec, const Layout<Scalar, Index, Exec> &layout)
{
  const std::int64_t entries = layout.nnz - layout.remainder.entries;
  int                threads = 1;
  while (threads < kMostThreadsPerRow && threads * std::int64_t{layout.rows} < 2 * exec.Threads() &&
         2 * threads * kLoadsTogether * layout.rows <= entries)
    threads *= 2;
  return threads;
}

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
  const auto &r       = layout.remainder;
  Scalar     *sum     = static_cast<Scalar *>(exec.workspace());
  const int   threads = ThreadsPerRow(exec, layout);
  const auto  by_warp = [&]<int Threads>() {
    exec.ForWarps("SELLCSMult", (layout.rows + kWarp / Threads - 1) / (kWarp / Threads), 0,
                   MultSlotsByWarp<add, Threads, Scalar, Index>{{Chunks(layout), x}, y});
  };
  static_assert(kMostThreadsPerRow == 8);
  if (threads == 8) by_warp.template operator()<8>();
  else if (threads == 4) by_warp.template operator()<4>();
  else if (threads == 2) by_warp.template operator()<2>();
  else if (layout.height == 32)
    exec.ForThreads("SELLCSMult", layout.rows, MultSlot<add, 32, Scalar, Index>{{Chunks(layout), x}, y});
  else exec.ForThreads("SELLCSMult", layout.rows, MultSlot<add, 0, Scalar, Index>{{Chunks(layout), x}, y});
  exec.ForWarps("SELLCSMultRemainder", r.Pieces(), 0,
                MultPieceByWarp<Scalar, Index>{r.piece_ptr.data(), r.col_idx.data(), r.val.data(), x, sum});
  AddRows(exec, "SELLCSAddRemainder", r.Pieces(), Pieces<Scalar, Index>{r.row.data(), sum}, y);
}

} // namespace petscspmv::sellcs
