// From CSR to SELL-C-sigma, and the refresh of values.
#pragma once

#include "mat/format/csr.hpp"
#include "mat/format/format.hpp"
#include "mat/format/launch.hpp"
#include "mat/impls/sellcs/layout.hpp"
#include "mat/impls/sellcs/sorting.hpp"

namespace petscspmv::sellcs {

/// Copies the entries of a chunk's rows, columns or values, and pads: columns with the row's last, whose
/// x is at hand (and which the product looks at without using it), values with zero.
template <bool repeat_last, class From, class To, class Scalar, class Index, class CsrIndex>
struct FillChunk {
  Chunks<Scalar, Index> a;
  const CsrIndex       *row_ptr;
  const From           *csr;
  To                   *target;

  KOKKOS_FUNCTION void operator()(std::int64_t c) const
  {
    constexpr std::int64_t kSideBySide = 8;
    std::int64_t           lane        = 0;
    for (; lane + kSideBySide <= a.height; lane += kSideBySide) FillLanes<kSideBySide>(c, lane);
    for (; lane < a.height; ++lane) FillLanes<1>(c, lane);
  }

private:
  /// Row by row would be simpler, but its stores would be far apart.
  template <std::int64_t Width>
  KOKKOS_FORCEINLINE_FUNCTION void FillLanes(std::int64_t c, std::int64_t lane) const
  {
    const std::int64_t columns = a.rest_ptr ? a.full[c] : (a.chunk_ptr[c + 1] - a.chunk_ptr[c]) / a.height, slot = c * a.height + lane;
    To                *chunk = target + a.chunk_ptr[c] + lane;
    std::int64_t       begin[Width], last[Width]; // entry of each lane's row
    for (std::int64_t i = 0; i < Width; ++i) {
      begin[i] = a.row_len[slot + i] > 0 ? row_ptr[a.RowOf(slot + i)] : 0;
      last[i]  = std::max<std::int64_t>(a.row_len[slot + i], 1) - 1;
    }
    for (std::int64_t j = 0; j < columns; ++j) {
#pragma omp simd
      for (std::int64_t i = 0; i < Width; ++i) {
        const To entry          = static_cast<To>(csr[begin[i] + std::min(j, last[i])]);
        chunk[j * a.height + i] = repeat_last || j < a.row_len[slot + i] ? entry : To(0);
      }
    }
    for (std::int64_t i = 0; a.rest_ptr && i < Width; ++i) {
      for (std::int64_t j = columns; j < a.row_len[slot + i]; ++j) target[a.rest_ptr[slot + i] + j - columns] = static_cast<To>(csr[begin[i] + j]);
    }
  }
};

/// Copies the entries of long rows, each at its first piece: the pieces of a row follow one another.
template <class From, class To, class Scalar, class Index, class Exec, class CsrIndex>
void FillRemainder(const CsrIndex *row_ptr, const From *source, const Layout<Scalar, Index, Exec> &layout, To *target)
{
  const auto &remainder = layout.remainder;
  for (std::size_t k = 0; k < remainder.row.size(); ++k) {
    const Index row = remainder.row[k];
    if (k == 0 || remainder.row[k - 1] != row) std::transform(source + row_ptr[row], source + row_ptr[row + 1], target + remainder.piece_ptr[k], [](const From &entry) { return static_cast<To>(entry); });
  }
}

template <class Scalar, class CsrIndex, class Index, class Exec>
void FillColumns(const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  ParallelFor<Exec>("SELLCSFillColumns", layout.chunks, layout.val.size(), FillChunk<true, CsrIndex, Index, Scalar, Index, CsrIndex>{Chunks(layout), csr.row_ptr, csr.col_idx, layout.col_idx.data()});
  FillRemainder(csr.row_ptr, csr.col_idx, layout, layout.remainder.col_idx.data());
}

template <class Scalar, class CsrIndex, class Index, class Exec>
void FillValues(const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  ParallelFor<Exec>("SELLCSFillValues", layout.chunks, layout.val.size(), FillChunk<false, Scalar, Scalar, Scalar, Index, CsrIndex>{Chunks(layout), csr.row_ptr, csr.val, layout.val.data()});
  FillRemainder(csr.row_ptr, csr.val, layout, layout.remainder.val.data());
}

/// The chunks' rows, lengths and places. Returns the rows that are too long for them.
template <class Scalar, class CsrIndex, class Index, class Exec>
std::vector<Index> ShapeChunks(const Csr<Scalar, CsrIndex> &csr, const Index *perm, RowBound bound, Layout<Scalar, Index, Exec> &layout)
{
  const RowLengths<CsrIndex> lengths{csr.row_ptr};
  std::vector<CsrIndex>      of_chunk;
  std::vector<Index>         long_rows;
  std::int64_t               entries = 0;
  layout.longest                     = 0;
  for (std::int64_t c = 0; c < layout.chunks; ++c) {
    const std::int64_t begin = c * layout.height, end = std::min<std::int64_t>(begin + layout.height, layout.rows);
    of_chunk.clear();
    for (std::int64_t slot = begin; slot < end; ++slot) of_chunk.push_back(lengths[perm[slot]]);
    const std::int64_t most    = bound(of_chunk);
    Index              longest = 0, shortest = layout.cols;
    Index             *row_len = layout.row_len.data() + begin;
    std::fill_n(row_len, layout.height, Index{0});
    for (std::int64_t slot = begin; slot < end; ++slot) {
      const CsrIndex length = lengths[perm[slot]];
      if (length > most) long_rows.push_back(perm[slot]);
      else row_len[slot - begin] = static_cast<Index>(length);
      longest = std::max(longest, row_len[slot - begin]);
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
  return long_rows;
}

template <class Scalar, class CsrIndex, class Index, class Exec>
void ShapeRemainder(const Csr<Scalar, CsrIndex> &csr, std::vector<Index> long_rows, Layout<Scalar, Index, Exec> &layout)
{
  auto                     &remainder = layout.remainder;
  std::vector<Index>        row;
  std::vector<std::int64_t> piece_ptr{0};
  remainder.rows = static_cast<std::int64_t>(long_rows.size());
  std::sort(long_rows.begin(), long_rows.end());
  for (Index r : long_rows) {
    for (std::int64_t left = csr.row_ptr[r + 1] - csr.row_ptr[r]; left > 0; left -= remainder.kPieceEntries) {
      row.push_back(r);
      piece_ptr.push_back(piece_ptr.back() + std::min(left, remainder.kPieceEntries));
    }
  }
  remainder.row.Allocate(row.size());
  remainder.piece_ptr.Allocate(piece_ptr.size());
  remainder.col_idx.Allocate(static_cast<std::size_t>(piece_ptr.back()));
  remainder.val.Allocate(static_cast<std::size_t>(piece_ptr.back()));
  remainder.sum.Allocate(row.size());
  std::copy(row.begin(), row.end(), remainder.row.data());
  std::copy(piece_ptr.begin(), piece_ptr.end(), remainder.piece_ptr.data());
}

/// All but columns and values.
template <class Scalar, class CsrIndex, class Index, class Exec>
void BuildPattern(const Csr<Scalar, CsrIndex> &csr, std::int64_t sigma, Layout<Scalar, Index, Exec> &layout)
{
  const RowLengths<CsrIndex>                lengths{csr.row_ptr};
  const RowBound                            bound{layout.height, layout.trimmed && layout.bound == kDecide ? csr.cols : layout.bound};
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
  ShapeRemainder(csr, ShapeChunks(csr, perm.data(), bound, layout), layout);
  if (std::is_sorted(perm.data(), perm.data() + csr.rows)) layout.perm.Allocate(0);
  else layout.perm = std::move(perm);
  layout.col_idx.Allocate(static_cast<std::size_t>(layout.chunk_ptr[chunks]));
  layout.val.Allocate(static_cast<std::size_t>(layout.chunk_ptr[chunks]));
}

} // namespace petscspmv::sellcs
