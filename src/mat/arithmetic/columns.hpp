// Column indices of a layout, in 16 bits where they suffice.
#pragma once

#include "mat/arithmetic/conversion.hpp"
#include "mat/arithmetic/load.hpp"
#include "mat/exec/host.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace petscspmv {

/// In place of a base: marks a block whose columns are too far apart for 16-bit offsets.
inline constexpr int kFar = -1;

/// The range of the columns of a block (a chunk, a tile).
template <class Index>
class ColumnRange {
public:
  KOKKOS_FORCEINLINE_FUNCTION void Add(Index column)
  {
    least_ = column < least_ ? column : least_;
    most_  = column > most_ ? column : most_;
  }

  KOKKOS_FORCEINLINE_FUNCTION void Add(const ColumnRange &other)
  {
    least_ = other.least_ < least_ ? other.least_ : least_;
    most_  = other.most_ > most_ ? other.most_ : most_;
  }

  /// The smallest column if 16-bit offsets from it reach all others, otherwise kFar.
  KOKKOS_FORCEINLINE_FUNCTION Index Base() const
  {
    if (most_ < least_) return 0; // a block without entries
    return most_ - least_ <= std::numeric_limits<std::uint16_t>::max() ? least_ : Index{kFar};
  }

private:
  Index least_ = std::numeric_limits<Index>::max(), most_ = 0;
};

/// The column indices of a layout's blocks. Within a block, either all are 16-bit offsets from a base, or all are plain.
template <class Index, class Space>
struct Columns {
  Array<Index, Space>         base; // each block's base or, if it is plain, kFar; empty if all blocks are plain
  Array<std::int64_t, Space>  at;   // where each block begins in `offsets` or `plain`; empty if `base` is
  Array<std::uint16_t, Space> offsets;
  Array<Index, Space>         plain;
  std::int64_t                offset_blocks = 0; // blocks stored as offsets

  std::size_t Bytes() const { return base.bytes() + at.bytes() + offsets.bytes() + plain.bytes(); }
};

/// Columns as kernels read them.
template <class Index>
struct ColumnsView {
  const Index         *base;
  const std::int64_t  *at;
  const std::uint16_t *offsets;
  const Index         *plain;

  template <class Space>
  explicit ColumnsView(const Columns<Index, Space> &columns) :
    base(columns.base.data()), at(columns.at.data()), offsets(columns.offsets.data()), plain(columns.plain.data())
  {
  }

  KOKKOS_FORCEINLINE_FUNCTION bool HasOffsets(std::int64_t block) const { return base && base[block] != kFar; }

  /// The columns of a block: of one with offsets, or of a plain one whose first entry is number `begin` overall.
  KOKKOS_FORCEINLINE_FUNCTION const std::uint16_t *Offsets(std::int64_t block) const { return offsets + at[block]; }
  KOKKOS_FORCEINLINE_FUNCTION const Index         *Plain(std::int64_t block, std::int64_t begin) const
  {
    return plain + (base ? at[block] : begin);
  }

  /// Calls f(columns, x) for a block whose first entry is number `begin` overall. With offsets, x begins at the block's base.
  template <class Scalar, class F>
  KOKKOS_FORCEINLINE_FUNCTION auto With(std::int64_t block, std::int64_t begin, const Scalar *x, const F &f) const
  {
    if (HasOffsets(block)) return f(Offsets(block), x + base[block]);
    return f(Plain(block, begin), x);
  }

  /// The column of entry k of the block.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t Column(std::int64_t block, std::int64_t begin, std::int64_t k) const
  {
    if (HasOffsets(block)) return std::int64_t{base[block]} + Offsets(block)[k];
    return Plain(block, begin)[k];
  }
};

template <class Index>
struct OffsetFrom {
  Index base;

  template <class Column>
  KOKKOS_FORCEINLINE_FUNCTION std::uint16_t operator()(Column column) const
  {
    return static_cast<std::uint16_t>(column - static_cast<Column>(base));
  }
};

/// Writes the columns of a layout.
template <class Index>
struct ColumnsWriter {
  ColumnsView<Index> columns;
  std::uint16_t     *offsets;
  Index             *plain;

