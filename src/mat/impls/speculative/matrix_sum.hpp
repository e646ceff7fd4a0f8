// The matrix-based segmented sum of a tile: T lanes of W products each (paper, section 3.2, and Blelloch,
// Heroux and Zagha 1993). It takes the same time whatever the segments are.
#pragma once

#include "mat/arithmetic/lanes.hpp"
#include "mat/impls/speculative/tile.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace petscspmv::speculative {

/// The flags of a lane, one bit an entry.
template <int Height>
using LaneFlags = std::conditional_t<Height == 8, std::uint8_t, std::uint64_t>;

/// Eight bytes of 0 or 1 as eight bits.
KOKKOS_INLINE_FUNCTION std::uint8_t PackBits(const std::uint8_t *byte)
{
  std::uint64_t word = 0; // least byte first on any processor; one load where that is its own order
  for (int i = 0; i < 8; ++i) word |= std::uint64_t{byte[i]} << 8 * i;
  return static_cast<std::uint8_t>(word * 0x0102040810204080u >> 56);
}

/// The binary descriptor: a flag where a segment begins, lane by lane.
template <int Width, int Height>
KOKKOS_FORCEINLINE_FUNCTION void ScatterFlags(const Shape<Width, Height> &shape, int lanes, int count, const int *starts,
                                              LaneFlags<Height> *flags)
{
  if constexpr (Height == 8) { // by bytes: bits of one word would have to wait for one another
    alignas(64) std::uint8_t byte[Shape<Width, Height>::kEntries];
    std::memset(byte, 0, sizeof(byte));
    for (int k = 0; k < count; ++k) byte[starts[k]] = 1;
    for (int t = 0; t < lanes; ++t) flags[t] = PackBits(byte + t * 8);
  } else {
    const unsigned height = static_cast<unsigned>(shape.height());
    for (int t = 0; t < lanes; ++t) flags[t] = 0;
    for (int k = 0; k < count; ++k)
      flags[static_cast<unsigned>(starts[k]) / height] |= std::uint64_t{1} << static_cast<unsigned>(starts[k]) % height;
  }
}

/// One pass of a lane: what stands d to the left is added, but for entries with a bit in `begun`.
template <int Height, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void AddLeft(int height, int d, LaneFlags<Height> begun, const Scalar *in, Scalar *out)
{
  using Real           = typename Parts<Scalar>::Real;
  constexpr int kParts = Parts<Scalar>::count;
  if constexpr (Height == 8) {
    using Values               = Lanes<Real, 8 * kParts>;
    static constexpr auto bits = [] {
      std::array<std::uint32_t, 8 * kParts> of_entry{};
      for (int i = 0; i < 8 * kParts; ++i) of_entry[static_cast<std::size_t>(i)] = 1u << i / kParts;
      return of_entry;
    }();
    const Real *number = reinterpret_cast<const Real *>(in);
    (Values::Load(number) +
     Values::Load(number - d * kParts).IfWithout(typename Values::Bit(begun), Values::Bits::Load(bits.data())))
      .Store(reinterpret_cast<Real *>(out));
  } else {
    for (int i = 0; i < height; ++i) out[i] = Plus(in[i], begun >> i & 1 ? Scalar(0) : in[i - d]);
  }
}

/// Running sums in every lane, begun anew at every flag, by doubling: after the pass of distance d an
/// entry has the sum of the last 2d of its segment and lane. Rows stay apart, since a sum is
/// chosen and never subtracted. Returns the one of the two buffers where they end up.
template <class Scalar, int Width, int Height>
KOKKOS_FORCEINLINE_FUNCTION Scalar *ScanLanes(const Shape<Width, Height> &shape, int lanes, const LaneFlags<Height> *flags,
                                              Scalar *product, Scalar *other)
{
  const int height = shape.height();
  // Bits: entries that a segment, or the lane, begins at or less than d before. They take nothing.
  LaneFlags<Height> begun[Shape<Width, Height>::kWidth];
  for (int t = 0; t < lanes; ++t) begun[t] = flags[t] | 1;
  Scalar *from = product, *to = other;
  for (int i = -height; i < 0; ++i) from[i] = to[i] = Scalar(0);
  for (int d = 1; d < height; d *= 2) {
    for (int t = 0; t < lanes; ++t) {
      AddLeft<Height>(height, d, begun[t], from + t * height, to + t * height);
      begun[t] = static_cast<LaneFlags<Height>>(begun[t] | begun[t] << d);
    }
    Scalar *swap = from;
    from         = to;
    to           = swap;
  }
  return from;
}

/// The sums of the segments, stored compactly: the running sum at the last entry of each, and for one that
/// began in an earlier lane what the lanes before have of it.
template <class Scalar, int Width, int Height>
KOKKOS_FORCEINLINE_FUNCTION void JoinLanes(const Shape<Width, Height> &shape, int lanes, int count, const int *starts,
                                           const LaneFlags<Height> *flags, const Scalar *scan, Scalar *sums)
{
  constexpr int kWidth = Shape<Width, Height>::kWidth;
  const int     height = shape.height();
  // carry[kWidth + t]: of the segment that lane t begins within; carry[t]: nothing. Read, not branched on.
  Scalar carry[2 * kWidth], open[2] = {Scalar(0), Scalar(0)};
  for (int t = 0; t < lanes; ++t) carry[t] = Scalar(0);
  carry[kWidth] = Scalar(0);
  for (int t = 1; t < lanes; ++t) {
    open[1]           = carry[kWidth + t - 1];
    carry[kWidth + t] = Plus(open[flags[t - 1] == 0], scan[t * height - 1]);
  }
  for (int k = 0; k < count; ++k) {
    const unsigned last = static_cast<unsigned>(starts[k + 1]) - 1, lane = last / static_cast<unsigned>(height);
    const unsigned crosses = static_cast<unsigned>(starts[k]) < lane * static_cast<unsigned>(height);
    sums[k]                = Plus(scan[last], carry[crosses * kWidth + lane]);
  }
}

/// Sums of the segments of a tile of n products, which it clobbers; returns the one of the two buffers where they are.
template <class Scalar, int Width, int Height>
KOKKOS_FORCEINLINE_FUNCTION const Scalar *SumInLanes(const Shape<Width, Height> &shape, int n, int count, Scalar *product,
                                                     Scalar *other, const int *starts)
{
  const int height = shape.height(), lanes = n == shape.width() * height ? shape.width() : (n + height - 1) / height;
  for (int i = n; i < lanes * height; ++i) product[i] = Scalar(0); // behind the matrix' last entry
  LaneFlags<Height> flags[Shape<Width, Height>::kWidth];
  ScatterFlags(shape, lanes, count, starts, flags);
  Scalar *scan = ScanLanes(shape, lanes, flags, product, other), *sums = scan == product ? other : product;
  JoinLanes(shape, lanes, count, starts, flags, scan, sums);
  return sums;
}

} // namespace petscspmv::speculative
