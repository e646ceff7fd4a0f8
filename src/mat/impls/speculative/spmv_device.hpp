// y = A x and y += A x by speculative segmented sums, device mapping: a warp per thread-bunch, a lane for W consecutive entries of
// each of its tiles. Both stages run on the device.
#pragma once

#include "mat/arithmetic/add_by_row.hpp"
#include "mat/arithmetic/load.hpp"
#include "mat/arithmetic/rows.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/warp.hpp"
#include "mat/exec/atomics.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/impls/speculative/layout.hpp"
#include "mat/impls/speculative/sparse.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace petscspmv::speculative {

/// The first stage (Algorithm 1, lines 1-60). As on hosts, with add the sums of dirty tiles go to their true rows at once, since
/// wrong speculation could not be undone. Those of sparse tiles always do: their rows are not walked, and y has been cleared.
template <bool add, class Scalar, class Index>
struct SpeculateByWarp {
  Csr<Scalar, Index>           csr;
  std::int64_t                 nnz;
  int                          width, height, steps;
  const Scalar                *x;
  Scalar                      *y;
  Synchronized<Scalar, Index> *synchronizer;
  Range<Index>                *speculator;
  std::int64_t                *dirty_counter;

  /// A warp's buffers: the products of a tile; the sum passed on to the next tile; marks, at the first entry of each segment its
  /// row relative to the tile's first, elsewhere 0; and whether some row of the tile is empty.
  struct Buffers {
    Scalar *product, *transmitter;
    int    *mark, *empty;
  };
  static std::size_t BufferBytes(int entries) { return static_cast<std::size_t>(entries + 1) * (sizeof(Scalar) + sizeof(int)); }

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t bunch) const
  {
    const int          tile_size   = width * height;
    const std::int64_t bunch_begin = bunch * steps * tile_size;
    Scalar            *product     = warp.template Scratch<Scalar>();
    int               *mark        = reinterpret_cast<int *>(product + tile_size + 1);
    const Buffers      buffers{product, product + tile_size, mark, mark + tile_size};
    const Index        bunch_row = RowOf(csr.row_ptr, csr.rows, static_cast<Index>(bunch_begin));
    Index              start     = bunch_row;
    bool               open      = false;
    // The parts of all thread-bunches are added to y afterwards. If this bunch begins with a new row, y must be zero there.
    warp.For([&](int lane) {
      if (lane > 0) return;
      *buffers.transmitter = Scalar(0);
      if (!add && csr.row_ptr[bunch_row] == bunch_begin) y[bunch_row] = Scalar(0);
    });
    for (int step = 0; step < steps && bunch_begin + step * tile_size < nnz; ++step) {
      const std::int64_t begin = bunch_begin + step * tile_size, end = begin + tile_size < nnz ? begin + tile_size : nnz;
      const Index        stop = WalkByDoubling(start, static_cast<Index>(end), tile_size);
      open                    = csr.row_ptr[stop] < end;
      const bool sparse       = IsSparse(start, stop, end - begin);
      Describe(warp, buffers, start, stop, sparse, begin, end);
      const bool empty = *buffers.empty; // read by all lanes before RunTile() synchronizes them: the next tile sets it anew
      RunTile(warp, buffers, {bunch, bunch_row, start, open, sparse, empty}, static_cast<int>(end - begin));
      if (empty && !sparse) Label(warp, start, stop);
      start = stop;
    }
    if (!open) return;
    warp.For([&](int lane) { // the row that continues in the next bunch
      if (lane == 0) Save(bunch, bunch_row, start, *buffers.transmitter);
    });
  }

