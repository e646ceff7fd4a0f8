// The first stage: speculative execution (paper, Algorithm 1). Host mapping: a worker takes a group of thread-bunches; SIMD lanes
// take adjacent entries of a tile.
#pragma once

#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/rows.hpp"
#include "mat/exec/atomics.hpp"
#include "mat/exec/host.hpp"
#include "mat/impls/speculative/descriptor.hpp"
#include "mat/impls/speculative/segmented_sum.hpp"

#include <cstdint>

namespace petscspmv::speculative {

/// Without add, sums are stored as if no row were empty, and the check moves the wrong ones. With add, wrong speculation could not
/// be undone, since y has been added to: the sums of dirty tiles go to their true rows at once. These tiles still count as dirty.
template <bool add, bool ahead, class Scalar, class Index, int Width, int Height>
struct Speculate {
  using TileShape = Shape<Width, Height>;
  using Buffers   = TileBuffers<Scalar, TileShape>;

  Csr<Scalar, Index>           csr;
  Index                        nnz;
  TileShape                    shape;
  int                          bunch, steps;
  Prefetch<ahead>              prefetch;
  const Scalar                *x;
  Scalar                      *y;
  Synchronized<Scalar, Index> *synchronizer;
  Range<Index>                *speculator;
  std::int64_t                *dirty_counter;

  void operator()(std::int64_t group) const
  {
    Buffers            buffers;
    const std::int64_t bunch_size = std::int64_t{steps} * shape.width() * shape.height(),
                       bunches    = (nnz + bunch_size - 1) / bunch_size;
    const std::int64_t first = group * bunch, last = first + bunch < bunches ? first + bunch : bunches;
    // Lines 3-7 for the whole group: one search, then a walk from tile to tile.
    Index row = RowOf(csr.row_ptr, csr.rows, static_cast<Index>(first * bunch_size));
    for (std::int64_t b = first; b < last; ++b) row = RunBunch(b, row, buffers);
  }

private:
  /// Lines 8-59 for a thread-bunch whose first entry is in row `start`; returns the row of the next bunch's first entry.
  KOKKOS_FORCEINLINE_FUNCTION Index RunBunch(std::int64_t b, Index start, Buffers &buffers) const
  {
    const std::int64_t tile_size = std::int64_t{shape.width()} * shape.height(), bunch_begin = b * steps * tile_size;
    const Index        bunch_row = start;
    Range<Index>       dirty[kMaxSteps];
    int                dirty_tiles = 0;
    Segments<Index>    segments{};
    Scalar             transmitter = Scalar(0);
    segments.starts                = buffers.starts;
    for (int step = 0; step < steps && bunch_begin + step * tile_size < nnz; ++step) {
      const std::int64_t begin = bunch_begin + step * tile_size,
                         end   = begin + tile_size < nnz ? begin + tile_size : std::int64_t{nnz};
      Describe(csr.row_ptr, csr.rows, start, static_cast<Index>(begin), static_cast<Index>(end), segments);
      const Scalar *sums = SumSegments(shape, static_cast<int>(end - begin), segments.count, csr.col_idx + begin, csr.val + begin,
                                       x, prefetch, transmitter, buffers);
      SaveSums(b, bunch_row, segments, sums);
      transmitter = segments.open ? sums[segments.count - 1] : Scalar(0);
      if (segments.dirty) dirty[dirty_tiles++] = {start, segments.stop};
      start = segments.stop;
    }
    // The row that continues in the next bunch: to the synchronizer if it is the first row of this bunch, otherwise to y.
    if (segments.open) Save(b, bunch_row, start, transmitter);
    if (dirty_tiles > 0) Label(dirty, dirty_tiles);
    return start;
  }

  /// Lines 36-52: stores the first segment to the synchronizer or to its row, and the others consecutively after it.
  void SaveSums(std::int64_t b, Index bunch_row, const Segments<Index> &segments, const Scalar *sums) const
  {
    const int complete = segments.Complete();
    if (complete > 0) Save(b, bunch_row, segments.start, sums[0]);
    Scalar *target = y + segments.start;
    if (add && segments.dirty) {
      int k = 0;
      ForRowsWithEntries(csr.row_ptr, static_cast<Index>(segments.start + 1), segments.stop, [&](Index row) {
        if (csr.row_ptr[row] < csr.row_ptr[row + 1]) Store<add>(y[row], sums[++k]);
      });
    } else {
      for (int k = 1; k < complete; ++k) Store<add>(target[k], sums[k]);
    }
  }

  void Save(std::int64_t b, Index bunch_row, Index row, const Scalar &sum) const
  {
    if (row == bunch_row) synchronizer[b] = {row, sum};
    else Store<add>(y[row], sum);
  }

  /// Lines 53-58, for all steps at once. The order of tiles in `speculator` may vary from run to run; since tiles have no row in
  /// common, the result is the same.
  void Label(const Range<Index> *dirty, int n) const
  {
    const std::int64_t place = AtomicFetchAdd(dirty_counter, std::int64_t{n});
    for (int i = 0; i < n; ++i) speculator[place + i] = dirty[i];
  }
};

} // namespace petscspmv::speculative
