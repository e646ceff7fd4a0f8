// The source of a layout's values on hosts, read and written block by block.
#pragma once

#include "mat/arithmetic/shape_values.hpp"
#include "mat/arithmetic/value_lanes.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv {

/// `of` supplies Kind(rule, block), Bits(rule, block) of a block that is not full, and Write(block, target).
template <class Of, class Scalar>
struct FindKind {
  Of                of;
  ValueRule<Scalar> rule;
  ValuePlace       *place;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const { place[block] = ValuePlace(of.Kind(rule, block), 0); }
};

template <class Of, class Scalar>
struct FillBlock {
  Of                   of;
  ValuesTarget<Scalar> target;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const { of.Write(block, target); }
};

/// Writes a block if its new values fit the old ones' kind.
template <class Of, class Scalar>
struct RefillBlock {
  Of                   of;
  ValuesTarget<Scalar> target;
  std::uint8_t        *misfit;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    const ValueKind kind = target.Kind(block);
    misfit[block]        = kind != ValueKind::Full && !of.Bits(target.rule, block).Fit(kind);
    if (!misfit[block]) of.Write(block, target);
  }
};

/// A value source for shape_values.hpp.
template <OnProcessor Exec, class Scalar, class CsrIndex, class EntriesOf, class Of>
struct ValueSource : ValueBlocks<Exec, Scalar, CsrIndex, EntriesOf> {
  /// A table lookup costs less than a conversion from single precision if the table is in a register, and more if it is in memory.
  static constexpr bool kFewFirst = lanes::kTableInRegister<typename Parts<Scalar>::Real, kTableNumbers>;

  Of of;

  void FindKinds(const ValueRule<Scalar> &rule, ValuePlace *place) const
  {
    For("FindValueKinds", FindKind<Of, Scalar>{of, rule, place});
  }
  void Fill(const ValuesTarget<Scalar> &target) const { For("FillValues", FillBlock<Of, Scalar>{of, target}); }

  /// Writes the blocks that fit; returns whether all do.
  bool Refill(const ValuesTarget<Scalar> &target) const
  {
    Array<std::uint8_t, typename Exec::memory_space> misfits(static_cast<std::size_t>(this->blocks));
    For("RefillValues", RefillBlock<Of, Scalar>{of, target, misfits.data()});
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
