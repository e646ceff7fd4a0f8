// Finds rows with the same columns, such as those of one node's unknowns. Host mapping.
#pragma once

#include "mat/arithmetic/sample.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/impls/sellcs/layout.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace petscspmv::sellcs {

/// The block sizes that have kernels, the largest first. Nodes with more rows consist of several blocks (six rows: two of three).
inline constexpr int kBlocks[] = {4, 3, 2};

/// The share of sampled entries in blocks from which blocks are worth another order of rows.
inline constexpr double kEnoughBlocks = 0.75;

/// The least share of a layout's entries in chunks that share columns; with less it has no blocks.
inline constexpr double kEnoughShared = 0.3;

/// Whether `count` rows from `row` on have the same columns.
template <class Scalar, class CsrIndex>
bool HaveSameColumns(const Csr<Scalar, CsrIndex> &csr, std::int64_t row, int count)
{
  const std::int64_t begin = csr.row_ptr[row], n = csr.row_ptr[row + 1] - begin;
  const CsrIndex    *columns = csr.col_idx + begin;
  for (int r = 1; r < count; ++r) {
    const std::int64_t other = csr.row_ptr[row + r];
    if (csr.row_ptr[row + r + 1] - other != n || !std::equal(columns, columns + n, csr.col_idx + other)) return false;
  }
  return true;
}

/// The largest blocks that hold enough entries of a sample, and the share of those in chunks of `height` blocks, each with equal
/// columns, as long as blocks are in the matrix's order. One row, and no share, if there are no such blocks.
template <class Scalar, class CsrIndex>
Sharing SampleBlocks(const Csr<Scalar, CsrIndex> &csr, std::int64_t height)
{
  constexpr int kEvery = 4; // every fourth chunk of a sample
  for (const int block : kBlocks) {
    const std::int64_t of_chunk = height * block, chunks = csr.rows / of_chunk;
    std::int64_t       all = 0, in_blocks = 0, in_chunks = 0; // entries
    for (std::int64_t k = 0; k < SampleSize(chunks); k += kEvery) {
      const std::int64_t first = SampleBlock(chunks, k) * of_chunk, end = first + of_chunk,
                         entries = csr.row_ptr[end] - csr.row_ptr[first];
      std::int64_t of_blocks     = 0;
      for (std::int64_t row = first; row < end; row += block)
        if (HaveSameColumns(csr, row, block)) of_blocks += csr.row_ptr[row + block] - csr.row_ptr[row];
      all += entries;
      in_blocks += of_blocks;
      if (of_blocks == entries) in_chunks += entries;
    }
    const auto share = [all](std::int64_t part) { return static_cast<double>(part) / static_cast<double>(all); };
    if (all > 0 && share(in_blocks) >= kEnoughBlocks) return {share(in_chunks), block};
  }
  return {};
}

/// Whether all blocks of a chunk are consecutive rows with the same columns.
template <class Scalar, class Index, class CsrIndex>
struct HoldsBlocks {
  Chunks<Scalar, Index> a;
  Csr<Scalar, CsrIndex> csr;
  std::uint8_t         *holds;

  KOKKOS_FUNCTION void operator()(std::int64_t c) const
  {
    const std::int64_t blocks = a.height / a.block, first = c * a.height, last = first + a.height - blocks;
    bool               same = true;
    for (std::int64_t k = 0; same && k < blocks; ++k)
      same = a.RowOf(last + k) == a.RowOf(first + k) + a.block - 1 && HaveSameColumns(csr, a.RowOf(first + k), a.block);
    holds[c] = same;
  }
};

/// Finds the chunks in which the rows of every block have the same columns: such chunks store the columns of the first rows only.
template <OnProcessor Exec, class Scalar, class CsrIndex, class Index>
void FindBlocks(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  const auto          size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const Chunks        a(layout);
  const std::int64_t  whole = layout.rows / layout.height; // complete chunks
  Array<std::uint8_t> holds(size(whole));
  exec.For("SELLCSFindBlocks", whole, size(layout.entries), HoldsBlocks<Scalar, Index, CsrIndex>{a, csr, holds.data()});
  std::int64_t own = 0; // columns stored so far
  layout.column_ptr.Allocate(size(layout.chunks) + 1);
  for (std::int64_t c = 0; c < layout.chunks; ++c) {
    const std::int64_t entries = EntriesOfChunk<Scalar, Index>{a}(c);
    const bool         shares  = c < whole && holds[size(c)];
    layout.column_ptr[size(c)] = own;
    layout.block_entries += shares ? entries : 0;
    own += shares ? entries / layout.block : entries;
  }
  layout.column_ptr[size(layout.chunks)] = own;
}

/// Whether enough entries are in chunks that share columns. With five rows in a node, most pairs of rows have the same columns, but
/// in no chunk do all pairs.
template <class Exec, class Scalar, class Index>
bool HasEnoughBlocks(const Layout<Scalar, Index, Exec> &layout)
{
  return static_cast<double>(layout.block_entries) >= kEnoughShared * static_cast<double>(layout.entries);
}

/// Undoes the choice of blocks, before chunks are shaped without them.
template <class Exec, class Scalar, class Index>
void ForgetBlocks(Layout<Scalar, Index, Exec> &layout)
{
  layout.height /= layout.block;
  layout.block         = 1;
  layout.block_entries = 0;
  layout.column_ptr.Allocate(0);
}

} // namespace petscspmv::sellcs
