// The choice of the kinds in which a layout's values are stored, when it is built and when its values change.
#pragma once

#include "mat/arithmetic/value_sample.hpp"
#include "mat/arithmetic/values.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

namespace petscspmv {

/// The cost of a change of kind from one block to the next, in bytes: how many could be read during the mispredicted branch.
inline constexpr std::int64_t kBytesOfChange = 128;

/// The smallest share of entries in blocks of the expected kind for which FillAtOnce() accepts the expectation.
inline constexpr double kEnoughExpected = 0.875;

/// How often kinds are chosen for a layout at most: when it is built, and later when new values do not fit the kinds of the old
/// ones, or when all old ones were full.
inline constexpr int kMostChoices = 4;

template <class EntriesOf>
struct CountOfKind {
  ValueKind         kind;
  EntriesOf         entries_of;
  const ValuePlace *place;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t block) const
  {
    return place[block].Kind() == kind ? NumbersOf(kind, entries_of(block)) : 0;
  }
};

struct IsOfKind {
  ValueKind         kind;
  const ValuePlace *place;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t block) const { return place[block].Kind() == kind; }
};

/// 1 if a block's kind differs from that of the block before, otherwise 0. An empty block causes no change: it takes no branch.
template <class EntriesOf>
struct IsChangeOfKind {
  EntriesOf         entries_of;
  const ValuePlace *place;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t block) const
  {
    return block > 0 && place[block].Kind() != place[block - 1].Kind() && entries_of(block) > 0 && entries_of(block - 1) > 0;
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

/// Places a block behind those of its kind that `space` has already, and adds it to `space`.
inline void PlaceNext(std::int64_t entries, ValueSpace &space, ValuePlace &place)
{
  const ValueKind kind = place.Kind();
  std::int64_t   &n    = space.numbers[static_cast<int>(kind)];
  place                = ValuePlace(kind, n);
  n += NumbersOf(kind, entries);
}

/// Completes `place`, which has the kinds, with where each block begins among those of its kind. Returns the space for all blocks.
template <class Exec, class EntriesOf>
ValueSpace PlaceValues(const Exec &exec, std::int64_t blocks, const EntriesOf &entries_of, ValuePlace *place)
{
  ValueSpace space;
  if constexpr (kOnHost<Exec>) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      ++space.blocks[static_cast<int>(place[block].Kind())];
      PlaceNext(entries_of(block), space, place[block]);
    }
  } else {
    Array<std::int64_t, typename Exec::memory_space> before(static_cast<std::size_t>(blocks) + 1);
    for (int k = 0; k < kValueKinds; ++k) {
      const ValueKind kind = static_cast<ValueKind>(k);
      space.numbers[k]     = exec.Scan("CountOfKind", blocks, CountOfKind<EntriesOf>{kind, entries_of, place}, before.data());
      space.blocks[k]      = exec.Sum("CountBlocksOfKind", blocks, IsOfKind{kind, place});
      exec.ForThreads("PlaceOfKind", blocks, PlaceOfKind{kind, before.data(), place});
    }
  }
  return space;
}

/// Whether kinds may be chosen (again) for a layout. If the user wants rounded values, they always may.
template <class Scalar, class Space>
bool MayChooseKinds(const Values<Scalar, Space> &values)
{
  return values.storage == ValueStorage::Single || (values.storage == ValueStorage::Auto && values.choices < kMostChoices);
}

/// Writes the rule's numbers to a table as kernels read it: real parts, then imaginary parts.
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

/// What every source of a layout's values has.
template <class Exec, class Scalar, class CsrIndex, class EntriesOf>
struct ValueBlocks {
  using Value = Scalar;

  const Exec                  &exec;
  const Csr<Scalar, CsrIndex> &csr;
  std::int64_t                 blocks, entries; // entries: of all blocks, padding included
  EntriesOf                    entries_of;
};

/// Whether storing the blocks in the kinds of their places `at`, which take `space`, saves enough bytes.
template <class Exec, class Source>
bool PlacesSaveEnough(const Exec &exec, const Source &source, const ValueSpace &space, const ValuePlace *at)
{
  using Scalar               = typename Source::Value;
  const std::int64_t changes = exec.Sum("CountChangesOfKind", source.blocks,
                                        IsChangeOfKind<decltype(source.entries_of)>{source.entries_of, at}),
                     table   = space.Numbers(ValueKind::Few) > 0 ? kTableNumbers * static_cast<std::int64_t>(sizeof(Scalar)) : 0,
                     places  = source.blocks * static_cast<std::int64_t>(sizeof(ValuePlace));
  return SavesEnough<Scalar>(source.entries, space.template Bytes<Scalar>() + table + changes * kBytesOfChange + places);
}