private:
  /// The current tile: its thread-bunch and that bunch's first row; its own first row; whether its last segment continues in the
  /// next tile, whether it is sparse, and whether it has empty rows.
  struct Tile {
    std::int64_t bunch;
    Index        bunch_row, start;
    bool         open, sparse, empty;
  };

  /// RowOf() for an entry not far after the start of row `row`.
  KOKKOS_FORCEINLINE_FUNCTION Index WalkByDoubling(Index row, Index entry, int stride) const
  {
    std::int64_t low = row, step = stride;
    for (; step < csr.rows - low && csr.row_ptr[low + step] <= entry; step *= 2) low += step;
    const std::int64_t left = csr.rows - low;
    return static_cast<Index>(low + RowOf(csr.row_ptr + low, static_cast<Index>(step < left ? step : left), entry));
  }

  /// Lines 9-21, and the products.
  template <class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void Describe(const Warp &warp, const Buffers &buffers, Index start, Index stop, bool sparse,
                                            std::int64_t begin, std::int64_t end) const
  {
    warp.For([&](int lane) {
      if (lane == 0) *buffers.empty = 0;
      for (std::int64_t e = begin + lane; e < end; e += kWarp) {
        buffers.mark[e - begin]    = 0;
        buffers.product[e - begin] = Multiply(LoadOnce(csr.val + e), Load(x + LoadOnce(csr.col_idx + e)));
      }
    });
    warp.For([&](int lane) {
      if (sparse && lane == 0) *buffers.empty = 1;
      for (std::int64_t e = begin + lane; sparse && e < end; e += kWarp) {
        const Index row = start + RowOf(csr.row_ptr + start, static_cast<Index>(stop - start), static_cast<Index>(e));
        if (row > start && csr.row_ptr[row] == e) buffers.mark[e - begin] = static_cast<int>(row - start);
      }
      for (std::int64_t row = std::int64_t{start} + 1 + lane; !sparse && row <= stop; row += kWarp) {
        const Index first = csr.row_ptr[row];
        if (row < stop && csr.row_ptr[row + 1] == first) *buffers.empty = 1;
        else if (first < end) buffers.mark[first - begin] = static_cast<int>(row - start);
      }
      if (lane == 0) buffers.product[0] = Plus(buffers.product[0], *buffers.transmitter);
    });
  }

  /// Algorithm 1, lines 22-52: the segmented sum of a tile, and storing its sums.
  template <class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void RunTile(const Warp &warp, const Buffers &buffers, const Tile &tile, int n) const
  {
    typename Warp::template PerLane<Scalar> head, sum; // a lane's sums: before its first segment begins, and of its last segment
    typename Warp::template PerLane<int>    segment, has_begin, mark, count;
    const bool                              by_mark = tile.sparse || (add && tile.empty); // store to the true rows
    warp.For([&](int lane) {
      segment[lane] = 0;
      for (int e = lane * height; lane < width && e < n && e < (lane + 1) * height; ++e)
        segment[lane] += e == 0 || buffers.mark[e] > 0;
      count[lane] = segment[lane];
    });
    PrefixSumOfWarp(warp, segment);
    const int segments = LastOfWarp<int>(warp, segment);
    warp.For([&](int lane) {
      segment[lane] -= count[lane] + 1;
      head[lane] = sum[lane] = Scalar(0);
      has_begin[lane] = mark[lane] = 0;
      for (int e = lane * height; lane < width && e < n && e < (lane + 1) * height; ++e) {
        if (e == 0 || buffers.mark[e] > 0) {
          if (has_begin[lane]) SaveSum(tile, buffers, segment[lane], segments, by_mark ? mark[lane] : segment[lane], sum[lane]);
          else head[lane] = sum[lane];
          has_begin[lane] = 1;
          mark[lane]      = buffers.mark[e];
          sum[lane]       = Scalar(0);
          ++segment[lane];
        }
        sum[lane] = Plus(sum[lane], buffers.product[e]);
      }
      if (!has_begin[lane]) head[lane] = sum[lane];
    });
    auto rest = warp.FromRight(head, 1);
    auto end  = warp.FromRight(has_begin, 1);
    SegmentedSumOfWarp(warp, rest, end);
    warp.For([&](int lane) {
      if (has_begin[lane])
        SaveSum(tile, buffers, segment[lane], segments, by_mark ? mark[lane] : segment[lane], Plus(sum[lane], rest[lane]));
      if (lane == 0 && !tile.open) *buffers.transmitter = Scalar(0);
    });
  }

  /// Saves the sum of segment k of a tile: to the transmitter, to the synchronizer, or to y, `offset` rows after the tile's first.
  KOKKOS_FORCEINLINE_FUNCTION void SaveSum(const Tile &tile, const Buffers &buffers, int k, int segments, int offset,
                                           const Scalar &sum) const
  {
    if (tile.open && k == segments - 1) *buffers.transmitter = sum;
    else if (k == 0) Save(tile.bunch, tile.bunch_row, tile.start, sum);
    else Store<add>(y[tile.start + offset], sum);
  }

  KOKKOS_FORCEINLINE_FUNCTION void Save(std::int64_t bunch, Index bunch_row, Index row, const Scalar &sum) const
  {
    if (row == bunch_row) synchronizer[bunch] = {row, sum};
    else Store<add>(y[row], sum);
  }

  /// Algorithm 1, lines 53-58: labels a tile as dirty.
  template <class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void Label(const Warp &warp, Index start, Index stop) const
  {
    warp.For([&](int lane) {
      if (lane == 0) speculator[AtomicFetchAdd(dirty_counter, std::int64_t{1})] = {start, stop};
    });
  }
};

