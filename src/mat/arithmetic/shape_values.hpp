// The choice of the kinds in which a layout's values are stored: when it is built, and when its values change.
#pragma once

#include "mat/arithmetic/sample.hpp"
#include "mat/arithmetic/values.hpp"
#include "mat/exec/host.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace petscspmv {

/// A change of kind from one block to the next is a mispredicted branch, for which as many bytes could have been read.
inline constexpr std::int64_t kBytesOfChange = 128;

/// Less than this share of the values' bytes is not worth asking each block for its kind.
inline constexpr double kLeastSaved = 1.0 / 16;

/// How often kinds are chosen for a layout, with new values again, before all blocks become full for good.
inline constexpr int kMostChoices = 4;

/// Numbers that a block of so many entries takes.
KOKKOS_INLINE_FUNCTION std::int64_t NumbersOf(ValueKind kind, std::int64_t entries)
{
  return kind == ValueKind::One ? 1 : entries;
}

/// What all blocks take.
struct ValueRoom {
  std::int64_t numbers[kValueKinds] = {}, blocks[kValueKinds] = {}; // by kind
  std::int64_t changes = 0;                                         // of kind, from a block to the next

  std::int64_t Numbers(ValueKind kind) const { return numbers[static_cast<int>(kind)]; }
  std::int64_t Blocks(ValueKind kind) const { return blocks[static_cast<int>(kind)]; }

  template <class Scalar>
  std::int64_t Bytes() const
  {
    return (Numbers(ValueKind::Full) + Numbers(ValueKind::One)) * static_cast<std::int64_t>(sizeof(Scalar)) +
           Numbers(ValueKind::Single) * static_cast<std::int64_t>(sizeof(SingleOf<Scalar>));
  }
};

/// Whether kinds save enough in a sample of blocks. Values clearly without are found out at little cost.
template <class Scalar, class KindOf, class RoomOf>
bool SampleSaves(std::int64_t blocks, const KindOf &kind_of, const RoomOf &room_of)
{
  ValueRoom    room;
  std::int64_t entries = 0;
  if (blocks <= kSampleBlocks) return true;
  ForSample(blocks, [&](std::int64_t block) {
    const ValueKind kind = kind_of(block);
    entries += room_of(block).plain;
    room.numbers[static_cast<int>(kind)] += NumbersOf(kind, room_of(block).plain);
  });
  const double all = static_cast<double>(entries) * sizeof(Scalar);
  return all - static_cast<double>(room.template Bytes<Scalar>()) >= kLeastSaved * all;
}

template <class RoomOf>
struct CountOfKind {
  ValueKind         kind;
  RoomOf            room_of;
  const ValuePlace *place;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t block) const
  {
    return place[block].Kind() == kind ? NumbersOf(kind, room_of(block).plain) : 0;
  }
};

struct IsOfKind {
  ValueKind         kind;
  const ValuePlace *place;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t block) const { return place[block].Kind() == kind; }
};

struct IsChangeOfKind {
  const ValuePlace *place;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t block) const
  {
    return block > 0 && place[block].Kind() != place[block - 1].Kind();
  }
};

struct PlaceOfKind {
  ValueKind           kind;
  const std::int64_t *before;
  ValuePlace         *place;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    if (place[block].Kind() == kind) place[block] = ValuePlace(kind, before[block]);
  }
};

