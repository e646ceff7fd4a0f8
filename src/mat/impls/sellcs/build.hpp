// From CSR to SELL-C-sigma, and the refresh of values.
#pragma once

#include "mat/format/csr.hpp"
#include "mat/format/format.hpp"
#include "mat/format/launch.hpp"
#include "mat/format/prefetch.hpp"
#include "mat/impls/sellcs/build_device.hpp"
#include "mat/impls/sellcs/layout.hpp"
#include "mat/impls/sellcs/sorting.hpp"

namespace petscspmv::sellcs {

/// Where the rows of `Width` neighbouring lanes of a chunk are in CSR.
template <std::int64_t Width, class Scalar, class Index, class CsrIndex>
struct LaneRows {
  const Index *row_len;
  std::int64_t begin[Width], last[Width]; // entry of each lane's row

  KOKKOS_FORCEINLINE_FUNCTION LaneRows(const Chunks<Scalar, Index> &a, const CsrIndex *row_ptr, std::int64_t slot) :
    row_len(a.row_len + slot)
  {
    for (std::int64_t i = 0; i < Width; ++i) {
      begin[i] = row_len[i] > 0 ? row_ptr[a.RowOf(slot + i)] : 0;
      last[i]  = std::max<std::int64_t>(row_len[i], 1) - 1;
    }
  }

  /// Entry j of a row, and the last one again where the row has ended: a place to read from.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t At(std::int64_t i, std::int64_t j) const { return begin[i] + std::min(j, last[i]); }
};

/// Fills the lanes of a chunk, several side by side: row by row would be simpler, but its stores would be far apart.
template <class Fill>
struct FillChunk {
  Fill fill;

  KOKKOS_FUNCTION void operator()(std::int64_t c) const
  {
    constexpr std::int64_t kSideBySide = 8;
    std::int64_t           lane        = 0;
    for (; lane + kSideBySide <= fill.a.height; lane += kSideBySide) fill.template Lanes<kSideBySide>(c, lane);
    for (; lane < fill.a.height; ++lane) fill.template Lanes<1>(c, lane);
  }
};

/// Copies the entries of `Width` lanes to a chunk, `to` being its first entry, and the rests of their rows. Padding is the
/// row's last entry or zero.
template <bool repeat_last, std::int64_t Width, class From, class To, class Scalar, class Index, class CsrIndex>
KOKKOS_FORCEINLINE_FUNCTION void FillLanes(const Chunks<Scalar, Index> &a, const LaneRows<Width, Scalar, Index, CsrIndex> &rows, const From *csr, std::int64_t c, std::int64_t lane, To *to)
{
  const std::int64_t columns = a.Width(c);
  for (std::int64_t j = 0; j < columns; ++j) {
    Prefetch<true>()(csr, Width, rows.begin[0] + j * Width); // rows that have not moved follow one another
#pragma omp simd
    for (std::int64_t i = 0; i < Width; ++i) {
      const To entry              = static_cast<To>(csr[rows.At(i, j)]);
      to[j * a.height + lane + i] = repeat_last || j < rows.row_len[i] ? entry : To(0);
    }
  }
  for (std::int64_t i = 0; a.rest_ptr && i < Width; ++i) {
    To *rest = to + (a.rest_ptr[c * a.height + lane + i] - a.chunk_ptr[c]);
    for (std::int64_t j = columns; j < rows.row_len[i]; ++j) rest[j - columns] = static_cast<To>(csr[rows.begin[i] + j]);
  }
}

/// Values, and zeros for padding.
template <class Scalar, class Index, class CsrIndex>
struct FillValuesOf {
  Chunks<Scalar, Index> a;
  const CsrIndex       *row_ptr;
  const Scalar         *csr;
  Scalar               *val;

  template <std::int64_t Width>
  KOKKOS_FORCEINLINE_FUNCTION void Lanes(std::int64_t c, std::int64_t lane) const
  {
    const LaneRows<Width, Scalar, Index, CsrIndex> rows(a, row_ptr, c * a.height + lane);
    FillLanes<false>(a, rows, csr, c, lane, val + a.chunk_ptr[c]);
  }
};

/// Columns. Padding repeats the row's last, whose x is at hand (and which the product looks at without using it).
template <class Scalar, class Index, class CsrIndex>
struct FillColumnsOf {
  Chunks<Scalar, Index> a;
  const CsrIndex       *row_ptr;
  const CsrIndex       *csr;
  std::int32_t         *pairs;
  Index                *plain;

