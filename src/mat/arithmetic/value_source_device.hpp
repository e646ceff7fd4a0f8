// The source of a layout's values on devices: one warp per block.
#pragma once

#include "mat/arithmetic/shape_values.hpp"
#include "mat/arithmetic/warp.hpp"
#include "mat/exec/host.hpp"

#include <cstdint>

namespace petscspmv {

/// Finds the BlockBits of a block; lane 0 gets them. `of` supplies First(block), its first value, and ForAllOfLane(block, lane, f),
/// which calls f(value) for the values of a lane; for other functions of this file also IsFull(block) and Fill(exec, writer).
template <class Warp, class Of, class Scalar, class Bits>
KOKKOS_FORCEINLINE_FUNCTION void FindBits(const Warp &warp, const Of &of, const ValueRule<Scalar> &rule, std::int64_t block,
                                          Bits &bits)
{
  warp.For([&](int lane) {
    bits[lane] = {of.First(block), rule};
    of.ForAllOfLane(block, lane, [&](const Scalar &value) { bits[lane].Add(value, rule); });
  });
  JoinOfWarp(warp, bits);
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
  ValuesWriter<Scalar> writer;
  std::uint8_t        *misfit;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t block) const
  {
    typename Warp::template PerLane<BlockBits<Scalar>> bits;
    const ValueKind                                    kind = writer.Kind(block);
    if (kind != ValueKind::Full) FindBits(warp, of, writer.rule, block, bits);
    warp.For([&](int lane) {
      if (lane == 0) misfit[block] = kind != ValueKind::Full && !bits[lane].Fit(kind);
    });
  }
};

/// The source on devices for ShapeAndFill() and RefillValues() (shape_values.hpp).
template <OnDevice Exec, class Scalar, class CsrIndex, class EntriesOf, class Of>
struct DeviceValueSource : ValueBlocks<Exec, Scalar, CsrIndex, EntriesOf> {
  static constexpr bool kFewFirst = false; // not measured yet

  Of of;

  void FindKinds(const ValueRule<Scalar> &rule, ValuePlace *place) const
  {
    this->exec.ForWarps("FindValueKinds", this->blocks, 0, FindKindByWarp<Of, Scalar>{of, rule, place});
  }
  void Fill(const ValuesWriter<Scalar> &writer) const { of.Fill(this->exec, writer); }

  /// Writes all blocks if the new values of all fit; returns whether they fit.
  bool Refill(const ValuesWriter<Scalar> &writer) const
  {
    Array<std::uint8_t, typename Exec::memory_space> misfits(static_cast<std::size_t>(this->blocks));
    this->exec.ForWarps("FindMisfits", this->blocks, 0, FindMisfitByWarp<Of, Scalar>{of, writer, misfits.data()});
    const bool fit = this->exec.Sum("CountMisfits", this->blocks, CountTrue<std::uint8_t>{misfits.data()}) == 0;
    if (fit) Fill(writer);
    return fit;
  }
};

} // namespace petscspmv
