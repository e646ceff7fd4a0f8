// The entries of CSR in the order of chunks, host mapping.
#pragma once

#include "mat/arithmetic/column_lanes.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/row_lanes.hpp"
#include "mat/arithmetic/value_lanes.hpp"
#include "mat/impls/sellcs/layout.hpp"
#include "mat/impls/sellcs/sorting.hpp"

#include <algorithm>
#include <cstdint>

namespace petscspmv::sellcs {

/// What chunks are filled from: an array of CSR, the values or the columns.
template <class Scalar, class Index, class CsrIndex, class Entry>
struct ChunkSource {
  Chunks<Scalar, Index> a;
  const CsrIndex       *row_ptr;
  const Entry          *csr;
  std::int64_t          entries; // of csr
  RowsAhead             ahead;

  KOKKOS_FORCEINLINE_FUNCTION Entry First(std::int64_t c) const { return csr[a.FirstEntry(c, row_ptr)]; }

  /// Prefetches n rows that later slots hold, in the order of CSR: hardware cannot predict the order of the slots.
  KOKKOS_FORCEINLINE_FUNCTION void PrefetchAhead(std::int64_t slot, std::int64_t n) const
  {
    const std::int64_t first = ahead.First(slot, n);
    if (first < 0) return;
    const std::int64_t begin = row_ptr[first], end = row_ptr[first + n]; // upper triangles store rows from the last to the first
    PrefetchLines(csr + std::min(begin, end), csr + std::max(begin, end));
  }
};

inline constexpr int kSideBySide = 8;

/// Whether the entries of a chunk's first `lanes` lanes fit one RowLanes of kSideBySide rows, so that they are loaded only once.
template <class Entry, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION bool IsLoadedOnce(const Chunks<Scalar, Index> &a, std::int64_t c, std::int64_t lanes)
{
  return lanes == kSideBySide && !a.rest_ptr && !a.HasHoles(c) && a.Width(c) <= RowLanes<Entry, kSideBySide>::kColumns;
}

/// Calls f(columns, first, n) for the columns first .. first + n - 1 of `Width` adjacent lanes of a chunk. Padding is zero or, with
/// `repeat`, the row's last entry (for an empty row, the chunk's first entry).
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
  if (a.perm) source.PrefetchAhead(slot, Width);
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

/// Calls f.template operator()<Width>(lane) for a chunk's first `lanes` lanes: kSideBySide at a time, the rest one by one.
template <class F>
KOKKOS_FORCEINLINE_FUNCTION void ForLanesOfChunk(std::int64_t lanes, const F &f)
{
  std::int64_t lane = 0;
  for (; lane + kSideBySide <= lanes; lane += kSideBySide) f.template operator()<kSideBySide>(lane);
  for (; lane < lanes; ++lane) f.template operator()<1>(lane);
}

/// Writes the entries of a chunk with runs where some rows lack entries (HasHoles()). Padding is zero.
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

/// Writes the entries of a chunk's first `lanes` lanes to `to`; in trimmed chunks, the rests of the rows follow.
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

/// Loads the first lanes of a chunk for which IsLoadedOnce(), repeating entries as padding, and calls f(columns, their number).
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

/// Calls f(entries, n) for all entries of a chunk's first lanes, in any order; padding may repeat some of them.
template <class Scalar, class Index, class CsrIndex, class Entry, class F>
KOKKOS_FORCEINLINE_FUNCTION void ForAllEntries(const ChunkSource<Scalar, Index, CsrIndex, Entry> &source, std::int64_t c,
                                               std::int64_t lanes, const F &f)
{
  const Chunks<Scalar, Index> &a = source.a;
  if (a.perm && IsLoadedOnce<Entry>(a, c, lanes)) { // row by row, entries would be examined one by one
    WithWholeChunk(source, c, [&](const auto &part, int n) PETSCSPMV_INLINE_LAMBDA { f(part[0], std::int64_t{n} * kSideBySide); });
  } else {
    ForAllRuns(a, source.row_ptr, c, lanes,
               [&](std::int64_t begin, std::int64_t n) PETSCSPMV_INLINE_LAMBDA { f(source.csr + begin, n); });
  }
}

} // namespace petscspmv::sellcs
