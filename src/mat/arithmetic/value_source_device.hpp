// Where a layout's values come from, device mapping: a warp looks at a block.
#pragma once

#include "mat/arithmetic/shape_values.hpp"
#include "mat/arithmetic/warp.hpp"
#include "mat/exec/host.hpp"

#include <cstdint>

namespace petscspmv {

/// The bits of a block's values, if they may be of any kind. `of` has IsFull(block), First(block), ForAllOfLane(block, lane, f), which
/// calls f(value), and Fill(exec, target).
template <class Warp, class Of, class Bits>
KOKKOS_FORCEINLINE_FUNCTION void FindBits(const Warp &warp, const Of &of, std::int64_t block, Bits &bits)
{
  warp.For([&](int lane) {
    bits[lane] = {of.First(block), of.storage};
    of.ForAllOfLane(block, lane, [&](const auto &value) { bits[lane].Add(value); });
  });
  JoinBitsOfWarp(warp, bits);
}

template <class Of, class Scalar>
struct FindKindByWarp {
  Of          of;
  ValuePlace *place;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t block) const
  {
    typename Warp::template PerLane<ValueBits<Scalar>> bits;
    const bool                                         full = of.IsFull(block);
    if (!full) FindBits(warp, of, block, bits);
    warp.For([&](int lane) {
      if (lane == 0) place[block] = ValuePlace(full ? ValueKind::Full : bits[lane].Kind(), 0);
    });
  }
};

template <class Of, class Scalar>
struct FindMisfitByWarp {
  Of                of;
  const ValuePlace *place;
  std::uint8_t     *misfit;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t block) const
  {
    typename Warp::template PerLane<ValueBits<Scalar>> bits;
    const ValueKind                                    kind = place[block].Kind();
    if (kind != ValueKind::Full) FindBits(warp, of, block, bits);
    warp.For([&](int lane) {
      if (lane == 0) misfit[block] = kind != ValueKind::Full && !bits[lane].Fit(kind);
    });
  }
};

/// For arithmetic/shape_values.hpp.
template <OnDevice Exec, class Scalar, class Room, class Of>
class DeviceValueSource {
public:
  DeviceValueSource(const Exec &exec, std::int64_t blocks, std::int64_t entries, const Room &room_of, const Of &of) :
    exec_(exec), blocks_(blocks), entries_(entries), room_of_(room_of), of_(of)
  {
  }

  std::int64_t Blocks() const { return blocks_; }
  std::int64_t Entries() const { return entries_; }
  const Room  &RoomOf() const { return room_of_; }
  bool         MaySave() const { return true; } // a sample's values would have to be waited for

  void FindKinds(ValuePlace *place) const { exec_.ForWarps("FindValueKinds", blocks_, 0, FindKindByWarp<Of, Scalar>{of_, place}); }
  void Fill(const ValuesTarget<Scalar> &target) const { of_.Fill(exec_, target); }
  void Refill(const ValuesTarget<Scalar> &target, std::uint8_t *misfit) const
  {
    exec_.ForWarps("FindMisfits", blocks_, 0, FindMisfitByWarp<Of, Scalar>{of_, target.place, misfit});
    Fill(target);
  }

private:
  const Exec  &exec_;
  std::int64_t blocks_, entries_;
  Room         room_of_;
  Of           of_;
};

} // namespace petscspmv
