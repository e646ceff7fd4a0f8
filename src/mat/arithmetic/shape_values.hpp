// The choice of the kinds in which a layout's values are stored: when it is built, and when its values change.
#pragma once

#include "mat/arithmetic/sample.hpp"
#include "mat/arithmetic/values.hpp"
#include "mat/exec/host.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
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

/// What all blocks take, by kind.
struct ValueRoom {
  std::int64_t numbers[kValueKinds] = {}, blocks[kValueKinds] = {};
  std::int64_t changes = 0; // of kind, from a block to the next

  std::int64_t Numbers(ValueKind kind) const { return numbers[static_cast<int>(kind)]; }
  std::int64_t Blocks(ValueKind kind) const { return blocks[static_cast<int>(kind)]; }

  template <class Scalar>
  std::int64_t Bytes() const
  {
    const std::int64_t scalar = sizeof(Scalar), single = sizeof(SingleOf<Scalar>), few = Numbers(ValueKind::Few);
    return (Numbers(ValueKind::Full) + Numbers(ValueKind::One)) * scalar + Numbers(ValueKind::Single) * single + few +
           (few > 0 ? kTableNumbers * scalar : 0);
  }
};

/// The numbers of the rule's table: the most frequent ones in a sample of the matrix' values, unless there are many different ones.
template <class Exec, class Scalar>
void FindNumbers(const Exec &exec, const Scalar *val, std::int64_t nnz, ValueRule<Scalar> &rule)
{
  constexpr std::int64_t kStretch = 64;
  constexpr int          kMany    = 32;
  struct Seen {
    NumberBits<Scalar> number;
    int                times = 0;
  };
  Seen       seen[kMany];
  int        different = 0;
  const auto look      = [&](std::int64_t stretch) {
    Scalar             values[kStretch];
    const std::int64_t n = std::min(kStretch, nnz - stretch * kStretch);
    if (different <= kMany) exec.CopyOut(values, val + stretch * kStretch, static_cast<std::size_t>(n));
    for (std::int64_t k = 0; k < n && different <= kMany; ++k) {
      const NumberBits<Scalar> number(values[k]);
      Seen *const              at = std::find_if(seen, seen + different, [&](const Seen &each) { return each.number == number; });
      if (at < seen + different) ++at->times;
      else if (different++ < kMany) *at = {number, 1};
    }
  };
  const std::int64_t stretches = (nnz + kStretch - 1) / kStretch;
  if (stretches > kSampleBlocks) ForSample(stretches, look);
  else
    for (std::int64_t stretch = 0; stretch < stretches; ++stretch) look(stretch);
  rule.numbers = 0;
  if (different > kMany) return;
  std::stable_sort(seen, seen + different, [](const Seen &a, const Seen &b) { return a.times > b.times; });
  rule.numbers = std::min(different, kTableNumbers);
  std::transform(seen, seen + rule.numbers, rule.number, [](const Seen &each) { return each.number; });
}

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

/// The rule's table as kernels read it.
template <class Exec, class Scalar>
void FillTable(const Exec &exec, const ValueRule<Scalar> &rule,
               Array<typename Parts<Scalar>::Real, typename Exec::memory_space> &table)
{
  constexpr int                kParts                          = Parts<Scalar>::count;
  typename Parts<Scalar>::Real numbers[kParts * kTableNumbers] = {};
  for (int place = 0; place < rule.numbers; ++place) {
    for (int part = 0; part < kParts; ++part)
      std::memcpy(&numbers[part * kTableNumbers + place], &rule.number[place].part[part], sizeof(numbers[0]));
  }
  table.Allocate(std::size(numbers));
  exec.CopyIn(table.data(), numbers, std::size(numbers));
}

/// Chooses how the values of each block are stored, and allocates them, unless all stay full. They come from a source
/// (value_source.hpp, value_source_device.hpp): of Blocks() blocks and Entries() entries, RoomOf()(block) being a block's ColumnRoom;
/// csr() has them in CSR. MaySave(rule) is whether a sample speaks for kinds, FindKinds(rule, place) writes that of each block.
template <class Exec, class Source, class Scalar>
void ShapeValues(const Exec &exec, const Source &source, Values<Scalar, typename Exec::memory_space> &values)
{
  using Space                   = typename Exec::memory_space;
  const auto               size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  ValueRule<Scalar>        rule = values.rule;
  ValueRoom                room;
  bool                     kinds = false;
  Array<ValuePlace, Space> place;
  if (MayChooseKinds(values)) {
    ++values.choices;
    if (rule.single) FindNumbers(exec, source.csr().val, source.csr().nnz(), rule);
    if (source.MaySave(rule)) {
      place.Allocate(size(source.Blocks()));
      source.FindKinds(rule, place.data());
      room             = PlaceValues(exec, source.Blocks(), source.RoomOf(), place.data());
      const double all = static_cast<double>(source.Entries()) * sizeof(Scalar), of_places = static_cast<double>(place.bytes()),
                   taken = static_cast<double>(room.template Bytes<Scalar>() + room.changes * kBytesOfChange) + of_places;
      kinds              = all - taken > kLeastSaved * all;
    }
  }
  if (!kinds) {
    if (values.place.size() == 0 && values.full.size() == size(source.Entries())) return;
    place.Allocate(0);
    room                                            = {};
    room.numbers[static_cast<int>(ValueKind::Full)] = source.Entries();
  }
  const ValueStorage storage = values.storage;
  const int          choices = values.choices;
  values                     = {}; // frees before it allocates
  values.storage             = storage;
  values.rule                = rule;
  values.choices             = choices;
  values.place               = std::move(place);
  values.full.Allocate(size(room.Numbers(ValueKind::Full)));
  values.single.Allocate(size(room.Numbers(ValueKind::Single)));
  values.few.Allocate(size(room.Numbers(ValueKind::Few)));
  values.one.Allocate(size(room.Numbers(ValueKind::One)));
  if (room.Numbers(ValueKind::Few) > 0) FillTable(exec, rule, values.table);
  values.single_blocks = room.Blocks(ValueKind::Single);
  values.few_blocks    = room.Blocks(ValueKind::Few);
  values.one_blocks    = room.Blocks(ValueKind::One);
}

/// Whether the entries that a layout streams through a product are worth conversions: they come from beyond the cores' own caches.
template <class Exec>
bool ComesFromAfar(const Exec &exec, std::size_t bytes)
{
  if constexpr (kOnHost<Exec>) return exec.ExceedsCaches(bytes);
  else return true;
}

/// Writes the values of a new layout, by source.Fill(target). `other_bytes` are what is read beside values.
template <class Exec, class Source, class Scalar>
void FillValues(const Exec &exec, const Source &source, ValueStorage storage, std::size_t other_bytes,
                Values<Scalar, typename Exec::memory_space> &values)
{
  const std::size_t full_bytes = static_cast<std::size_t>(source.Entries()) * sizeof(Scalar);
  values.storage               = storage;
  values.rule.rounded          = storage == ValueStorage::Single;
  values.rule.single    = values.rule.rounded || (storage == ValueStorage::Auto && ComesFromAfar(exec, other_bytes + full_bytes));
  values.rule.few_first = Source::kFewFirst;
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