/// Allocates the arrays whose sizes differ from those in `space`, fills the table, and records the numbers of blocks.
template <class Exec, class Scalar>
void AllocateValues(const Exec &exec, const ValueSpace &space, Values<Scalar, typename Exec::memory_space> &values)
{
  const auto allocate = [&](auto &array, ValueKind kind) {
    const auto n = static_cast<std::size_t>(space.Numbers(kind));
    if (array.size() != n) array.Allocate(n);
  };
  allocate(values.full, ValueKind::Full);
  allocate(values.single, ValueKind::Single);
  allocate(values.few, ValueKind::Few);
  allocate(values.one, ValueKind::One);
  if (space.Numbers(ValueKind::Few) > 0) FillTable(exec, values.rule, values.table);
  values.single_blocks = space.Blocks(ValueKind::Single);
  values.few_blocks    = space.Blocks(ValueKind::Few);
  values.one_blocks    = space.Blocks(ValueKind::One);
}

/// Frees all arrays, but keeps the storage, the rule and the number of choices.
template <class Scalar, class Space>
void FreeValues(Values<Scalar, Space> &values)
{
  Values<Scalar, Space> none;
  none.storage = values.storage;
  none.rule    = values.rule;
  none.choices = values.choices;
  values       = std::move(none);
}

/// Chooses how the values of each block are stored, which may be full for all, and writes them. The source (value_source.hpp,
/// value_source_device.hpp) is a ValueBlocks whose FindKinds(rule, place) writes the kind of each block, and whose Fill(writer)
/// writes all blocks. A source may also have FillAtOnce(expected, values), which for a new layout does both or returns false.
template <class Exec, class Source, class Scalar>
void ShapeAndFill(const Exec &exec, const Source &source, Values<Scalar, typename Exec::memory_space> &values)
{
  using Space                   = typename Exec::memory_space;
  const auto               size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const bool               made = values.place.size() > 0 || values.full.size() == size(source.entries);
  ValueRule<Scalar>        rule = values.rule;
  ValueKind                expected;
  ValueSpace               space;
  bool                     kinds = false;
  Array<ValuePlace, Space> place;
  if (MayChooseKinds(values)) {
    const ValueSample<Scalar> sample(exec, source.csr.val, source.csr.nnz());
    ++values.choices;
    if (rule.converts) sample.FindNumbers(rule);
    if (sample.MaySave(rule, expected)) {
      if constexpr (requires { source.FillAtOnce(expected, values); }) {
        if (!made && expected != ValueKind::Full) {
          values.rule = rule;
          if (source.FillAtOnce(expected, values)) return;
          FreeValues(values);
        }
      }
      place.Allocate(size(source.blocks));
      source.FindKinds(rule, place.data());
      space = PlaceValues(exec, source.blocks, source.entries_of, place.data());
      kinds = PlacesSaveEnough(exec, source, space, place.data());
    }
  }
  if (!kinds) {
    place.Allocate(0);
    space                                            = {};
    space.numbers[static_cast<int>(ValueKind::Full)] = source.entries;
  }
  if (kinds || values.place.size() > 0) FreeValues(values); // before new ones are allocated
  values.rule  = rule;
  values.place = std::move(place);
  AllocateValues(exec, space, values);
  source.Fill(ValuesWriter<Scalar>(values));
}

/// Whether a product reads the layout from beyond the cores' own caches, so that fewer bytes are worth conversions.
template <class Exec>
bool ComesFromAfar(const Exec &exec, std::size_t bytes)
{
  if constexpr (kOnHost<Exec>) return exec.ExceedsCaches(bytes);
  else return true;
}

/// Writes the values of a new layout. A product reads `other_bytes` bytes besides the values.
template <class Exec, class Source, class Scalar>
void FillValues(const Exec &exec, const Source &source, ValueStorage storage, std::size_t other_bytes,
                Values<Scalar, typename Exec::memory_space> &values)
{
  const std::size_t full_bytes = static_cast<std::size_t>(source.entries) * sizeof(Scalar);
  values.storage               = storage;
  values.rule.rounded          = storage == ValueStorage::Single;
  values.rule.converts  = values.rule.rounded || (storage == ValueStorage::Auto && ComesFromAfar(exec, other_bytes + full_bytes));
  values.rule.few_first = Source::kFewFirst;
  ShapeAndFill(exec, source, values);
}

/// Writes new values, in the kinds of the old ones if source.Refill(writer) reports that all fit, else in new kinds or full.
template <class Exec, class Source, class Scalar>
void RefillValues(const Exec &exec, const Source &source, Values<Scalar, typename Exec::memory_space> &values)
{
  const bool kinds = values.place.size() > 0;
  if (kinds && source.Refill(ValuesWriter<Scalar>(values))) return;
  if (kinds || MayChooseKinds(values)) ShapeAndFill(exec, source, values);
  else source.Fill(ValuesWriter<Scalar>(values));
}

} // namespace petscspmv
