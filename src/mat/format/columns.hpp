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
inline constexpr std::int32_t PairOffsets(std::uint32_t first, std::uint32_t second)
{
  return static_cast<std::int32_t>(first | second << 16);
}
inline constexpr std::int32_t FirstOffset(std::int32_t pair)
{
  return pair & 0xffff;
}
inline constexpr std::int32_t SecondOffset(std::int32_t pair)
{
  return pair >> 16 & 0xffff;
}

/// What a block takes: words of offsets, or plain indices.
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

  /// Of a block whose first entry is number `begin` of all.
  const Index *Plain(std::int64_t block, std::int64_t begin) const { return plain + (base ? at[block] : begin); }
};

/// The least share of blocks of offsets that a mixture has: which kind the next block is of must be easy to foretell, or
/// mispredicted branches cost more than the bytes saved.
inline constexpr double kEnoughOffsets = 0.875;

/// Whether the columns of enough blocks in a sample are near to each other. Matrices that are not are found out at little cost.
template <class BaseOf>
bool SampleHasOffsets(std::int64_t blocks, const BaseOf &base_of)
{
  const std::int64_t samples = std::min<std::int64_t>(blocks, 64);
  std::int64_t       near    = 0;
  for (std::int64_t s = 0; s < samples; ++s) near += base_of(blocks / samples * s + blocks % samples * s / samples) != kFar;
  return static_cast<double>(near) >= kEnoughOffsets * static_cast<double>(samples);
}

template <class BaseOf, class Index>
struct FindBase {
  BaseOf base_of;
  Index *base;

  void operator()(std::int64_t block) const { base[block] = static_cast<Index>(base_of(block)); }
};

/// Chooses between offsets and plain indices, and makes room for them: base_of(b) tells ColumnRange::Base() of block b,
/// room_of(b) its ColumnRoom. All blocks are plain unless `offsets`.
template <class Exec, class BaseOf, class RoomOf, class Index>
void ShapeColumns(bool offsets, std::int64_t blocks, std::int64_t entries, const BaseOf &base_of, const RoomOf &room_of, Columns<Index, typename Exec::memory_space> &columns)
{
  ColumnRoom total{0, 0};
  if (offsets && SampleHasOffsets(blocks, base_of)) {
    columns.base.Allocate(static_cast<std::size_t>(blocks));
    columns.at.Allocate(static_cast<std::size_t>(blocks));
    ParallelFor<Exec>("FindBases", blocks, static_cast<std::size_t>(entries), FindBase<BaseOf, Index>{base_of, columns.base.data()});
    for (std::int64_t block = 0; block < blocks; ++block) {
      const auto       b    = static_cast<std::size_t>(block);
      const ColumnRoom room = room_of(block);
      columns.at[b]         = columns.base[b] == kFar ? std::exchange(total.plain, total.plain + room.plain) : std::exchange(total.pairs, total.pairs + room.pairs);
    }
  }
  if (total.pairs == 0 || static_cast<double>(columns.BlocksOfOffsets()) < kEnoughOffsets * static_cast<double>(blocks)) {
    columns.base.Allocate(0);
    columns.at.Allocate(0);
    total = {0, entries};
  }
  columns.pairs.Allocate(static_cast<std::size_t>(total.pairs));
  columns.plain.Allocate(static_cast<std::size_t>(total.plain));
}

} // namespace petscspmv
