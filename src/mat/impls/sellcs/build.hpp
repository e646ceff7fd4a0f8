// From CSR to SELL-C-sigma, and the refresh of values, host mapping.
#pragma once

#include "mat/arithmetic/column_lanes.hpp"
#include "mat/arithmetic/column_source.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/row_lanes.hpp"
#include "mat/arithmetic/value_source.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/impls/sellcs/blocks.hpp"
#include "mat/impls/sellcs/layout.hpp"
#include "mat/impls/sellcs/runs.hpp"
#include "mat/impls/sellcs/shape.hpp"

#include <algorithm>
#include <cstdint>

namespace petscspmv::sellcs {

/// The matrix as chunks are filled from it: the entries of one of its arrays.
template <class Scalar, class Index, class CsrIndex, class Entry>
struct ChunkSource {
  Chunks<Scalar, Index> a;
  const CsrIndex       *row_ptr;
  const Entry          *csr;
  std::int64_t          entries; // of csr
  std::int64_t          rows;    // whose chunks follow each other as the rows do, window by window

  KOKKOS_FORCEINLINE_FUNCTION Entry First(std::int64_t c) const { return csr[a.FirstEntry(c, row_ptr)]; }

  /// Prefetches as many rows of the next window, in the order of CSR: in their own order they come as a surprise to hardware.
  KOKKOS_FORCEINLINE_FUNCTION void PrefetchWindow(std::int64_t slot, std::int64_t n) const
  {
    const std::int64_t begin = std::min<std::int64_t>(rows, slot + kSmallWindow * a.height),
                       end   = std::min<std::int64_t>(rows, begin + n);
    PrefetchLines(csr + row_ptr[begin], csr + row_ptr[end]);
  }
};

/// Whether the entries of a chunk's first lanes fit RowLanes of kSideBySide rows, and so need to be loaded once only.
inline constexpr int kSideBySide = 8;
template <class Entry, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION bool IsLoadedOnce(const Chunks<Scalar, Index> &a, std::int64_t c, std::int64_t lanes)
{
  return lanes == kSideBySide && !a.rest_ptr && !a.HasHoles(c) && a.Width(c) <= RowLanes<Entry, kSideBySide>::kColumns;
}

/// Calls f(columns, first, n) for the columns first .. first + n - 1 of `Width` adjacent lanes of a chunk. Padding is zero, or it
/// repeats the row's last entry, and some entry of the chunk in an empty row.
template <int Width, bool repeat, class Scalar, class Index, class CsrIndex, class Entry, class F>
KOKKOS_FORCEINLINE_FUNCTION void ForColumns(const ChunkSource<Scalar, Index, CsrIndex, Entry> &source, std::int64_t c,
                                            std::int64_t lane, const F &f)
{
  const Chunks<Scalar, Index> &a    = source.a;
  const std::int64_t           slot = c * a.height + lane, columns = a.Width(c), full = a.full[c];
  const Index                 *row_len  = a.row_len + slot;
  const std::int64_t           of_chunk = full > 0 || a.IsEmpty(c) ? 0 : a.FirstEntry(c, source.row_ptr);
  RowLanes<Entry, Width>       part;
  std::int64_t                 begin[Width];
  if (a.perm) source.PrefetchWindow(slot, Width);
  for (int i = 0; i < Width; ++i) begin[i] = row_len[i] > 0 ? source.row_ptr[a.RowOf(slot + i)] : of_chunk;
  for (std::int64_t first = 0; first < columns; first += part.kColumns) {
    const int n = static_cast<int>(std::min<std::int64_t>(part.kColumns, columns - first));
    if (!a.perm) Prefetch<true>()(source.csr, n * Width, begin[0] + first * Width); // the rows are contiguous
    part.Load(source.csr, source.entries, begin, first, n);
    if (first + n > full)
      part.Pad(row_len, first, n, [&](int i) PETSCSPMV_INLINE_LAMBDA {
        return repeat ? source.csr[begin[i] + std::max<std::int64_t>(row_len[i], 1) - 1] : Entry(0);
      });
    f(part, first, n);
  }
}

/// Calls f.template operator()<Width>(lane) for the first lanes of a chunk, several at a time.
template <class F>
KOKKOS_FORCEINLINE_FUNCTION void ForLanesOfChunk(std::int64_t lanes, const F &f)
{
  std::int64_t lane = 0;
  for (; lane + kSideBySide <= lanes; lane += kSideBySide) f.template operator()<kSideBySide>(lane);
  for (; lane < lanes; ++lane) f.template operator()<1>(lane);
}

/// Writes the entries of a chunk with runs of which rows miss some. Padding is zero.
template <class Scalar, class Index, class CsrIndex, class Entry, class To, class Conversion>
KOKKOS_FORCEINLINE_FUNCTION void WriteRuns(const ChunkSource<Scalar, Index, CsrIndex, Entry> &source, std::int64_t c, To *to,
                                           const Conversion &conversion)
{
  const Chunks<Scalar, Index> &a     = source.a;
  const RunStep<Index>        *steps = a.Steps(c);
  for (std::int64_t lane = 0; lane < a.height; ++lane) {
    const std::int64_t slot = c * a.height + lane;
    const Entry       *next = a.row_len[slot] > 0 ? source.csr + source.row_ptr[a.RowOf(slot)] : nullptr;
    for (std::int64_t j = 0; j < a.Width(c); ++j)
      to[j * a.height + lane] = conversion(steps[j].lanes >> lane & 1 ? *next++ : Entry(0));
  }
}

/// Writes the entries of a chunk's first lanes to `to`, and behind their columns the rests of the rows.
template <bool repeat, class Scalar, class Index, class CsrIndex, class Entry, class To, class Conversion>
KOKKOS_FORCEINLINE_FUNCTION void WriteChunk(const ChunkSource<Scalar, Index, CsrIndex, Entry> &source, std::int64_t c,
                                            std::int64_t lanes, To *to, const Conversion &conversion)
{
  const Chunks<Scalar, Index> &a = source.a;
  if (a.HasHoles(c)) return WriteRuns(source, c, to, conversion);
  ForLanesOfChunk(lanes, [&]<int Width>(std::int64_t lane) PETSCSPMV_INLINE_LAMBDA {
    ForColumns<Width, repeat>(source, c, lane, [&](const auto &part, std::int64_t first, int n) PETSCSPMV_INLINE_LAMBDA {
      for (int j = 0; j < n; ++j) ConvertLanes<Width>(conversion, part[j], to + (first + j) * lanes + lane);
    });
  });
  for (std::int64_t slot = c * a.height; a.rest_ptr && slot < (c + 1) * a.height; ++slot) {
    To *rest = to + (a.rest_ptr[slot] - a.chunk_ptr[c]);
    for (std::int64_t j = a.full[c]; j < a.row_len[slot]; ++j)
      rest[j - a.full[c]] = conversion(source.csr[source.row_ptr[a.RowOf(slot)] + j]);
  }
}

/// Loads the first lanes of a chunk, which IsLoadedOnce(), their padding as in ForColumns(), and calls f(columns, their number).
template <class Scalar, class Index, class CsrIndex, class Entry, class F>
KOKKOS_FORCEINLINE_FUNCTION void WithWholeChunk(const ChunkSource<Scalar, Index, CsrIndex, Entry> &source, std::int64_t c,
                                                const F &f)
{
  ForColumns<kSideBySide, true>(source, c, 0, [&](auto &part, std::int64_t, int n) PETSCSPMV_INLINE_LAMBDA { f(part, n); });
}

/// Calls f(begin, n) for the entries of a chunk's first lanes in CSR, joining rows that are contiguous there.
template <class Scalar, class Index, class CsrIndex, class F>
KOKKOS_FORCEINLINE_FUNCTION void ForAllRuns(const Chunks<Scalar, Index> &a, const CsrIndex *row_ptr, std::int64_t c,
                                            std::int64_t lanes, const F &f)
{
  std::int64_t begin = 0, end = 0;
  for (std::int64_t slot = c * a.height; slot < c * a.height + std::min(lanes, a.Lanes(c)); ++slot) {
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

/// Calls f(entries, n) for all entries of a chunk's first lanes, in any order, and some of them again.
template <class Scalar, class Index, class CsrIndex, class Entry, class F>
KOKKOS_FORCEINLINE_FUNCTION void ForAllEntries(const ChunkSource<Scalar, Index, CsrIndex, Entry> &source, std::int64_t c,
                                               std::int64_t lanes, const F &f)
{
  const Chunks<Scalar, Index> &a = source.a;
  if (a.perm && IsLoadedOnce<Entry>(a, c, lanes)) { // as runs, they would be looked at number by number
    WithWholeChunk(source, c, [&](const auto &part, int n) PETSCSPMV_INLINE_LAMBDA { f(part[0], std::int64_t{n} * kSideBySide); });
  } else {
    ForAllRuns(a, source.row_ptr, c, lanes,
               [&](std::int64_t begin, std::int64_t n) PETSCSPMV_INLINE_LAMBDA { f(source.csr + begin, n); });
  }
}

/// The values of the chunks, for arithmetic/value_source.hpp. Padding is zero.
template <class Scalar, class Index, class CsrIndex>
struct ChunkValues {
  ChunkSource<Scalar, Index, CsrIndex, Scalar> source;

  KOKKOS_FORCEINLINE_FUNCTION bool IsFull(std::int64_t c) const { return source.a.IsEmpty(c); }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t Begin(std::int64_t c) const { return source.a.chunk_ptr[c]; }
  KOKKOS_FORCEINLINE_FUNCTION BlockBits<Scalar> Bits(const ValueRule<Scalar> &rule, std::int64_t c) const
  {
    BlockBits<Scalar> bits(source.First(c), rule);
    ForAllEntries(source, c, source.a.height,
                  [&](const Scalar *val, std::int64_t n) PETSCSPMV_INLINE_LAMBDA { AddValues(val, n, rule, bits); });
    return bits;
  }
  KOKKOS_FORCEINLINE_FUNCTION void Write(std::int64_t c, const ValuesTarget<Scalar> &target) const
  {
    if (target.Kind(c) == ValueKind::One) return target.SetOne(c, source.First(c));
    target.Write(c, source.a.chunk_ptr[c], [&](auto *to, const auto &conversion) PETSCSPMV_INLINE_LAMBDA {
      WriteChunk<false>(source, c, source.a.height, to, conversion);
    });
  }
  template <class Fits>
  KOKKOS_FORCEINLINE_FUNCTION BlockBits<Scalar> WriteIf(std::int64_t c, const ValuesTarget<Scalar> &target, const Fits &fits) const
  {
    if (!source.a.perm || !IsLoadedOnce<Scalar>(source.a, c, source.a.height)) {
      const BlockBits<Scalar> bits = Bits(target.rule, c);
      if (fits(bits)) Write(c, target);
      return bits;
    }
    BlockBits<Scalar> bits(source.First(c), target.rule);
    WithWholeChunk(source, c, [&](auto &part, int n) PETSCSPMV_INLINE_LAMBDA {
      AddValues<false>(part[0], std::int64_t{n} * kSideBySide, target.rule, bits);
      if (!fits(bits)) return;
      if (target.Kind(c) == ValueKind::One) return target.SetOne(c, source.First(c));
      if (n > source.a.full[c])
        part.Pad(source.a.row_len + c * kSideBySide, 0, n, [](int) PETSCSPMV_INLINE_LAMBDA { return Scalar(0); });
      target.Write(c, Begin(c), [&](auto *to, const auto &conversion) PETSCSPMV_INLINE_LAMBDA {
        for (int j = 0; j < n; ++j) ConvertLanes<kSideBySide>(conversion, part[j], to + j * kSideBySide);
      });
    });
    return bits;
  }
};

/// The columns of the chunks without runs, for arithmetic/column_source.hpp. Padding repeats the row's last column: its x is in
/// cache (the product loads x there without using it).
template <class Scalar, class Index, class CsrIndex>
struct ChunkColumns {
  ChunkSource<Scalar, Index, CsrIndex, CsrIndex> source;

  std::int64_t Begin(std::int64_t c) const { return source.a.HasRuns(c) ? 0 : source.a.ColumnsBegin(c); }
  std::int64_t Entries(std::int64_t c) const
  {
    return source.a.HasRuns(c) ? 0 : EntriesOfChunk<Scalar, Index>{source.a}(c) / (source.a.SharesColumns(c) ? source.a.block : 1);
  }

  KOKKOS_FORCEINLINE_FUNCTION CsrIndex Base(std::int64_t c) const
  {
    ColumnRange<CsrIndex> range;
    if (Entries(c) > 0)
      ForAllEntries(source, c, source.a.ColumnLanes(c),
                    [&](const CsrIndex *col_idx, std::int64_t n) PETSCSPMV_INLINE_LAMBDA { AddColumns(col_idx, n, range); });
    return range.Base();
  }
  KOKKOS_FORCEINLINE_FUNCTION CsrIndex WriteOffsets(std::int64_t c, std::uint16_t *to) const
  {
    const std::int64_t lanes = source.a.ColumnLanes(c);
    CsrIndex           base  = 0;
    if (source.a.HasRuns(c)) return base;
    if (IsLoadedOnce<CsrIndex>(source.a, c, lanes)) {
      WithWholeChunk(source, c, [&](const auto &part, int n) PETSCSPMV_INLINE_LAMBDA {
        ColumnRange<CsrIndex> range;
        AddColumns<false>(part[0], std::int64_t{n} * kSideBySide, range);
        base = range.Base();
        for (int j = 0; base != kFar && j < n; ++j)
          ConvertLanes<kSideBySide>(OffsetFrom<CsrIndex>{base}, part[j], to + j * kSideBySide);
      });
    } else {
      base = Base(c);
      if (base != kFar) WriteChunk<true>(source, c, lanes, to, OffsetFrom<CsrIndex>{base});
    }
    return base;
  }
  template <class To, class Conversion>
  KOKKOS_FORCEINLINE_FUNCTION void Write(std::int64_t c, To *to, const Conversion &conversion) const
  {
    if (!source.a.HasRuns(c)) WriteChunk<true>(source, c, source.a.ColumnLanes(c), to, conversion);
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
  const ChunkColumns<Scalar, Index, CsrIndex> columns{{Chunks(layout), csr.row_ptr, csr.col_idx, csr.nnz(), csr.rows}};
  const std::int64_t                          entries =
    layout.column_ptr.size() > 0 ? layout.column_ptr[static_cast<std::size_t>(layout.chunks)] : layout.entries;
  FillColumnBlocks(exec, "SELLCSFillColumns", layout.offsets, layout.chunks, entries, columns, layout.columns);
  for (std::int64_t c = 0; layout.runs.base.size() > 0 && layout.columns.offset_blocks > 0 && c < layout.chunks; ++c)
    layout.columns.offset_blocks -= columns.source.a.HasRuns(c); // they count as near
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
                                                       Of{{chunks, csr.row_ptr, csr.val, csr.nnz(), csr.rows}}});
}

template <OnProcessor Exec, class Scalar, class CsrIndex, class Index>
void FillRemainderValues(const Exec &, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  FillRemainder(csr.val, layout, layout.remainder.val.data());
}

/// Builds all but columns and values.
template <OnProcessor Exec, class Scalar, class CsrIndex, class Index>
void BuildPattern(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, std::int64_t sigma, Layout<Scalar, Index, Exec> &layout)
{
  const bool shapes = layout.shapes && layout.height == DefaultChunk<HostExec, Scalar>() && !layout.trimmed;
  const auto shape  = [&](std::int64_t own_sigma) {
    const std::int64_t longest = layout.trimmed && layout.bound == kDecide ? csr.cols : layout.bound; // trimmed, it pads nothing
    ShapeLayout(csr, own_sigma, longest, kPieceEntries<Exec>, layout);
  };
  if (shapes && sigma == kDecide) layout.block = RowsOfBlocks(csr, layout.height);
  if (layout.block > 1) {
    layout.height *= layout.block;
    shape(sigma);
    FindBlocks(exec, csr, layout);
    if (!HasEnoughBlocks(layout)) ForgetBlocks(layout);
  }
  if (layout.block == 1) {
    const bool runs = shapes && SampleHasRuns(csr);
    shape(runs && sigma == kDecide ? 1 : sigma);
    if (runs) FindRuns(exec, csr, layout);
  }
  AllocateRemainder(layout);
}

} // namespace petscspmv::sellcs
