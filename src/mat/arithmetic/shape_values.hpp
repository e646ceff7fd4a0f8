// The choice of the kinds in which a layout's values are stored, when it is built and when its values change.
#pragma once

#include "mat/arithmetic/sample.hpp"
#include "mat/arithmetic/values.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <utility>

namespace petscspmv {

/// The cost of a change of kind from one block to the next, a mispredicted branch, in bytes that could be read meanwhile.
inline constexpr std::int64_t kBytesOfChange = 128;

/// Savings below this share of the values' bytes do not pay for looking up each block's kind.
inline constexpr double kLeastSaved = 1.0 / 16;

/// How often kinds are chosen for a layout: when it is built, and later for new values that no longer fit, or that may have kinds
/// where there were none so far.
inline constexpr int kMostChoices = 4;

/// How many numbers a block of `entries` entries stores.
KOKKOS_INLINE_FUNCTION std::int64_t NumbersOf(ValueKind kind, std::int64_t entries)
{
  return kind == ValueKind::One ? 1 : entries;
}

/// The space that blocks take, by kind.
struct ValueSpace {
  std::int64_t numbers[kValueKinds] = {}, blocks[kValueKinds] = {};

  std::int64_t Numbers(ValueKind kind) const { return numbers[static_cast<int>(kind)]; }
  std::int64_t Blocks(ValueKind kind) const { return blocks[static_cast<int>(kind)]; }

  template <class Scalar>
  std::int64_t Bytes() const
  {
    const std::int64_t scalar = sizeof(Scalar), single = sizeof(SingleOf<Scalar>), few = Numbers(ValueKind::Few);
    return (Numbers(ValueKind::Full) + Numbers(ValueKind::One)) * scalar + Numbers(ValueKind::Single) * single + few;
  }
};

/// Whether `bytes` is enough below the size of full values.
template <class Scalar>
bool SavesEnough(std::int64_t entries, std::int64_t bytes)
{
  const double all = static_cast<double>(entries) * sizeof(Scalar);
  return all - static_cast<double>(bytes) > kLeastSaved * all;
}

/// The entries of a sample's stretches; beyond the end, the last entry repeats.
template <class Scalar>
struct TakeSample {
  static constexpr std::int64_t kStretch = 64;

  const Scalar *val;
  std::int64_t  nnz, stretches;
  Scalar       *to;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const
  {
    const std::int64_t entry = SampleBlock(stretches, k / kStretch) * kStretch + k % kStretch;
    to[k]                    = val[entry < nnz ? entry : nnz - 1];
  }
};

/// Stretches of a matrix's values, in CSR order.
template <class Scalar>
class ValueSample {
public:
  template <class Exec>
  ValueSample(const Exec &exec, const Scalar *val, std::int64_t nnz)
  {
    const std::int64_t                         stretches = (nnz + kStretch - 1) / kStretch, n = SampleSize(stretches) * kStretch;
    Array<Scalar, typename Exec::memory_space> there(static_cast<std::size_t>(n));
    exec.For("SampleValues", n, 0, TakeSample<Scalar>{val, nnz, stretches, there.data()});
    values_ = OnHost<Exec, Scalar>(exec, there);
  }

  /// The numbers of the rule's table: the most frequent ones, or none if there are too many different ones.
  void FindNumbers(ValueRule<Scalar> &rule) const
  {
    constexpr int kMany = 32;
    struct Seen {
      NumberBits<Scalar> number;
      int                times = 0;
    };
    Seen seen[kMany];
    int  different = 0;
    rule.numbers   = 0;
    for (std::size_t k = 0; k < values_.size(); ++k) {
      const NumberBits<Scalar> number(values_[k]);
      Seen *const              at = std::find_if(seen, seen + different, [&](const Seen &each) { return each.number == number; });
      if (at == seen + kMany) return;
      if (at == seen + different) seen[different++].number = number;
      ++at->times;
    }
    std::stable_sort(seen, seen + different, [](const Seen &a, const Seen &b) { return a.times > b.times; });
    rule.numbers = std::min(different, kTableNumbers);
    std::transform(seen, seen + rule.numbers, rule.number, [](const Seen &each) { return each.number; });
  }

  /// Whether enough would be saved if stretches were blocks. Rejects values clearly without kinds at little cost, and a table that
  /// none of them would use.
  bool MaySave(ValueRule<Scalar> &rule) const
  {
    ValueSpace space;
    for (std::size_t begin = 0; begin < values_.size(); begin += kStretch) {
      BlockBits<Scalar> bits(values_[begin], rule);
      for (std::size_t k = begin; k < begin + kStretch; ++k) bits.Add(values_[k], rule);
      space.numbers[static_cast<int>(bits.Kind())] += NumbersOf(bits.Kind(), kStretch);
    }
    if (space.Numbers(ValueKind::Few) == 0) rule.numbers = 0;
    return SavesEnough<Scalar>(static_cast<std::int64_t>(values_.size()), space.template Bytes<Scalar>());
  }

private:
  static constexpr std::int64_t kStretch = TakeSample<Scalar>::kStretch;