  template <std::int64_t Width>
  KOKKOS_FORCEINLINE_FUNCTION void Lanes(std::int64_t c, std::int64_t lane) const
  {
    const LaneRows<Width, Scalar, Index, CsrIndex> rows(a, row_ptr, c * a.height + lane);
    if (a.columns.HasOffsets(c)) FillPairs(rows, a.Width(c), static_cast<CsrIndex>(a.columns.base[c]), pairs + a.columns.at[c] + lane);
    else FillLanes<true>(a, rows, csr, c, lane, plain + a.columns.PlainAt(c, a.chunk_ptr[c]));
  }

private:
  template <std::int64_t Width>
  KOKKOS_FORCEINLINE_FUNCTION void FillPairs(const LaneRows<Width, Scalar, Index, CsrIndex> &rows, std::int64_t columns, CsrIndex base, std::int32_t *chunk) const
  {
    for (std::int64_t j = 0; j < columns; j += 2) {
      Prefetch<true>()(csr, 2 * Width, rows.begin[0] + j * Width);
#pragma omp simd
      for (std::int64_t i = 0; i < Width; ++i) {
        const std::int32_t pair     = PairOffsets(base, csr[rows.At(i, j)], csr[rows.At(i, j + 1)]);
        chunk[j / 2 * a.height + i] = rows.row_len[i] > 0 ? pair : 0;
      }
    }
  }
};

/// The smallest column of a chunk, if 16 bits number all of its columns from there on, and kFar otherwise.
template <class Scalar, class Index, class CsrIndex>
struct BaseOfChunk {
  Chunks<Scalar, Index> a;
  const CsrIndex       *row_ptr;
  const CsrIndex       *col_idx;

  KOKKOS_FORCEINLINE_FUNCTION CsrIndex operator()(std::int64_t c) const
  {
    ColumnRange<CsrIndex> range;
    CsrIndex              begin = 0, end = 0; // of rows that follow one another
    for (std::int64_t slot = c * a.height; slot < c * a.height + a.Lanes(c); ++slot) {
      if (a.row_len[slot] == 0) continue;
      const CsrIndex first = row_ptr[a.RowOf(slot)];
      if (first != end) {
        range.Add(col_idx + begin, end - begin);
        begin = first;
      }
      end = first + static_cast<CsrIndex>(a.row_len[slot]);
    }
    range.Add(col_idx + begin, end - begin);
    return range.Base();
  }
};

/// Copies the entries of long rows.
template <class From, class To, class Scalar, class Index, class Exec>
void FillRemainder(const From *source, const Layout<Scalar, Index, Exec> &layout, To *target)
{
  const auto &r = layout.remainder;
  for (std::size_t k = 0; k < r.row.size(); ++k) std::transform(source + r.entry[k], source + r.entry[k] + (r.piece_ptr[k + 1] - r.piece_ptr[k]), target + r.piece_ptr[k], [](const From &entry) { return static_cast<To>(entry); });
}

/// What the columns of a chunk take.
template <class Scalar, class Index>
struct RoomOfChunk {
  Chunks<Scalar, Index> a;

  KOKKOS_FUNCTION ColumnRoom operator()(std::int64_t c) const { return {(a.Width(c) + 1) / 2 * a.height, a.chunk_ptr[c + 1] - a.chunk_ptr[c]}; }
};

template <class Scalar, class CsrIndex, class Index, class Exec>
void FillColumns(const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  layout.columns = {};
  const Chunks                     chunks(layout);
  const RoomOfChunk<Scalar, Index> room_of{chunks};
  const std::int64_t               entries = static_cast<std::int64_t>(layout.val.size());
  const bool                       offsets = layout.offsets && !layout.trimmed;
  auto                            &r       = layout.remainder;
  if constexpr (kOnHost<Exec>) {
    using Base = BaseOfChunk<Scalar, Index, CsrIndex>;
    const Base base_of{chunks, csr.row_ptr, csr.col_idx};
    ShapeColumns<Exec>(
      offsets && SampleIsNear(layout.chunks, base_of, room_of), layout.chunks, entries, [&](Index *base) { ParallelFor<Exec>("SELLCSFindBases", layout.chunks, layout.val.size(), FindBase<Base, Index>{base_of, base}); }, room_of, layout.columns);
    ParallelFor<Exec>("SELLCSFillColumns", layout.chunks, layout.val.size(), FillChunk<FillColumnsOf<Scalar, Index, CsrIndex>>{{Chunks(layout), csr.row_ptr, csr.col_idx, layout.columns.pairs.data(), layout.columns.plain.data()}});
    FillRemainder(csr.col_idx, layout, r.col_idx.data());
  } else {
    ShapeColumns<Exec>(
      offsets, layout.chunks, entries, [&](Index *base) { ForWarps<Exec>("SELLCSFindBases", layout.chunks, 0, FindChunkBase<Scalar, Index, CsrIndex>{{chunks, csr.row_ptr}, csr.col_idx, base}); }, room_of, layout.columns);
    ForThreads<Exec>("SELLCSFillColumns", layout.rows, FillSlotColumns<Scalar, Index, CsrIndex>{{Chunks(layout), csr.row_ptr}, csr.col_idx, layout.columns.pairs.data(), layout.columns.plain.data()});
    ForWarps<Exec>("SELLCSFillRemainderColumns", r.Pieces(), 0, FillPiece<CsrIndex, Index>{r.piece_ptr.data(), r.entry.data(), csr.col_idx, r.col_idx.data()});
  }
}

template <class Scalar, class CsrIndex, class Index, class Exec>
void FillValues(const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  auto &r = layout.remainder;
  if constexpr (kOnHost<Exec>) {
    ParallelFor<Exec>("SELLCSFillValues", layout.chunks, layout.val.size(), FillChunk<FillValuesOf<Scalar, Index, CsrIndex>>{{Chunks(layout), csr.row_ptr, csr.val, layout.val.data()}});
    FillRemainder(csr.val, layout, r.val.data());
  } else {
    ForThreads<Exec>("SELLCSFillValues", layout.rows, FillSlotValues<Scalar, Index, CsrIndex>{{Chunks(layout), csr.row_ptr}, csr.val, layout.val.data()});
    ForWarps<Exec>("SELLCSFillRemainderValues", r.Pieces(), 0, FillPiece<Scalar, Scalar>{r.piece_ptr.data(), r.entry.data(), csr.val, r.val.data()});
  }
}

/// The chunks' rows, lengths and places. Returns the rows that are too long for them.
template <class Scalar, class CsrIndex, class Index, class Exec>
std::vector<Index> ShapeChunks(const Csr<Scalar, CsrIndex> &csr, const Index *perm, RowBound bound, Layout<Scalar, Index, Exec> &layout)
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
  return long_rows;
}

