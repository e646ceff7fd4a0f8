// The SELL-C-sigma storage format (paper, sections 3.3 to 3.5).
#pragma once

#include "mat/arithmetic/columns.hpp"
#include "mat/arithmetic/values.hpp"
#include "mat/exec/array.hpp"

#include <algorithm>
#include <cstdint>

namespace petscspmv::sellcs {

/// Entries of a long row that one worker (on devices a warp) sums at a time. The number is fixed so that sums associate the same
/// way, and results have the same bits, for any number of threads.
template <class Exec>
inline constexpr std::int64_t kPieceEntries = kOnHost<Exec> ? 4096 : 256;

/// The default C: a warp on devices; on hosts a cache line of values, but at least 8, which measured faster than 4, 16 and, on
/// most matrices, 32.
template <class Exec, class Scalar>
constexpr std::int64_t DefaultChunk()
{
  return kOnHost<Exec> ? std::max<std::int64_t>(8, 64 / sizeof(Scalar)) : 32;
}

/// Rows too long for their chunks, in CSR, split into pieces.
template <class Scalar, class Index, class Space>
struct Remainder {
  std::int64_t               rows = 0, entries = 0;
  Array<Index, Space>        row;       // of each piece
  Array<std::int64_t, Space> piece_ptr; // pieces + 1: indices into col_idx and val
  Array<std::int64_t, Space> entry;     // of each piece: index of its first entry in CSR
  Array<Index, Space>        col_idx;
  Array<Scalar, Space>       val;

  std::int64_t Pieces() const { return static_cast<std::int64_t>(row.size()); }
  std::size_t  Bytes() const { return row.bytes() + piece_ptr.bytes() + entry.bytes() + col_idx.bytes() + val.bytes(); }
};

inline std::int64_t ChunksOf(std::int64_t rows, std::int64_t height)
{
  return (rows + height - 1) / height;
}

/// A step of a chunk whose columns follow one another: lane l has column `first` + l, counted from the chunk's base, if its bit is
/// set; otherwise its row has no such column, and its entry is padding.
template <class Index>
struct RunStep {
  Index         first;
  std::uint32_t lanes;

  bool operator==(const RunStep &) const = default;
};

/// Chunks in which the columns of adjacent lanes follow one another, as those of rows in the order of a grid do. They have steps in
/// place of column indices; chunks with the same steps share them.
template <class Index, class Space>
struct Runs {
  Array<Index, Space>          base; // of each chunk; empty if there are no such chunks
  Array<RunStep<Index>, Space> steps;
  std::int64_t                 entries = 0; // of such chunks, padding included

  std::size_t Bytes() const { return base.bytes() + steps.bytes(); }
};

/// Which rows to prefetch at a slot: rows some way ahead, in the order of the matrix. Sorting moves rows only within windows, so
/// that slots further on hold about these rows.
struct RowsAhead {
  std::int64_t rows = 0, number = 0; // rows of the matrix; the row to prefetch at slot 0
  double       each  = 1;            // rows per slot, in the mean
  bool         upper = false;        // rows are numbered from the last one on, as slots hold them

  /// The first of `count` rows to prefetch at a slot, or -1 beyond the end of the matrix.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t First(std::int64_t slot, std::int64_t count) const
  {
    const std::int64_t at = number + static_cast<std::int64_t>(static_cast<double>(slot) * each);
    if (at + count > rows) return -1;
    return upper ? rows - count - at : at;
  }
};

/// The parameters and sizes of a layout.
template <class Index>
struct Parameters {
  Index        rows    = 0;
  Index        cols    = 0;
  std::int64_t nnz     = 0;
  std::int64_t chunk   = 1; // C as requested
  std::int64_t height  = 1; // rows of a chunk: C, or all rows if fewer, or C blocks of rows
  std::int64_t sigma   = 1;
  std::int64_t bound   = 0; // longer rows go to the remainder; kDecide: rows that would pad their chunk too much
  Index        longest = 0; // longest row in a chunk
  bool         trimmed = false;
  bool         offsets = true; // store columns as offsets where possible
  bool         shapes  = true; // look for runs and blocks
  int          block   = 1;    // rows of a block, in lanes l, l + height / block, and so on; 1: no blocks
  std::int64_t chunks  = 0;
  std::int64_t entries = 0; // in chunks, padding included
  RowsAhead    ahead;
};

/// Rows, sorted by length within windows of sigma rows, in chunks of `height` rows. Slot s is a row's position: lane s % height of
/// chunk s / height. Chunks are padded to their longest row and stored column by column: entry j of a lane is at chunk_ptr[chunk]
/// + j height + lane.
///
/// Trimmed (TSELL-C-sigma), only the columns filled by all rows of a chunk are stored this way; the rest of the rows follows row
/// by row, without padding.
///
/// In chunks with runs, a row has its entries, in their order, at the steps that have its lane's bit, and padding at the others.
///
/// Chunks may hold blocks of rows: the first rows of all their blocks, then the second rows, and so on. If in every block of a
/// chunk all rows have the same columns, the chunk stores only those of the first rows.
template <class Scalar, class Index, class Exec>
struct Layout : Parameters<Index> {
  using Space = typename Exec::memory_space;
  template <class T>
  using Data = Array<T, Space>;

  Data<std::int64_t> chunk_ptr; // chunks + 1: first entry of each chunk (cs in the paper)
  Data<Index>        full;      // chunks: leading columns that all rows of the chunk fill (k of TSELL)
  Data<Index>        row_len;   // chunks * height: entries of each slot; 0 for long rows and past the last row
  Data<Index>        perm;      // rows: row of each slot; empty if no row was moved
  Data<std::int64_t> rest_ptr;  // trimmed, chunks * height: where the rest of each slot's row is stored

