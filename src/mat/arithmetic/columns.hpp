// Column indices of a layout, in 16 bits where those suffice.
#pragma once

#include "mat/arithmetic/sample.hpp"
#include "mat/exec/host.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

namespace petscspmv {

/// In place of a block's base: its columns are too far apart for 16 bits.
inline constexpr int kFar = -1;

/// The columns of a block (a chunk, a tile) as they come.
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

  /// The smallest, if 16 bits number all from there on, and kFar otherwise.
  KOKKOS_FORCEINLINE_FUNCTION Index Base() const
  {
    if (most_ < least_) return 0; // a block without entries
    return most_ - least_ <= std::numeric_limits<std::uint16_t>::max() ? least_ : Index{kFar};
  }

private:
  Index least_ = std::numeric_limits<Index>::max(), most_ = 0;
};

/// Two offsets against a block's base, of the entries of a lane in two successive steps. Lanes are as wide as those of
/// plain indices then, and nothing moves between them. Signed: gather instructions take such indices as they are.
template <class Index>
KOKKOS_INLINE_FUNCTION constexpr std::int32_t PairOffsets(Index base, Index first, Index second)
{
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(first - base) | static_cast<std::uint32_t>(second - base) << 16);
}
KOKKOS_INLINE_FUNCTION constexpr std::int32_t FirstOffset(std::int32_t pair)
{
  return pair & 0xffff;
}
KOKKOS_INLINE_FUNCTION constexpr std::int32_t SecondOffset(std::int32_t pair)
{
  return pair >> 16 & 0xffff;
}

/// What a block takes: words of offsets, or plain indices (its entries).
struct ColumnRoom {
  std::int64_t pairs, plain;
};

/// The column indices of a layout's blocks: in each either all are offsets of 16 bits against a base, or all are plain.
template <class Index, class Space>
struct Columns {
  Array<Index, Space>        base;  // of each block, or kFar; empty where all blocks are plain
  Array<std::int64_t, Space> at;    // with bases, of each block: where it begins in `pairs` or `plain`
  Array<std::int32_t, Space> pairs; // offsets, see PairOffsets()
  Array<Index, Space>        plain;
  std::int64_t               offset_blocks = 0; // those with offsets

  std::size_t Bytes() const { return base.bytes() + at.bytes() + pairs.bytes() + plain.bytes(); }
};

/// Columns as kernels read them.
template <class Index>
struct ColumnsView {
  const Index        *base;
  const std::int64_t *at;
  const std::int32_t *pairs;
  const Index        *plain;

  template <class Space>
  explicit ColumnsView(const Columns<Index, Space> &columns) :
    base(columns.base.data()), at(columns.at.data()), pairs(columns.pairs.data()), plain(columns.plain.data())
  {
  }

  KOKKOS_FORCEINLINE_FUNCTION bool HasOffsets(std::int64_t block) const { return base && base[block] != kFar; }

  KOKKOS_FORCEINLINE_FUNCTION const std::int32_t *Pairs(std::int64_t block) const { return pairs + at[block]; }

  /// The column of one entry: of step j of a lane, in a block of so many lanes whose first entry is number `begin` of all.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t Column(std::int64_t block, std::int64_t begin, std::int64_t j, std::int64_t lanes,
                                                  std::int64_t lane) const
  {
    if (!HasOffsets(block)) return plain[PlainAt(block, begin) + j * lanes + lane];
    const std::int32_t pair = Pairs(block)[j / 2 * lanes + lane];
    return std::int64_t{base[block]} + (j % 2 ? SecondOffset(pair) : FirstOffset(pair));
  }

  /// Where the plain indices of a block are whose first entry is number `begin` of all.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t PlainAt(std::int64_t block, std::int64_t begin) const
  {
    return base ? at[block] : begin;
  }
};

/// The least share of entries with offsets in a mixture: which kind the next block is of must be easy to foretell, or
/// mispredicted branches cost more than the bytes saved.
inline constexpr double kEnoughOffsets = 0.875;

/// Whether at least half of the entries in a sample of blocks are of near columns. A matrix clearly without is found out at
/// little cost.
template <class BaseOf, class RoomOf>
bool SampleIsNear(std::int64_t blocks, const BaseOf &base_of, const RoomOf &room_of)
{
  std::int64_t near = 0, all = 0;
  if (blocks <= kSampleBlocks) return true;
  for (std::int64_t k = 0; k < SampleSize(blocks); ++k) {
    const std::int64_t block = SampleBlock(blocks, k);
    all += room_of(block).plain;
    if (base_of(block) != kFar) near += room_of(block).plain;
  }
  return 2 * near >= all;
}

template <class BaseOf, class Index>
struct FindBase {
  BaseOf base_of;
  Index *base;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const { base[block] = static_cast<Index>(base_of(block)); }
};

/// Words that the blocks with offsets take, or entries of those without.
template <bool offsets, class RoomOf, class Index>
struct CountRoom {
  RoomOf       room_of;
  const Index *base;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t block) const
  {
    if ((base[block] != kFar) != offsets) return 0;
    return offsets ? room_of(block).pairs : room_of(block).plain;
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
  const std::int64_t *pairs_before, *plain_before;
  std::int64_t       *at;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    at[block] = base[block] == kFar ? plain_before[block] : pairs_before[block];
  }
};

/// Where each block begins among offsets or plain indices. Returns what all of them take.
template <class Exec, class RoomOf, class Index>
ColumnRoom PlaceBlocks(const Exec &exec, std::int64_t blocks, const RoomOf &room_of, const Index *base, std::int64_t *at)
{
  ColumnRoom total{0, 0};
  if constexpr (kOnHost<Exec>) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      const ColumnRoom room = room_of(block);
      at[block]             = base[block] == kFar ? std::exchange(total.plain, total.plain + room.plain)
                                                  : std::exchange(total.pairs, total.pairs + room.pairs);
    }
  } else {
    Array<std::int64_t, typename Exec::memory_space> pairs(static_cast<std::size_t>(blocks) + 1),
      plain(static_cast<std::size_t>(blocks) + 1);
    total.pairs = exec.Scan("CountPairs", blocks, CountRoom<true, RoomOf, Index>{room_of, base}, pairs.data());
    total.plain = exec.Scan("CountPlain", blocks, CountRoom<false, RoomOf, Index>{room_of, base}, plain.data());
    exec.ForThreads("PlaceBlocks", blocks, ChoosePlace<Index>{base, pairs.data(), plain.data(), at});
  }
  return total;
}

/// Chooses between offsets and plain indices, and allocates them. room_of(b) is block b's ColumnRoom,
/// find_bases(base) writes ColumnRange::Base() of each block. All blocks are plain unless `offsets`, where offsets hold for
/// enough entries and save bytes.
template <class Exec, class FindBases, class RoomOf, class Index>
void ShapeColumns(const Exec &exec, bool offsets, std::int64_t blocks, std::int64_t entries, const FindBases &find_bases,
                  const RoomOf &room_of, Columns<Index, typename Exec::memory_space> &columns)
{
  columns = {};
  if (offsets) {
    columns.base.Allocate(static_cast<std::size_t>(blocks));
    columns.at.Allocate(static_cast<std::size_t>(blocks));
    find_bases(columns.base.data());
    const ColumnRoom total = PlaceBlocks(exec, blocks, room_of, columns.base.data(), columns.at.data());
    columns.pairs.Allocate(static_cast<std::size_t>(total.pairs));
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