template <class Scalar, class CsrIndex, class Index, class Exec>
void ShapeRemainder(const Csr<Scalar, CsrIndex> &csr, std::vector<Index> long_rows, std::int64_t piece_entries, Layout<Scalar, Index, Exec> &layout)
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
  CopyIn<Exec>(remainder.row, row);
  CopyIn<Exec>(remainder.piece_ptr, piece_ptr);
  CopyIn<Exec>(remainder.entry, entry);
}

/// Which rows a chunk has, and where: from the row pointers alone, on the host.
template <class Scalar, class CsrIndex, class Index, class Exec>
void ShapeLayout(const Csr<Scalar, CsrIndex> &csr, std::int64_t sigma, std::int64_t longest, std::int64_t piece_entries, Layout<Scalar, Index, Exec> &layout)
{
  const RowLengths<CsrIndex>                lengths{csr.host_row_ptr};
  const RowBound                            bound{layout.height, layout.trimmed && layout.bound == kDecide ? std::min<std::int64_t>(csr.cols, longest) : layout.bound, longest};
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

/// All but columns and values.
template <class Scalar, class CsrIndex, class Index, class Exec>
void BuildPattern(const Csr<Scalar, CsrIndex> &csr, std::int64_t sigma, Layout<Scalar, Index, Exec> &layout)
{
  std::int64_t entries;
  if constexpr (kOnHost<Exec>) {
    ShapeLayout(csr, sigma, std::numeric_limits<std::int64_t>::max(), kPieceEntries<Exec>, layout);
    entries = layout.chunk_ptr[static_cast<std::size_t>(layout.chunks)];
  } else {
    Layout<Scalar, Index, HostExec> shape;
    static_cast<Parameters<Index> &>(shape) = layout;
    ShapeLayout(csr, sigma, kLongestOnDevice, kPieceEntries<Exec>, shape);
    entries                                  = shape.chunk_ptr[static_cast<std::size_t>(shape.chunks)];
    static_cast<Parameters<Index> &>(layout) = shape;
    CopyIn<Exec>(layout.chunk_ptr, shape.chunk_ptr);
    CopyIn<Exec>(layout.full, shape.full);
    CopyIn<Exec>(layout.row_len, shape.row_len);
    CopyIn<Exec>(layout.perm, shape.perm);
    CopyIn<Exec>(layout.rest_ptr, shape.rest_ptr);
    CopyIn<Exec>(layout.remainder.row, shape.remainder.row);
    CopyIn<Exec>(layout.remainder.piece_ptr, shape.remainder.piece_ptr);
    CopyIn<Exec>(layout.remainder.entry, shape.remainder.entry);
    layout.remainder.rows    = shape.remainder.rows;
    layout.remainder.entries = shape.remainder.entries;
  }
  auto &remainder = layout.remainder;
  layout.val.Allocate(static_cast<std::size_t>(entries));
  remainder.col_idx.Allocate(static_cast<std::size_t>(remainder.entries));
  remainder.val.Allocate(static_cast<std::size_t>(remainder.entries));
  remainder.sum.Allocate(remainder.row.size());
}

} // namespace petscspmv::sellcs