  Data<std::int64_t>    column_ptr; // with runs or blocks, chunks + 1: where the columns of each chunk begin, or ~(its first step)
  Columns<Index, Space> columns;    // chunk by chunk, but for chunks with runs
  Runs<Index, Space>    runs;
  Values<Scalar, Space> values;            // chunk by chunk
  std::int64_t          block_entries = 0; // of chunks whose blocks share columns

  Remainder<Scalar, Index, Space> remainder;

  std::int64_t StoredEntries() const { return this->entries + remainder.entries; }
};

/// A layout without the remainder, as the kernels read it.
template <class Scalar, class Index>
struct Chunks {
  Index               rows;
  std::int64_t        height, chunks;
  int                 block;
  const std::int64_t *chunk_ptr;
  const Index        *full;
  const Index        *row_len;
  const Index        *perm;       // null if no row was moved
  const std::int64_t *rest_ptr;   // null if not trimmed
  const std::int64_t *column_ptr; // null without runs and blocks

  ColumnsView<Index>    columns;
  const Index          *run_base;
  const RunStep<Index> *run_steps;
  ValuesView<Scalar>    values;

  template <class Exec>
  explicit Chunks(const Layout<Scalar, Index, Exec> &layout) :
    rows(layout.rows), height(layout.height), chunks(layout.chunks), block(layout.block), chunk_ptr(layout.chunk_ptr.data()),
    full(layout.full.data()), row_len(layout.row_len.data()), perm(layout.perm.data()), rest_ptr(layout.rest_ptr.data()),
    column_ptr(layout.column_ptr.data()), columns(layout.columns), run_base(layout.runs.base.data()),
    run_steps(layout.runs.steps.data()), values(layout.values)
  {
  }

  /// Prefetches what the next chunks have besides their entries.
  template <int block = 1, class Prefetch>
  KOKKOS_FORCEINLINE_FUNCTION void PrefetchChunks(const Prefetch &prefetch, std::int64_t c) const
  {
    for (std::int64_t r = (c + 1) * block + 1; r <= (c + 2) * block; ++r) {
      prefetch.NextLine(row_len, r * height / block);
      prefetch.NextLine(perm, r * height / block);
    }
    if (c % 8 != 0) return; // 8 chunks share a cache line
    prefetch.NextLine(chunk_ptr, c);
    prefetch.NextLine(full, c);
    prefetch.NextLine(columns.base, c);
    prefetch.NextLine(columns.at, c);
    prefetch.NextLine(column_ptr, c);
    prefetch.NextLine(run_base, c);
    prefetch.NextLine(values.place, c);
  }

  KOKKOS_FORCEINLINE_FUNCTION bool IsEmpty(std::int64_t c) const { return chunk_ptr[c] == chunk_ptr[c + 1]; }

  /// Whether a chunk has runs; its steps; whether some row lacks an entry at some step, so that entry j may not be at step j.
  KOKKOS_FORCEINLINE_FUNCTION bool  HasRuns(std::int64_t c) const { return column_ptr && column_ptr[c] < 0; }
  KOKKOS_FORCEINLINE_FUNCTION const RunStep<Index> *Steps(std::int64_t c) const { return run_steps + ~column_ptr[c]; }
  KOKKOS_FORCEINLINE_FUNCTION bool                  HasHoles(std::int64_t c) const { return HasRuns(c) && full[c] < Width(c); }

  /// Where the columns of a chunk without runs begin, if all chunks have plain indices.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t ColumnsBegin(std::int64_t c) const { return column_ptr ? column_ptr[c] : chunk_ptr[c]; }

  /// Whether the rows of a chunk's blocks share columns; how many lanes, the first ones, have columns of their own.
  KOKKOS_FORCEINLINE_FUNCTION bool SharesColumns(std::int64_t c) const
  {
    return block > 1 && column_ptr[c + 1] - column_ptr[c] < chunk_ptr[c + 1] - chunk_ptr[c];
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t ColumnLanes(std::int64_t c) const { return SharesColumns(c) ? height / block : height; }

  /// The index in CSR of the first entry of a nonempty chunk.
  template <class CsrIndex>
  KOKKOS_FORCEINLINE_FUNCTION CsrIndex FirstEntry(std::int64_t c, const CsrIndex *row_ptr) const
  {
    std::int64_t slot = c * height;
    while (row_len[slot] == 0) ++slot;
    return row_ptr[RowOf(slot)];
  }

  KOKKOS_FORCEINLINE_FUNCTION Index RowOf(std::int64_t slot) const { return perm ? perm[slot] : static_cast<Index>(slot); }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t Width(std::int64_t c) const
  {
    return rest_ptr ? full[c] : (chunk_ptr[c + 1] - chunk_ptr[c]) / height;
  } // the number of a chunk's columns
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t Lanes(std::int64_t c) const
  {
    return std::min<std::int64_t>(height, rows - c * height);
  } // the number of a chunk's lanes that hold rows of the matrix
};

/// The share of the entries that are in runs or blocks, and how many rows have each column index in common there.
struct Sharing {
  double share = 0;
  int    rows  = 1;
};

/// Counts the entries of a chunk, padding included.
template <class Scalar, class Index>
struct EntriesOfChunk {
  Chunks<Scalar, Index> a;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t c) const { return a.chunk_ptr[c + 1] - a.chunk_ptr[c]; }
};

} // namespace petscspmv::sellcs
