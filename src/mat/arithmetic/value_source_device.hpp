// Where a layout's values come from, device mapping: a warp looks at a block.
#pragma once

#include "mat/arithmetic/shape_values.hpp"
#include "mat/arithmetic/warp.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"

#include <cstdint>

namespace petscspmv {

/// The bits of a block's values. `of` has IsFull(block), First(block), ForAllOfLane(block, lane, f), which calls f(value), and
/// Fill(exec, target).
template <class Warp, class Of, class Scalar, class Bits>
KOKKOS_FORCEINLINE_FUNCTION void FindBits(const Warp &warp, const Of &of, const ValueRule<Scalar> &rule, std::int64_t block,
                                          Bits &bits)
{
  warp.For([&](int lane) {
    bits[lane] = {of.First(block), rule};
    of.ForAllOfLane(block, lane, [&](const Scalar &value) { bits[lane].Add(value, rule); });
  });
  JoinBitsOfWarp(warp, bits);
}

template <class Of, class Scalar>
struct FindKindByWarp {
  Of                of;
  ValueRule<Scalar> rule;
  ValuePlace       *place;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t block) const
  {
    typename Warp::template PerLane<BlockBits<Scalar>> bits;
    const bool                                         full = of.IsFull(block);
    if (!full) FindBits(warp, of, rule, block, bits);
    warp.For([&](int lane) {
      if (lane == 0) place[block] = ValuePlace(full ? ValueKind::Full : bits[lane].Kind(), 0);
    });
  }
};

template <class Of, class Scalar>
struct FindMisfitByWarp {
  Of                   of;
  ValuesTarget<Scalar> target;
  std::uint8_t        *misfit;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t block) const
  {
    typename Warp::template PerLane<BlockBits<Scalar>> bits;
    const ValueKind                                    kind = target.Kind(block);
    if (kind != ValueKind::Full) FindBits(warp, of, target.rule, block, bits);
    warp.For([&](int lane) {
      if (lane == 0) misfit[block] = kind != ValueKind::Full && !bits[lane].Fit(kind);
    });
  }
};

/// For arithmetic/shape_values.hpp.
template <OnDevice Exec, class Scalar, class CsrIndex, class Room, class Of>
class DeviceValueSource {
public:
  static constexpr bool kFewFirst = false; // not measured yet

  DeviceValueSource(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, std::int64_t blocks, std::int64_t entries,
                    const Room &room_of, const Of &of) :
    exec_(exec),
    csr_(csr), blocks_(blocks), entries_(entries), room_of_(room_of), of_(of)
  {
  }

  std::int64_t                 Blocks() const { return blocks_; }
  std::int64_t                 Entries() const { return entries_; }
  const Room                  &RoomOf() const { return room_of_; }
  const Csr<Scalar, CsrIndex> &csr() const { return csr_; }
  bool MaySave(const ValueRule<Scalar> &) const { return true; } // a sample's kinds would have to be waited for

  void FindKinds(const ValueRule<Scalar> &rule, ValuePlace *place) const
  {
    exec_.ForWarps("FindValueKinds", blocks_, 0, FindKindByWarp<Of, Scalar>{of_, rule, place});
  }
  void Fill(const ValuesTarget<Scalar> &target) const { of_.Fill(exec_, target); }
  void Refill(const ValuesTarget<Scalar> &target, std::uint8_t *misfit) const
  {
    exec_.ForWarps("FindMisfits", blocks_, 0, FindMisfitByWarp<Of, Scalar>{of_, target, misfit});
    Fill(target);
  }

private:
  const Exec                  &exec_;
  const Csr<Scalar, CsrIndex> &csr_;
  std::int64_t                 blocks_, entries_;
  Room                         room_of_;
  Of                           of_;
};

} // namespace petscspmv
