// From CSR to SELL-C-sigma, and the refresh of values, host mapping.
#pragma once

#include "mat/arithmetic/column_lanes.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/value_source.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/impls/sellcs/layout.hpp"
#include "mat/impls/sellcs/shape.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace petscspmv::sellcs {

/// The positions in CSR of the rows of `Width` adjacent lanes of a chunk.
template <std::int64_t Width, class Scalar, class Index, class CsrIndex>
struct LaneRows {
  const Index *row_len;
  std::int64_t begin[Width], last[Width]; // of each lane's row: its first entry, and the number of its last

  KOKKOS_FORCEINLINE_FUNCTION LaneRows(const Chunks<Scalar, Index> &a, const CsrIndex *row_ptr, std::int64_t c, std::int64_t lane) :
    row_len(a.row_len + c * a.height + lane)
  {
    const std::int64_t of_chunk = a.IsEmpty(c) ? 0 : a.FirstEntry(c, row_ptr);
    for (std::int64_t i = 0; i < Width; ++i) {
      begin[i] = row_len[i] > 0 ? row_ptr[a.RowOf(c * a.height + lane + i)] : of_chunk;
      last[i]  = std::max<std::int64_t>(row_len[i], 1) - 1;
    }
  }

  /// Entry j of a row; beyond its end, the last entry again; for an empty row, some entry of the chunk.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t At(std::int64_t i, std::int64_t j) const { return begin[i] + std::min(j, last[i]); }
};

/// Fills the lanes of a chunk, several at a time: row by row would be simpler, but its stores would be far apart.
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

/// Copies the entries of `Width` lanes to a chunk that begins at `to`, and the rests of their rows. Padding is the row's last
/// entry or zero.
template <bool repeat_last, std::int64_t Width, class From, class To, class Scalar, class Index, class CsrIndex,
          class Conversion = Convert<To>>
KOKKOS_FORCEINLINE_FUNCTION void FillLanes(const Chunks<Scalar, Index> &a, const LaneRows<Width, Scalar, Index, CsrIndex> &rows,
                                           const From *csr, std::int64_t c, std::int64_t lane, To *to,
                                           const Conversion &conversion = {})
{
  const std::int64_t columns = a.Width(c);
  for (std::int64_t j = 0; j < columns; ++j) {
    Prefetch<true>()(csr, Width, rows.begin[0] + j * Width); // rows that were not permuted are contiguous
    WriteLanes<Width>(
      conversion,
      [&](int i) PETSCSPMV_INLINE_LAMBDA {
        const From entry = csr[rows.At(i, j)];
        return repeat_last || j < rows.row_len[i] ? entry : From(0);
      },
      to + j * a.height + lane);
  }
  for (std::int64_t i = 0; a.rest_ptr && i < Width; ++i) {
    To *rest = to + (a.rest_ptr[c * a.height + lane + i] - a.chunk_ptr[c]);
    for (std::int64_t j = columns; j < rows.row_len[i]; ++j) rest[j - columns] = conversion(csr[rows.begin[i] + j]);
  }
}

/// Calls f(begin, n) for the entries of a chunk in CSR, joining rows that are contiguous there.
template <class Scalar, class Index, class CsrIndex, class F>
KOKKOS_FORCEINLINE_FUNCTION void ForAllRuns(const Chunks<Scalar, Index> &a, const CsrIndex *row_ptr, std::int64_t c, const F &f)
{
  std::int64_t begin = 0, end = 0;
  for (std::int64_t slot = c * a.height; slot < c * a.height + a.Lanes(c); ++slot) {
    if (a.row_len[slot] == 0) continue;
    const std::int64_t first = row_ptr[a.RowOf(slot)];
    if (first != end) {
      if (begin < end) f(begin, end - begin);
      begin = first;
    }
    end = first + a.row_len[slot];
  }
  if (begin < end) f(begin, end - begin);
}

/// Fills in values; padding is zero.
template <class Scalar, class Index, class CsrIndex>
struct FillValuesOf {
  Chunks<Scalar, Index> a;
  const CsrIndex       *row_ptr;
  const Scalar         *csr;
  ValuesTarget<Scalar>  target;

  template <std::int64_t Width>
  KOKKOS_FORCEINLINE_FUNCTION void Lanes(std::int64_t c, std::int64_t lane) const
  {
    const LaneRows<Width, Scalar, Index, CsrIndex> rows(a, row_ptr, c, lane);
    target.Write(c, a.chunk_ptr[c], [&](auto *to, const auto &conversion) PETSCSPMV_INLINE_LAMBDA {
      FillLanes<false>(a, rows, csr, c, lane, to, conversion);
    });
  }
};

/// The values of the chunks, for arithmetic/value_source.hpp.
template <class Scalar, class Index, class CsrIndex>
struct ChunkValues {
  Chunks<Scalar, Index> a;
  const CsrIndex       *row_ptr;
  const Scalar         *csr;