/// The partial sums of thread-bunches for their first rows.
template <class Scalar, class Index>
struct SynchronizedParts {
  const Synchronized<Scalar, Index> *synchronizer;

  KOKKOS_FORCEINLINE_FUNCTION Index  Row(std::int64_t bunch) const { return synchronizer[bunch].row; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar Value(std::int64_t bunch) const { return synchronizer[bunch].value; }
};

/// Algorithm 1, lines 62-68: moves the sums of dirty tiles to their rows, last first, and clears the empty rows. A warp takes every
/// `warps`-th dirty tile, since the host does not know how many there are.
template <class Scalar, class Index>
struct RearrangeByWarp {
  std::int64_t        warps;
  const Index        *row_ptr;
  const Range<Index> *speculator;
  const std::int64_t *dirty_counter;
  Scalar             *y;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t i) const
  {
    for (std::int64_t dirty = i; dirty < *dirty_counter; dirty += warps)
      MoveSums(warp, std::int64_t{speculator[dirty].start} + 1, speculator[dirty].stop);
  }

private:
  /// Moves the sums of the nonempty rows among begin .. end-1, which are stored consecutively from row `begin` on.
  template <class Warp>
  KOKKOS_FORCEINLINE_FUNCTION void MoveSums(const Warp &warp, std::int64_t begin, std::int64_t end) const
  {
    typename Warp::template PerLane<std::int64_t> place, nonempty;
    typename Warp::template PerLane<Scalar>       value;
    warp.For([&](int lane) {
      nonempty[lane] = 0;
      for (std::int64_t row = begin + lane; row < end; row += kWarp) nonempty[lane] += row_ptr[row] < row_ptr[row + 1];
    });
    PrefixSumOfWarp(warp, nonempty);
    for (std::int64_t sums = begin + LastOfWarp<std::int64_t>(warp, nonempty), stop = end; sums < stop;
         stop -= kWarp) { // until no empty row is left
      const std::int64_t first = stop - kWarp;
      warp.For([&](int lane) {
        const std::int64_t row = first + lane;
        nonempty[lane]         = row >= begin && row_ptr[row] < row_ptr[row + 1];
        place[lane]            = nonempty[lane];
      });
      PrefixSumOfWarp(warp, place);
      const std::int64_t here = LastOfWarp<std::int64_t>(warp, place);
      warp.For([&](int lane) {
        const std::int64_t from = sums - here + place[lane] - 1;
        value[lane]             = nonempty[lane] ? y[from] : Scalar(0);
      });
      warp.For([&](int lane) {
        if (first + lane >= begin) y[first + lane] = value[lane];
      });
      sums -= here;
    }
  }
};

template <bool add, OnDevice Exec, class Scalar, class Index>
void Mult(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  using Stage                           = SpeculateByWarp<add, Scalar, Index>;
  const std::int64_t              warps = std::min<std::int64_t>(layout.Tiles(), 4096);
  const Containers<Scalar, Index> containers(layout, exec.workspace());
  exec.ForThreads("SpeculativeBegin", 1, SetItems<std::int64_t>{containers.dirty_counter, 0});
  if (!add) exec.ForThreads("SpeculativeClearRows", layout.rows_to_clear, SetItems<Scalar>{y, Scalar(0)});
  exec.ForWarps("SpeculativeMult", layout.Bunches(), Stage::BufferBytes(layout.TileSize()),
                Stage{layout.csr, layout.nnz, layout.width, layout.height, layout.steps, x, y, containers.synchronizer,
                      containers.speculator, containers.dirty_counter});
  AddRows(exec, "SpeculativeSynchronize", layout.Bunches(), SynchronizedParts<Scalar, Index>{containers.synchronizer}, y);
  if (!add)
    exec.ForWarps("SpeculativeRearrange", warps, 0,
                  RearrangeByWarp<Scalar, Index>{warps, layout.csr.row_ptr, containers.speculator, containers.dirty_counter, y});
}

} // namespace petscspmv::speculative
