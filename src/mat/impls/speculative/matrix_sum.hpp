// The matrix-based segmented sum of a tile: T lanes of W products each (paper, section 3.2, and Blelloch, Heroux and Zagha 1993).
// Its time does not depend on the segments.
#pragma once

#include "mat/arithmetic/lanes.hpp"
#include "mat/impls/speculative/tile.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace petscspmv::speculative {

/// The flags of a lane, one bit per entry.
template <int Height>
using LaneFlags = std::conditional_t<Height == 8, std::uint8_t, std::uint64_t>;

/// Packs eight bytes of 0 or 1 into eight bits.
KOKKOS_INLINE_FUNCTION std::uint8_t PackBits(const std::uint8_t *byte)
{
  std::uint64_t word = 0; // least significant byte first; compiles to one load on little-endian processors
  for (int i = 0; i < 8; ++i) word |= std::uint64_t{byte[i]} << 8 * i;
  return static_cast<std::uint8_t>(word * 0x0102040810204080u >> 56);
}

/// The binary descriptor: sets a flag where a segment begins, lane by lane.
template <int Width, int Height>
KOKKOS_FORCEINLINE_FUNCTION void ScatterFlags(const Shape<Width, Height> &shape, int lanes, int count, const int *starts,
                                              LaneFlags<Height> *flags)
{
  if constexpr (Height == 8) { // by bytes: setting bits of one word would be a dependence chain
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

/// One pass of a lane: to each entry whose bit in `begun` is not set, adds the entry d places to its left. Selects the addend, not
/// the sum, since for the latter gcc would branch without AVX-512 masks.
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

/// Running sums in every lane, restarted at every flag, by doubling: after the pass of distance d an entry has the sum of the last
/// 2d entries of its segment and lane. Rows stay independent, since nothing is subtracted. Returns the buffer in which the sums
/// end up.
template <class Scalar, int Width, int Height>
KOKKOS_FORCEINLINE_FUNCTION Scalar *ScanLanes(const Shape<Width, Height> &shape, int lanes, const LaneFlags<Height> *flags,
                                              Scalar *product, Scalar *other)
{
  const int height = shape.height();
  // Bits of the entries less than d after the beginning of their segment or lane, which therefore add nothing.
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

/// Stores the segments' sums compactly: the running sum at the last entry of each segment, plus, if the segment began in an earlier
/// lane, the carry from the lanes before.
template <class Scalar, int Width, int Height>
KOKKOS_FORCEINLINE_FUNCTION void JoinLanes(const Shape<Width, Height> &shape, int lanes, int count, const int *starts,
                                           const LaneFlags<Height> *flags, const Scalar *scan, Scalar *sums)
{
  constexpr int kWidth = Shape<Width, Height>::kWidth;
  const int     height = shape.height();
  // carry[kWidth + t]: the sum so far of the segment open where lane t begins; carry[t]: zero. A lookup in place of a branch.
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

/// Sums the segments of a tile of n products, which are overwritten; returns the buffer that holds the sums.
template <class Scalar, int Width, int Height>
KOKKOS_FORCEINLINE_FUNCTION const Scalar *SumInLanes(const Shape<Width, Height> &shape, int n, int count, Scalar *product,
                                                     Scalar *other, const int *starts)
{
  const int height = shape.height(), lanes = n == shape.width() * height ? shape.width() : (n + height - 1) / height;
  for (int i = n; i < lanes * height; ++i) product[i] = Scalar(0); // past the matrix's last entry
  LaneFlags<Height> flags[Shape<Width, Height>::kWidth];
  ScatterFlags(shape, lanes, count, starts, flags);
  Scalar *scan = ScanLanes(shape, lanes, flags, product, other), *sums = scan == product ? other : product;
  JoinLanes(shape, lanes, count, starts, flags, scan, sums);
  return sums;
}

} // namespace petscspmv::speculative