  template <class Space>
  explicit ColumnsWriter(Columns<Index, Space> &of) : columns(of), offsets(of.offsets.data()), plain(of.plain.data())
  {
  }

  /// Calls put(memory, conversion) to write a block whose first entry is number `begin` overall.
  template <class Put>
  KOKKOS_FORCEINLINE_FUNCTION void Write(std::int64_t block, std::int64_t begin, const Put &put) const
  {
    if (columns.HasOffsets(block)) put(offsets + columns.at[block], OffsetFrom<Index>{columns.base[block]});
    else put(plain + (columns.Plain(block, begin) - columns.plain), Convert<Index>());
  }
};

/// The smallest share of entries with offsets for which blocks with offsets and plain blocks are mixed. The next block's kind must
/// be predictable: mispredicted branches cost more than the bytes saved.
inline constexpr double kEnoughOffsets = 0.875;

/// The number of a block's entries if it has offsets (`offsets` true) or is plain (`offsets` false), otherwise 0.
template <bool offsets, class EntriesOf, class Index>
struct CountColumns {
  EntriesOf    entries_of;
  const Index *base;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t block) const
  {
    return (base[block] != kFar) == offsets ? entries_of(block) : 0;
  }
};

template <class Index>
struct HasBase {
  const Index *base;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t block) const { return base[block] != kFar; }
};

template <class Index>
struct ChoosePlace {
  const Index        *base;
  const std::int64_t *offsets_before, *plain_before;
  std::int64_t       *at;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    at[block] = base[block] == kFar ? plain_before[block] : offsets_before[block];
  }
};

/// How many entries of a layout are in blocks with offsets, and how many in plain blocks.
struct ColumnCounts {
  std::int64_t offsets, plain;
};

/// Writes to `at` where each block begins among the offsets or the plain indices.
template <class Exec, class EntriesOf, class Index>
ColumnCounts PlaceBlocks(const Exec &exec, std::int64_t blocks, const EntriesOf &entries_of, const Index *base, std::int64_t *at)
{
  ColumnCounts                                     total{0, 0};
  Array<std::int64_t, typename Exec::memory_space> offsets(static_cast<std::size_t>(blocks) + 1),
    plain(static_cast<std::size_t>(blocks) + 1);
  total.offsets = exec.Scan("CountOffsets", blocks, CountColumns<true, EntriesOf, Index>{entries_of, base}, offsets.data());
  total.plain   = exec.Scan("CountPlain", blocks, CountColumns<false, EntriesOf, Index>{entries_of, base}, plain.data());
  exec.ForThreads("PlaceBlocks", blocks, ChoosePlace<Index>{base, offsets.data(), plain.data(), at});
  return total;
}

/// Chooses between offsets and plain indices, and allocates them. entries_of(b) returns the number of entries of block b, and
/// find_bases(base) writes ColumnRange::Base() of each block. Offsets are used if `offsets` is set, enough entries can have them,
/// and they save bytes.
template <class Exec, class FindBases, class EntriesOf, class Index>
void ShapeColumns(const Exec &exec, bool offsets, std::int64_t blocks, std::int64_t entries, const FindBases &find_bases,
                  const EntriesOf &entries_of, Columns<Index, typename Exec::memory_space> &columns)
{
  columns = {};
  if (offsets) {
    columns.base.Allocate(static_cast<std::size_t>(blocks));
    columns.at.Allocate(static_cast<std::size_t>(blocks));
    find_bases(columns.base.data());
    const ColumnCounts total = PlaceBlocks(exec, blocks, entries_of, columns.base.data(), columns.at.data());
    columns.offsets.Allocate(static_cast<std::size_t>(total.offsets));
    columns.plain.Allocate(static_cast<std::size_t>(total.plain));
    if (static_cast<double>(entries - total.plain) >= kEnoughOffsets * static_cast<double>(entries) &&
        columns.Bytes() < static_cast<std::size_t>(entries) * sizeof(Index)) {
      columns.offset_blocks = exec.Sum("CountBases", blocks, HasBase<Index>{columns.base.data()});
      return;
    }
    columns = {};
  }
  columns.plain.Allocate(static_cast<std::size_t>(entries));
}

} // namespace petscspmv
