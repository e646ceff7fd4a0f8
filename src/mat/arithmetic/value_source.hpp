// Where a layout's values come from, host mapping: looked at and written block by block.
#pragma once

#include "mat/arithmetic/shape_values.hpp"
#include "mat/arithmetic/value_lanes.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv {

/// `of` has Kind(block), Bits(block) of a block that is not full, and Write(block, target).
template <class Of>
struct FindKind {
  Of          of;
  ValuePlace *place;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const { place[block] = ValuePlace(of.Kind(block), 0); }
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
    const ValueKind kind = target.place[block].Kind();
    misfit[block]        = kind != ValueKind::Full && !of.Bits(block).Fit(kind);
    if (!misfit[block]) of.Write(block, target);
  }
};

/// For arithmetic/shape_values.hpp.
template <OnProcessor Exec, class Scalar, class Room, class Of>
class ValueSource {
public:
  ValueSource(const Exec &exec, std::int64_t blocks, std::int64_t entries, const Room &room_of, const Of &of) :
    exec_(exec), blocks_(blocks), entries_(entries), room_of_(room_of), of_(of)
  {
  }

  std::int64_t Blocks() const { return blocks_; }
  std::int64_t Entries() const { return entries_; }
  const Room  &RoomOf() const { return room_of_; }

  bool MaySave() const
  {
    return SampleSaves<Scalar>(
      blocks_, [&](std::int64_t block) { return of_.Kind(block); }, room_of_);
  }
  void FindKinds(ValuePlace *place) const { For("FindValueKinds", FindKind<Of>{of_, place}); }
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

  const Exec  &exec_;
  std::int64_t blocks_, entries_;
  Room         room_of_;
  Of           of_;
};

} // namespace petscspmv
