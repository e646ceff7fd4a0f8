// Finds which rows each chunk holds, and where: from the row pointers alone, on the host.
#pragma once

#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/impls/sellcs/layout.hpp"
#include "mat/impls/sellcs/sorting.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace petscspmv::sellcs {

/// Finds the chunks' rows, lengths and positions; row_of(slot) is a slot's row. Returns the rows that are too long for chunks.
template <class CsrIndex, class Index, OnProcessor Exec, class Scalar, class RowOf>
std::vector<Index> ShapeChunks(RowLengths<CsrIndex> lengths, const RowOf &row_of, RowBound bound,
                               Layout<Scalar, Index, Exec> &layout)
{
  std::vector<Index> of_chunk, long_rows;
  std::int64_t       entries = 0;
  Index              most    = 0;
  for (std::int64_t c = 0; c < layout.chunks; ++c) {
    const std::int64_t begin = c * layout.height, lanes = std::min<std::int64_t>(layout.height, layout.rows - begin);
    std::int64_t       nonzeros = 0;
    Index              longest = 0, shortest = layout.cols;
    Index *const       row_len = layout.row_len.data() + begin;
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      const Index length = static_cast<Index>(lengths[row_of(begin + lane)]);
      row_len[lane]      = length;
      nonzeros += length;
      longest  = std::max(longest, length);
      shortest = std::min(shortest, length);
    }
    if (lanes < layout.height) {
      std::fill(row_len + lanes, row_len + layout.height, Index{0});
      shortest = 0;
    }
    if (!bound.HoldsAll(nonzeros, longest)) {
      of_chunk.assign(row_len, row_len + lanes);
      const std::int64_t longest_held = bound(of_chunk);
      longest = shortest = 0; // a long row leaves an empty lane
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        if (row_len[lane] > longest_held) {
          long_rows.push_back(static_cast<Index>(row_of(begin + lane)));
          row_len[lane] = 0;
        }
        longest = std::max(longest, row_len[lane]);
      }
    }
    most                                          = std::max(most, longest);
    layout.full[static_cast<std::size_t>(c)]      = shortest;
    layout.chunk_ptr[static_cast<std::size_t>(c)] = entries;
    entries += layout.height * (layout.trimmed ? shortest : longest);
    for (std::int64_t lane = 0; layout.trimmed && lane < layout.height; ++lane) {
      layout.rest_ptr[static_cast<std::size_t>(begin + lane)] = entries;
      entries += row_len[lane] - std::min(row_len[lane], shortest);
    }
  }
  layout.chunk_ptr[static_cast<std::size_t>(layout.chunks)] = entries;
  layout.entries                                            = entries;
  layout.longest                                            = most;
  return long_rows;
}

template <class Scalar, class CsrIndex, class Index, OnProcessor Exec>
void ShapeRemainder(const Csr<Scalar, CsrIndex> &csr, std::vector<Index> long_rows, std::int64_t piece_entries,
                    Layout<Scalar, Index, Exec> &layout)
{
  auto                     &remainder = layout.remainder;
  std::vector<Index>        row;
  std::vector<std::int64_t> piece_ptr{0}, entry;
  remainder.rows = static_cast<std::int64_t>(long_rows.size());
  std::sort(long_rows.begin(), long_rows.end());
  for (Index r : long_rows) {
    const std::int64_t end = csr.host_row_ptr[r + 1];
    for (std::int64_t begin = csr.host_row_ptr[r]; begin < end; begin += piece_entries) {
      row.push_back(r);
      entry.push_back(begin);
      piece_ptr.push_back(piece_ptr.back() + std::min(end - begin, piece_entries));
    }
  }
  remainder.entries = piece_ptr.back();
  const auto copy   = [](auto &to, const auto &from) {
    to.Allocate(from.size());
    std::copy(from.begin(), from.end(), to.data());
  };
  copy(remainder.row, row);
  copy(remainder.piece_ptr, piece_ptr);
  copy(remainder.entry, entry);
}

