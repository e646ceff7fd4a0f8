// The source of a layout's values on hosts, read and written block by block.
#pragma once

#include "mat/arithmetic/shape_values.hpp"
#include "mat/arithmetic/value_lanes.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv {

// The functors below take one block. `of` supplies IsFull(block), whether its kind must be Full; Begin(block), the number of its
// first entry; Bits(rule, block), its BlockBits if not IsFull(); Write(block, writer); and WriteIf(block, writer, fits), which
// writes the block if fits(bits) and returns the bits.

template <class Of, class Scalar>
struct FindKind {
  Of                of;
  ValueRule<Scalar> rule;
  ValuePlace       *place;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    place[block] = ValuePlace(of.IsFull(block) ? ValueKind::Full : of.Bits(rule, block).Kind(), 0);
  }
};

template <class Of, class Scalar>
struct FillBlock {
  Of                   of;
  ValuesWriter<Scalar> writer;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const { of.Write(block, writer); }
};

/// Writes a block if it is of the expected kind, otherwise finds its kind.
template <class Of, class Scalar>
struct FillExpected {
  Of                   of;
  ValueKind            expected;
  ValuesWriter<Scalar> writer;
  ValuePlace          *place;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    ValueKind kind = ValueKind::Full;
    place[block]   = ValuePlace(expected, expected == ValueKind::One ? block : of.Begin(block));
    if (!of.IsFull(block))
      kind = of.WriteIf(block, writer, [&](const auto &bits) PETSCSPMV_INLINE_LAMBDA { return bits.Kind() == expected; }).Kind();
    if (kind != expected) place[block] = ValuePlace(kind, 0);
  }
};

/// Writes a block that is not of the expected kind.
template <class Of, class Scalar>
struct FillOther {
  Of                   of;
  ValueKind            expected;
  ValuesWriter<Scalar> writer;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    if (writer.Kind(block) != expected) of.Write(block, writer);
  }
};

/// Writes a block if its new values fit the kind of the old ones.
template <class Of, class Scalar>
struct RefillBlock {
  Of                   of;
  ValuesWriter<Scalar> writer;
  std::uint8_t        *misfit;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    const ValueKind kind = writer.Kind(block);
    misfit[block]        = 0;
    if (kind == ValueKind::Full) return of.Write(block, writer);
    misfit[block] = !of.WriteIf(block, writer, [&](const auto &bits) PETSCSPMV_INLINE_LAMBDA { return bits.Fit(kind); }).Fit(kind);
  }
};

/// The source on hosts for ShapeAndFill() and RefillValues() (shape_values.hpp).
template <OnProcessor Exec, class Scalar, class CsrIndex, class EntriesOf, class Of>
struct ValueSource : ValueBlocks<Exec, Scalar, CsrIndex, EntriesOf> {
  /// A table lookup costs less than a conversion from single precision if the table is in a register, and more if it is in memory.
  static constexpr bool kFewFirst = lanes::kTableInRegister<typename Parts<Scalar>::Real, kTableNumbers>;

  Of of;

  void FindKinds(const ValueRule<Scalar> &rule, ValuePlace *place) const
  {
    For("FindValueKinds", FindKind<Of, Scalar>{of, rule, place});
  }
  void Fill(const ValuesWriter<Scalar> &writer) const { For("FillValues", FillBlock<Of, Scalar>{of, writer}); }

  /// Finds kinds and writes values in one pass. All blocks get places of the expected kind. Blocks of other kinds leave these
  /// places unused and are written afterwards. Returns false if there are too many such blocks, or if too little would be saved.
  bool FillAtOnce(ValueKind expected, Values<Scalar, typename Exec::memory_space> &values) const
  {
    ValueSpace space;
    space.numbers[static_cast<int>(expected)] = expected == ValueKind::One ? this->blocks : this->entries;
    values.place.Allocate(static_cast<std::size_t>(this->blocks));
    AllocateValues(this->exec, space, values);
    ValuePlace *const place = values.place.data();
    For("FillExpectedValues", FillExpected<Of, Scalar>{of, expected, ValuesWriter<Scalar>(values), place});
    std::int64_t as_expected = 0;
    for (std::int64_t block = 0; block < this->blocks; ++block) {
      const ValueKind kind = place[block].Kind();
      if (kind == expected) as_expected += this->entries_of(block);
      else PlaceNext(this->entries_of(block), space, place[block]);
      ++space.blocks[static_cast<int>(kind)];
    }
    if (static_cast<double>(as_expected) < kEnoughExpected * static_cast<double>(this->entries) ||
        !PlacesSaveEnough(this->exec, *this, space, place))
      return false;
    AllocateValues(this->exec, space, values);
    if (space.Blocks(expected) < this->blocks)
      For("FillOtherValues", FillOther<Of, Scalar>{of, expected, ValuesWriter<Scalar>(values)});
    return true;
  }

  /// Writes the blocks whose new values fit; returns whether all blocks fit.
  bool Refill(const ValuesWriter<Scalar> &writer) const
  {
    Array<std::uint8_t, typename Exec::memory_space> misfits(static_cast<std::size_t>(this->blocks));
    For("RefillValues", RefillBlock<Of, Scalar>{of, writer, misfits.data()});
    return this->exec.Sum("CountMisfits", this->blocks, CountTrue<std::uint8_t>{misfits.data()}) == 0;
  }

private:
  template <class Functor>
  void For(const char *name, const Functor &functor) const
  {
    this->exec.For(name, this->blocks, static_cast<std::size_t>(this->entries), functor);
  }
};

} // namespace petscspmv
