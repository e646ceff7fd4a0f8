// Finds which rows each chunk holds, and where: from the row pointers alone, on the host.
#pragma once

#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/impls/sellcs/layout.hpp"
#include "mat/impls/sellcs/sorting.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace petscspmv::sellcs {

/// Finds the chunks' rows, lengths and positions. Returns the rows that are too long for them.
template <class Scalar, class CsrIndex, class Index, OnProcessor Exec>
std::vector<Index> ShapeChunks(const Csr<Scalar, CsrIndex> &csr, const Index *perm, RowBound bound,
                               Layout<Scalar, Index, Exec> &layout)
{
  const RowLengths<CsrIndex> lengths{csr.host_row_ptr};
  std::vector<Index>         of_chunk;
  std::vector<Index>         long_rows;
  std::int64_t               entries = 0;
  layout.longest                     = 0;
  for (std::int64_t c = 0; c < layout.chunks; ++c) {
    const std::int64_t begin = c * layout.height, end = std::min<std::int64_t>(begin + layout.height, layout.rows);
    std::int64_t       nonzeros = 0;
    Index              longest = 0, shortest = layout.cols;
    Index             *row_len = layout.row_len.data() + begin;
    std::fill_n(row_len, layout.height, Index{0});
    for (std::int64_t slot = begin; slot < end; ++slot) {
      row_len[slot - begin] = static_cast<Index>(lengths[perm[slot]]);
      nonzeros += row_len[slot - begin];
      longest = std::max(longest, row_len[slot - begin]);
    }
    if (!bound.HoldsAll(nonzeros, longest)) {
      of_chunk.assign(row_len, row_len + (end - begin));
      const std::int64_t most = bound(of_chunk);
      longest                 = 0;
      for (std::int64_t slot = begin; slot < end; ++slot) {
        if (row_len[slot - begin] > most) {
          long_rows.push_back(perm[slot]);
          row_len[slot - begin] = 0;
        }
        longest = std::max(longest, row_len[slot - begin]);
      }
    }
    for (std::int64_t lane = 0; lane < layout.height; ++lane) shortest = std::min(shortest, row_len[lane]);
    layout.longest                                = std::max(layout.longest, longest);
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

/// Finds which rows each chunk holds, and where.
template <class Scalar, class CsrIndex, class Index, OnProcessor Exec>
void ShapeLayout(const Csr<Scalar, CsrIndex> &csr, std::int64_t sigma, std::int64_t longest, std::int64_t piece_entries,
                 Layout<Scalar, Index, Exec> &layout)
{
  const RowLengths<CsrIndex> lengths{csr.host_row_ptr};
  const RowBound             bound{
    layout.height, layout.trimmed && layout.bound == kDecide ? std::min<std::int64_t>(csr.cols, longest) : layout.bound, longest};
  Array<Index, typename Exec::memory_space> perm(static_cast<std::size_t>(csr.rows));
  if (sigma == kDecide) sigma = ChooseSigma(lengths, csr.rows, bound, layout.trimmed, perm.data());
  else WindowSort<CsrIndex>{lengths}(csr.rows, sigma, perm.data());
  layout.sigma      = sigma;
  layout.chunks     = ChunksOf(csr.rows, layout.height);
  const auto chunks = static_cast<std::size_t>(layout.chunks), slots = static_cast<std::size_t>(layout.chunks * layout.height);
  layout.chunk_ptr.Allocate(chunks + 1);
  layout.full.Allocate(chunks);
  layout.row_len.Allocate(slots);
  layout.rest_ptr.Allocate(layout.trimmed ? slots : 0);
  ShapeRemainder(csr, ShapeChunks(csr, perm.data(), bound, layout), piece_entries, layout);
  if (std::is_sorted(perm.data(), perm.data() + csr.rows)) layout.perm.Allocate(0);
  else layout.perm = std::move(perm);
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
