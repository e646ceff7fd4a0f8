// Where a layout's values come from, host mapping: looked at and written block by block.
#pragma once

#include "mat/arithmetic/shape_values.hpp"
#include "mat/arithmetic/value_lanes.hpp"
#include "mat/format/csr.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv {

/// `of` has Kind(rule, block), Bits(rule, block) of a block that is not full, and Write(block, target).
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

/// The same where the new values are of the old ones' kind.
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

/// For arithmetic/shape_values.hpp.
template <OnProcessor Exec, class Scalar, class CsrIndex, class Room, class Of>
class ValueSource {
public:
  /// A number taken from a register costs less than one converted from single precision; taken from memory, more.
  static constexpr bool kFewFirst = lanes::kTableInRegister<typename Parts<Scalar>::Real, kTableNumbers>;

  ValueSource(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, std::int64_t blocks, std::int64_t entries, const Room &room_of,
              const Of &of) :
    exec_(exec),
    csr_(csr), blocks_(blocks), entries_(entries), room_of_(room_of), of_(of)
  {
  }

  std::int64_t                 Blocks() const { return blocks_; }
  std::int64_t                 Entries() const { return entries_; }
  const Room                  &RoomOf() const { return room_of_; }
  const Csr<Scalar, CsrIndex> &csr() const { return csr_; }

  bool MaySave(const ValueRule<Scalar> &rule) const
  {
    return SampleSaves<Scalar>(
      blocks_, [&](std::int64_t block) { return of_.Kind(rule, block); }, room_of_);
  }
  void FindKinds(const ValueRule<Scalar> &rule, ValuePlace *place) const
  {
    For("FindValueKinds", FindKind<Of, Scalar>{of_, rule, place});
  }
  void Fill(const ValuesTarget<Scalar> &target) const { For("FillValues", FillBlock<Of, Scalar>{of_, target}); }
  void Refill(const ValuesTarget<Scalar> &target, std::uint8_t *misfit) const
  {
    For("RefillValues", RefillBlock<Of, Scalar>{of_, target, misfit});
  }

private:
  template <class Functor>
  void For(const char *name, const Functor &functor) const
  {
    exec_.For(name, blocks_, static_cast<std::size_t>(entries_), functor);
  }

  const Exec                  &exec_;
  const Csr<Scalar, CsrIndex> &csr_;
  std::int64_t                 blocks_, entries_;
  Room                         room_of_;
  Of                           of_;
};

} // namespace petscspmv
