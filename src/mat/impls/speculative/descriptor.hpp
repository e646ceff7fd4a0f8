// Where tiles and their segments begin, computed on the fly from row_ptr (paper, Algorithm 1, lines 3-21).
#pragma once

#include "mat/arithmetic/lanes.hpp"

#include <cstdint>

namespace petscspmv::speculative {

/// The number of row pointers that fit in a register.
template <class Index>
inline constexpr int kPointersTogether = kRegisterBytes / static_cast<int>(sizeof(Index));
template <class Index>
using Pointers = lanes::Vector<lanes::IntOf<Index>, kPointersTogether<Index>>;

/// The sum of the counts of all lanes.
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION Index CountOf(const Pointers<Index> &counts)
{
  Index count = 0;
  for (int i = 0; i < kPointersTogether<Index>; ++i) count += static_cast<Index>(counts[i]);
  return count;
}

/// RowOf() for an entry not far after the start of row `row`. Reads all row pointers in between, several at a time and without a
/// branch for each: Describe() needs them anyway.
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION Index WalkTo(const Index *row_ptr, Index rows, Index row, Index entry)
{
  constexpr Index kStride = 16;
  while (rows - row >= kStride && row_ptr[row + kStride] <= entry) row += kStride;
  if (rows - row >= kStride) {
    const auto      last = lanes::All<lanes::IntOf<Index>, kPointersTogether<Index>>(entry);
    Pointers<Index> passed{};
    for (Index i = 1; i <= kStride; i += kPointersTogether<Index>)
      passed -= lanes::LoadVector<Pointers<Index>>(row_ptr + row + i) <= last;
    return row + CountOf<Index>(passed);
  }
  while (row < rows && row_ptr[row + 1] <= entry) ++row;
  return row;
}

/// Counts the rows begin .. end-1 that have entries.
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION Index NonemptyRows(const Index *row_ptr, Index begin, Index end)
{
  Pointers<Index> counts{};
  Index           row = begin;
  for (; row + kPointersTogether<Index> <= end; row += kPointersTogether<Index>)
    counts -= lanes::LoadVector<Pointers<Index>>(row_ptr + row) != lanes::LoadVector<Pointers<Index>>(row_ptr + row + 1);
  Index nonempty = CountOf<Index>(counts);
  for (; row < end; ++row) nonempty += row_ptr[row] != row_ptr[row + 1];
  return nonempty;
}

/// starts[k] = row_ptr[k] - first for k = 0 .. n-1.
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION void StartsOf(const Index *row_ptr, Index n, Index first, int *starts)
{
  const auto from = lanes::All<lanes::IntOf<Index>, kPointersTogether<Index>>(first);
  Index      k    = 0;
  for (; k + kPointersTogether<Index> <= n; k += kPointersTogether<Index>) {
    lanes::StoreVector(starts + k, __builtin_convertvector(lanes::LoadVector<Pointers<Index>>(row_ptr + k) - from,
                                                           lanes::Vector<std::int32_t, kPointersTogether<Index>>));
  }
  for (; k < n; ++k) starts[k] = static_cast<int>(row_ptr[k] - first);
}

/// Calls f(row) for rows begin .. end-1, but skips most rows of the long runs of empty rows found in off-diagonal blocks.
template <class Index, class Functor>
KOKKOS_FORCEINLINE_FUNCTION void ForRowsWithEntries(const Index *row_ptr, Index begin, Index end, const Functor &f)
{
  constexpr Index kStride = 16;
  for (Index row = begin; row < end;) {
    const Index next = end - row > kStride ? row + kStride : end;
    if (row_ptr[row] == row_ptr[next]) row = next;
    for (; row < next; ++row) f(row);
  }
}

/// The segments of a tile in compact form ("the effective part" of section 3.2): where in the tile the first entry of each is.
/// ScatterFlags() makes flags of it for lanes that need them.
template <class Index>
struct Segments {
  Index start;  // row of the first segment
  Index stop;   // row of the next tile's first entry
  int   count;  // segments, at least 1
  bool  open;   // the last segment belongs to row `stop` and continues in the next tile
  bool  dirty;  // some row between start and stop is empty
  int  *starts; // count + 1; the last is the number of entries

  int Complete() const { return count - open; }
};

/// Lines 9-21 for the entries begin .. end-1, the first of which is in row `start`.
///
/// As printed, the lines omit a flag that Figure 3 shows: that of row `stop`, if the row begins inside the tile and continues in
/// the next (5e there). row_ptr[stop] < end then also means that the last segment is open; for that, the paper tests `index = stop`
/// (line 47), which fails in dirty tiles.
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION void Describe(const Index *row_ptr, Index rows, Index start, Index begin, Index end,
                                          Segments<Index> &segments)
{
  const Index stop = WalkTo(row_ptr, rows, start, end), between = stop > start ? stop - start - 1 : 0;
  segments.start     = start;
  segments.stop      = stop;
  segments.dirty     = NonemptyRows(row_ptr, static_cast<Index>(start + 1), static_cast<Index>(start + 1 + between)) != between;
  segments.open      = row_ptr[stop] < end;
  segments.starts[0] = 0;
  int n              = 1;
  if (!segments.dirty) {
    StartsOf(row_ptr + start + 1, between, begin, segments.starts + 1);
    n += static_cast<int>(between);
  } else {
    ForRowsWithEntries(row_ptr, static_cast<Index>(start + 1), stop, [&](Index row) {
      segments.starts[n] = static_cast<int>(row_ptr[row] - begin); // overwritten if the row is empty
      n += row_ptr[row] != row_ptr[row + 1];
    });
  }
  if (segments.open && stop > start) segments.starts[n++] = static_cast<int>(row_ptr[stop] - begin);
  segments.starts[n] = static_cast<int>(end - begin);
  segments.count     = n;
}

} // namespace petscspmv::speculative