/// Where each block begins among those of its kind. Returns what all take.
template <class Exec, class RoomOf>
ValueRoom PlaceValues(const Exec &exec, std::int64_t blocks, const RoomOf &room_of, ValuePlace *place)
{
  ValueRoom room;
  if constexpr (kOnHost<Exec>) {
    ValueKind last = blocks > 0 ? place[0].Kind() : ValueKind::Full;
    for (std::int64_t block = 0; block < blocks; ++block) {
      const ValueKind kind = place[block].Kind();
      const int       k    = static_cast<int>(kind);
      place[block]         = ValuePlace(kind, room.numbers[k]);
      room.numbers[k] += NumbersOf(kind, room_of(block).plain);
      room.blocks[k] += 1;
      room.changes += std::exchange(last, kind) != kind;
    }
  } else {
    Array<std::int64_t, typename Exec::memory_space> before(static_cast<std::size_t>(blocks) + 1);
    room.changes = exec.Sum("CountChangesOfKind", blocks, IsChangeOfKind{place});
    for (int k = 0; k < kValueKinds; ++k) {
      const ValueKind kind = static_cast<ValueKind>(k);
      room.numbers[k]      = exec.Scan("CountOfKind", blocks, CountOfKind<RoomOf>{kind, room_of, place}, before.data());
      room.blocks[k]       = exec.Sum("CountBlocksOfKind", blocks, IsOfKind{kind, place});
      exec.ForThreads("PlaceOfKind", blocks, PlaceOfKind{kind, before.data(), place});
    }
  }
  return room;
}

/// Whether kinds may be chosen for a layout (again).
template <class Scalar, class Space>
bool MayChooseKinds(const Values<Scalar, Space> &values)
{
  return values.storage != ValueStorage::Full && values.choices < kMostChoices;
}

/// Chooses how the values of each block are stored, and allocates them. They come from a source (value_source.hpp,
/// value_source_device.hpp): of Blocks() blocks and Entries() entries, RoomOf()(block) being a block's ColumnRoom. MaySave() is
/// whether a sample speaks for kinds, FindKinds(place) writes that of each block.
template <class Exec, class Source, class Scalar>
void ShapeValues(const Exec &exec, const Source &source, Values<Scalar, typename Exec::memory_space> &values)
{
  const auto                                  size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  Values<Scalar, typename Exec::memory_space> shaped;
  shaped.storage        = values.storage;
  shaped.choices        = values.choices + 1;
  const bool may_choose = MayChooseKinds(values);
  values                = std::move(shaped);
  if (may_choose && source.MaySave()) {
    values.place.Allocate(size(source.Blocks()));
    source.FindKinds(values.place.data());
    const ValueRoom    room  = PlaceValues(exec, source.Blocks(), source.RoomOf(), values.place.data());
    const std::int64_t all   = source.Entries() * static_cast<std::int64_t>(sizeof(Scalar)),
                       taken = room.template Bytes<Scalar>() + static_cast<std::int64_t>(values.place.bytes()) +
                               room.changes * kBytesOfChange;
    if (static_cast<double>(all - taken) > kLeastSaved * static_cast<double>(all)) {
      values.full.Allocate(size(room.Numbers(ValueKind::Full)));
      values.single.Allocate(size(room.Numbers(ValueKind::Single)));
      values.one.Allocate(size(room.Numbers(ValueKind::One)));
      values.single_blocks = room.Blocks(ValueKind::Single);
      values.one_blocks    = room.Blocks(ValueKind::One);
      return;
    }
    values.place.Allocate(0);
  }
  values.full.Allocate(size(source.Entries()));
}

/// Writes the values of a new layout, by source.Fill(target).
template <class Exec, class Source, class Scalar>
void FillValues(const Exec &exec, const Source &source, Values<Scalar, typename Exec::memory_space> &values)
{
  ShapeValues(exec, source, values);
  source.Fill(ValuesTarget<Scalar>(values));
}

/// Writes new values: as kinds have been chosen for the old ones, if all fit in. source.Refill(target, misfit) does so where they
/// do, and marks the blocks where they do not.
template <class Exec, class Source, class Scalar>
void RefillValues(const Exec &exec, const Source &source, Values<Scalar, typename Exec::memory_space> &values)
{
  const bool kinds = values.place.size() > 0;
  if (kinds) {
    Array<std::uint8_t, typename Exec::memory_space> misfits(values.place.size());
    source.Refill(ValuesTarget<Scalar>(values), misfits.data());
    if (exec.Sum("CountMisfits", source.Blocks(), CountTrue<std::uint8_t>{misfits.data()}) == 0) return;
  }
  if (kinds || MayChooseKinds(values)) ShapeValues(exec, source, values);
  source.Fill(ValuesTarget<Scalar>(values));
}

} // namespace petscspmv
