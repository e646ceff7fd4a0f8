// Column indices of a layout, in 16 bits where those suffice.
#pragma once

#include "mat/format/array.hpp"
#include "mat/format/launch.hpp"

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
  KOKKOS_FORCEINLINE_FUNCTION void Add(const Index *col_idx, std::int64_t n)
  {
    Index least = least_, most = most_;
    // clang-format off
#pragma omp simd reduction(min : least) reduction(max : most)
    // clang-format on
    for (std::int64_t k = 0; k < n; ++k) {
      least = col_idx[k] < least ? col_idx[k] : least;
      most  = col_idx[k] > most ? col_idx[k] : most;
    }
    least_ = least;
    most_  = most;
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
constexpr std::int32_t PairOffsets(Index base, Index first, Index second)
{
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(first - base) | static_cast<std::uint32_t>(second - base) << 16);
}
inline constexpr std::int32_t FirstOffset(std::int32_t pair)
{
  return pair & 0xffff;
}
inline constexpr std::int32_t SecondOffset(std::int32_t pair)
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

  std::size_t  Bytes() const { return base.bytes() + at.bytes() + pairs.bytes() + plain.bytes(); }
  std::int64_t BlocksOfOffsets() const
  {
    return std::count_if(base.data(), base.data() + base.size(), [](Index b) { return b != kFar; });
  }
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

  bool HasOffsets(std::int64_t block) const { return base && base[block] != kFar; }

  const std::int32_t *Pairs(std::int64_t block) const { return pairs + at[block]; }

  /// Where the plain indices of a block are whose first entry is number `begin` of all.
  std::int64_t PlainAt(std::int64_t block, std::int64_t begin) const { return base ? at[block] : begin; }
};

/// The least share of entries with offsets in a mixture: which kind the next block is of must be easy to foretell, or
/// mispredicted branches cost more than the bytes saved.
inline constexpr double kEnoughOffsets = 0.875;

/// Whether at least half of the entries in a sample of blocks are of near columns. A matrix clearly without is found out at
/// little cost.
template <class BaseOf, class RoomOf>
bool SampleIsNear(std::int64_t blocks, const BaseOf &base_of, const RoomOf &room_of)
{
  constexpr std::int64_t kSamples = 64;
  std::int64_t           near = 0, all = 0;
  if (blocks <= kSamples) return true;
  for (std::int64_t s = 0; s < kSamples; ++s) {
    const std::int64_t block = blocks / kSamples * s + s * 40503 % (blocks / kSamples); // at no regular distance
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

/// Chooses between offsets and plain indices, and makes room for them: base_of(b) tells ColumnRange::Base() of block b,
/// room_of(b) its ColumnRoom. All blocks are plain unless `offsets`, where offsets hold for enough entries and save bytes.
template <class Exec, class BaseOf, class RoomOf, class Index>
void ShapeColumns(bool offsets, std::int64_t blocks, std::int64_t entries, const BaseOf &base_of, const RoomOf &room_of, Columns<Index, typename Exec::memory_space> &columns)
{
  columns = {};
  if (offsets && SampleIsNear(blocks, base_of, room_of)) {
    ColumnRoom total{0, 0};
    columns.base.Allocate(static_cast<std::size_t>(blocks));
    columns.at.Allocate(static_cast<std::size_t>(blocks));
    ParallelFor<Exec>("FindBases", blocks, static_cast<std::size_t>(entries), FindBase<BaseOf, Index>{base_of, columns.base.data()});
    for (std::int64_t block = 0; block < blocks; ++block) {
      const auto       b    = static_cast<std::size_t>(block);
      const ColumnRoom room = room_of(block);
      columns.at[b]         = columns.base[b] == kFar ? std::exchange(total.plain, total.plain + room.plain) : std::exchange(total.pairs, total.pairs + room.pairs);
    }
    columns.pairs.Allocate(static_cast<std::size_t>(total.pairs));
    columns.plain.Allocate(static_cast<std::size_t>(total.plain));
    if (static_cast<double>(entries - total.plain) >= kEnoughOffsets * static_cast<double>(entries) && columns.Bytes() < static_cast<std::size_t>(entries) * sizeof(Index)) return;
    columns = {};
  }
  columns.plain.Allocate(static_cast<std::size_t>(entries));
}

} // namespace petscspmv