  Array<Scalar> values_;
};

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

/// Counts changes of kind between consecutive blocks. Empty blocks have none: there is no branch to predict.
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

/// Finds where each block begins among those of its kind. Returns the space for all of them.
template <class Exec, class EntriesOf>
ValueSpace PlaceValues(const Exec &exec, std::int64_t blocks, const EntriesOf &entries_of, ValuePlace *place)
{
  ValueSpace space;
  if constexpr (kOnHost<Exec>) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      const ValueKind kind = place[block].Kind();
      const int       k    = static_cast<int>(kind);
      place[block]         = ValuePlace(kind, space.numbers[k]);
      space.numbers[k] += NumbersOf(kind, entries_of(block));
      space.blocks[k] += 1;
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

/// Whether kinds may be chosen for a layout (again). Always if the user wants rounded values.
template <class Scalar, class Space>
bool MayChooseKinds(const Values<Scalar, Space> &values)
{
  return values.storage == ValueStorage::Single || (values.storage == ValueStorage::Auto && values.choices < kMostChoices);
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

/// The source of a layout's values.
template <class Exec, class Scalar, class CsrIndex, class EntriesOf>
struct ValueBlocks {
  const Exec                  &exec;
  const Csr<Scalar, CsrIndex> &csr;
  std::int64_t                 blocks, entries; // entries of the blocks, padding included
  EntriesOf                    entries_of;
};

/// Chooses how the values of each block are stored and allocates them; all may stay full. The source (value_source.hpp,
/// value_source_device.hpp) is a ValueBlocks whose FindKinds(rule, place) writes the kind of each block.
template <class Exec, class Source, class Scalar>
void ShapeValues(const Exec &exec, const Source &source, Values<Scalar, typename Exec::memory_space> &values)
{
  using Space                   = typename Exec::memory_space;
  const auto               size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  ValueRule<Scalar>        rule = values.rule;
  ValueSpace               space;
  bool                     kinds = false;
  Array<ValuePlace, Space> place;
  if (MayChooseKinds(values)) {
    const ValueSample<Scalar> sample(exec, source.csr.val, source.csr.nnz());
    ++values.choices;
    if (rule.converts) sample.FindNumbers(rule);
    if (sample.MaySave(rule)) {
      place.Allocate(size(source.blocks));
      source.FindKinds(rule, place.data());
      const std::int64_t changes =
        exec.Sum("CountChangesOfKind", source.blocks, IsChangeOfKind<decltype(source.entries_of)>{source.entries_of, place.data()});
      space                    = PlaceValues(exec, source.blocks, source.entries_of, place.data());
      const std::int64_t table = space.Numbers(ValueKind::Few) > 0 ? kTableNumbers * static_cast<std::int64_t>(sizeof(Scalar)) : 0;
      kinds = SavesEnough<Scalar>(source.entries, space.template Bytes<Scalar>() + table + changes * kBytesOfChange +
                                                    static_cast<std::int64_t>(place.bytes()));
    }
  }
  if (!kinds) {
    if (values.place.size() == 0 && values.full.size() == size(source.entries)) return;
    place.Allocate(0);
    space                                            = {};
    space.numbers[static_cast<int>(ValueKind::Full)] = source.entries;
  }
  const ValueStorage storage = values.storage;
  const int          choices = values.choices;
  values                     = {}; // free before allocating
  values.storage             = storage;
  values.rule                = rule;
  values.choices             = choices;
  values.place               = std::move(place);
  values.full.Allocate(size(space.Numbers(ValueKind::Full)));
  values.single.Allocate(size(space.Numbers(ValueKind::Single)));
  values.few.Allocate(size(space.Numbers(ValueKind::Few)));
  values.one.Allocate(size(space.Numbers(ValueKind::One)));
  if (space.Numbers(ValueKind::Few) > 0) FillTable(exec, rule, values.table);
  values.single_blocks = space.Blocks(ValueKind::Single);
  values.few_blocks    = space.Blocks(ValueKind::Few);
  values.one_blocks    = space.Blocks(ValueKind::One);
}

/// Whether a layout's entries are worth conversions: they are streamed from beyond the cores' own caches.
template <class Exec>
bool ComesFromAfar(const Exec &exec, std::size_t bytes)
{
  if constexpr (kOnHost<Exec>) return exec.ExceedsCaches(bytes);
  else return true;
}

/// Writes the values of a new layout by source.Fill(target). `other_bytes` is what a product reads besides values.
template <class Exec, class Source, class Scalar>
void FillValues(const Exec &exec, const Source &source, ValueStorage storage, std::size_t other_bytes,
                Values<Scalar, typename Exec::memory_space> &values)
{
  const std::size_t full_bytes = static_cast<std::size_t>(source.entries) * sizeof(Scalar);
  values.storage               = storage;
  values.rule.rounded          = storage == ValueStorage::Single;
  values.rule.converts  = values.rule.rounded || (storage == ValueStorage::Auto && ComesFromAfar(exec, other_bytes + full_bytes));
  values.rule.few_first = Source::kFewFirst;
  ShapeValues(exec, source, values);
  source.Fill(ValuesTarget<Scalar>(values));
}

/// Writes new values: in the kinds chosen for the old ones if source.Refill(target) reports that all fit.
template <class Exec, class Source, class Scalar>
void RefillValues(const Exec &exec, const Source &source, Values<Scalar, typename Exec::memory_space> &values)
{
  const bool kinds = values.place.size() > 0;
  if (kinds && source.Refill(ValuesTarget<Scalar>(values))) return;
  if (kinds || MayChooseKinds(values)) ShapeValues(exec, source, values);
  source.Fill(ValuesTarget<Scalar>(values));
}

} // namespace petscspmv