  KOKKOS_FORCEINLINE_FUNCTION BlockBits<Scalar> Bits(const ValueRule<Scalar> &rule, std::int64_t c) const
  {
    BlockBits<Scalar> bits(csr[a.FirstEntry(c, row_ptr)], rule);
    ForAllRuns(a, row_ptr, c,
               [&](std::int64_t begin, std::int64_t n) PETSCSPMV_INLINE_LAMBDA { AddValues(csr + begin, n, rule, bits); });
    return bits;
  }
  KOKKOS_FORCEINLINE_FUNCTION ValueKind Kind(const ValueRule<Scalar> &rule, std::int64_t c) const
  {
    return a.IsEmpty(c) ? ValueKind::Full : Bits(rule, c).Kind();
  }
  KOKKOS_FORCEINLINE_FUNCTION void Write(std::int64_t c, const ValuesTarget<Scalar> &target) const
  {
    if (target.Kind(c) == ValueKind::One) target.SetOne(c, csr[a.FirstEntry(c, row_ptr)]);
    else FillChunk<FillValuesOf<Scalar, Index, CsrIndex>>{{a, row_ptr, csr, target}}(c);
  }
};

/// Fills in columns. Padding repeats the row's last column: its x is in cache (the product loads x there without using it).
template <class Scalar, class Index, class CsrIndex>
struct FillColumnsOf {
  Chunks<Scalar, Index> a;
  const CsrIndex       *row_ptr;
  const CsrIndex       *csr;
  ColumnsTarget<Index>  target;

  template <std::int64_t Width>
  KOKKOS_FORCEINLINE_FUNCTION void Lanes(std::int64_t c, std::int64_t lane) const
  {
    const LaneRows<Width, Scalar, Index, CsrIndex> rows(a, row_ptr, c, lane);
    target.Write(c, a.chunk_ptr[c], [&](auto *to, const auto &conversion) PETSCSPMV_INLINE_LAMBDA {
      FillLanes<true>(a, rows, csr, c, lane, to, conversion);
    });
  }
};

/// The smallest column of a chunk if 16-bit offsets from it reach all of its columns, otherwise kFar.
template <class Scalar, class Index, class CsrIndex>
struct BaseOfChunk {
  Chunks<Scalar, Index> a;
  const CsrIndex       *row_ptr;
  const CsrIndex       *col_idx;

  KOKKOS_FORCEINLINE_FUNCTION CsrIndex operator()(std::int64_t c) const
  {
    ColumnRange<CsrIndex> range;
    ForAllRuns(a, row_ptr, c,
               [&](std::int64_t begin, std::int64_t n) PETSCSPMV_INLINE_LAMBDA { AddColumns(col_idx + begin, n, range); });
    return range.Base();
  }
};

/// Copies the entries of long rows.
template <class From, class To, class Scalar, class Index, class Exec>
void FillRemainder(const From *source, const Layout<Scalar, Index, Exec> &layout, To *target)
{
  const auto &r = layout.remainder;
  for (std::size_t k = 0; k < r.row.size(); ++k)
    std::transform(source + r.entry[k], source + r.entry[k] + (r.piece_ptr[k + 1] - r.piece_ptr[k]), target + r.piece_ptr[k],
                   [](const From &entry) { return static_cast<To>(entry); });
}

template <OnProcessor Exec, class Scalar, class CsrIndex, class Index>
void FillColumns(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  using Base     = BaseOfChunk<Scalar, Index, CsrIndex>;
  layout.columns = {};
  const Chunks                        chunks(layout);
  const EntriesOfChunk<Scalar, Index> entries_of{chunks};
  const Base                          base_of{chunks, csr.row_ptr, csr.col_idx};
  const bool                          offsets    = layout.offsets && SampleIsNear(layout.chunks, base_of, entries_of);
  const auto                          find_bases = [&](Index *base) {
    exec.For("SELLCSFindBases", layout.chunks, static_cast<std::size_t>(layout.entries), FindBase<Base, Index>{base_of, base});
  };
  ShapeColumns(exec, offsets, layout.chunks, layout.entries, find_bases, entries_of, layout.columns);
  exec.For("SELLCSFillColumns", layout.chunks, static_cast<std::size_t>(layout.entries),
           FillChunk<FillColumnsOf<Scalar, Index, CsrIndex>>{
             {Chunks(layout), csr.row_ptr, csr.col_idx, ColumnsTarget<Index>(layout.columns)}});
  FillRemainder(csr.col_idx, layout, layout.remainder.col_idx.data());
}

/// Calls f with the source of the chunks' values.
template <OnProcessor Exec, class Scalar, class CsrIndex, class Index, class F>
void WithValues(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, const Layout<Scalar, Index, Exec> &layout, const F &f)
{
  using EntriesOf = EntriesOfChunk<Scalar, Index>;
  using Of        = ChunkValues<Scalar, Index, CsrIndex>;
  const Chunks chunks(layout); // its view of values is not used
  f(ValueSource<Exec, Scalar, CsrIndex, EntriesOf, Of>{{exec, csr, layout.chunks, layout.entries, EntriesOf{chunks}},
                                                       Of{chunks, csr.row_ptr, csr.val}});
}

template <OnProcessor Exec, class Scalar, class CsrIndex, class Index>
void FillRemainderValues(const Exec &, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  FillRemainder(csr.val, layout, layout.remainder.val.data());
}

/// Builds all but columns and values.
template <OnProcessor Exec, class Scalar, class CsrIndex, class Index>
void BuildPattern(const Exec &, const Csr<Scalar, CsrIndex> &csr, std::int64_t sigma, Layout<Scalar, Index, Exec> &layout)
{
  ShapeLayout(csr, sigma, std::numeric_limits<std::int64_t>::max(), kPieceEntries<Exec>, layout);
  AllocateRemainder(layout);
}

} // namespace petscspmv::sellcs