/// Sorts blocks of rows by length, and orders rows by chunks: the first rows of a chunk's blocks, then their second rows, and so
/// on. `bound` counts blocks instead of rows. Returns sigma, in rows.
template <class Scalar, class CsrIndex, class Index>
std::int64_t OrderBlocks(const Csr<Scalar, CsrIndex> &csr, std::int64_t block, RowBound bound, Index *perm)
{
  const std::int64_t    blocks = csr.rows / block;
  std::vector<CsrIndex> block_ptr{0};
  std::vector<Index>    order(static_cast<std::size_t>(blocks));
  block_ptr.reserve(static_cast<std::size_t>(blocks) + 1);
  for (std::int64_t b = 0; b < blocks; ++b)
    block_ptr.push_back(block_ptr.back() + RowLengths<CsrIndex>{csr.host_row_ptr}[b * block]);
  const RowLengths<CsrIndex> lengths{block_ptr.data()};
  const std::int64_t         sigma = ChooseSigma(lengths, blocks, bound, false);
  WindowSort<CsrIndex>{lengths}(blocks, sigma, order.data());
  std::int64_t slot = 0;
  for (std::int64_t first = 0; first < blocks; first += bound.height) {
    const std::int64_t lanes = std::min(bound.height, blocks - first);
    for (std::int64_t r = 0; r < block; ++r)
      for (std::int64_t lane = 0; lane < lanes; ++lane)
        perm[slot++] = static_cast<Index>(order[static_cast<std::size_t>(first + lane)] * block + r);
  }
  for (; slot < csr.rows; ++slot) perm[slot] = static_cast<Index>(slot);
  return sigma > 1 ? sigma * block : 1;
}

/// Finds which rows each chunk holds, and where. longest: the longest row that chunks hold, or kDecide.
template <class Scalar, class CsrIndex, class Index, OnProcessor Exec>
void ShapeLayout(const Csr<Scalar, CsrIndex> &csr, std::int64_t sigma, std::int64_t longest, std::int64_t piece_entries,
                 Layout<Scalar, Index, Exec> &layout)
{
  const RowLengths<CsrIndex> lengths{csr.host_row_ptr};
  const RowBound             bound{layout.height, longest};
  const bool                 blocks = layout.block > 1;
  if (!blocks) layout.sigma = sigma == kDecide ? ChooseSigma(lengths, csr.rows, bound, layout.trimmed) : sigma;
  layout.ahead      = {.rows = csr.rows, .number = kSmallWindow * layout.height};
  layout.chunks     = ChunksOf(csr.rows, layout.height);
  const auto chunks = static_cast<std::size_t>(layout.chunks), slots = static_cast<std::size_t>(layout.chunks * layout.height);
  layout.chunk_ptr.Allocate(chunks + 1);
  layout.full.Allocate(chunks);
  layout.row_len.Allocate(slots);
  layout.rest_ptr.Allocate(layout.trimmed ? slots : 0);
  layout.perm.Allocate(blocks || layout.sigma > 1 ? static_cast<std::size_t>(csr.rows) : 0);
  Index *const perm = layout.perm.data();
  if (blocks) layout.sigma = OrderBlocks(csr, layout.block, {layout.height / layout.block, longest}, perm);
  else if (perm) WindowSort<CsrIndex>{lengths}(csr.rows, layout.sigma, perm);
  if (perm && std::is_sorted(perm, perm + csr.rows)) layout.perm.Allocate(0);
  const auto shape = [&](const auto &row_of) {
    ShapeRemainder(csr, ShapeChunks(lengths, row_of, bound, layout), piece_entries, layout);
  };
  if (layout.perm.size() == 0) shape([](std::int64_t slot) { return slot; });
  else shape([perm](std::int64_t slot) { return std::int64_t{perm[slot]}; });
}

/// Allocates memory for the entries of long rows.
template <class Scalar, class Index, class Exec>
void AllocateRemainder(Layout<Scalar, Index, Exec> &layout)
{
  auto &remainder = layout.remainder;
  remainder.col_idx.Allocate(static_cast<std::size_t>(remainder.entries));
  remainder.val.Allocate(static_cast<std::size_t>(remainder.entries));
}

} // namespace petscspmv::sellcs
