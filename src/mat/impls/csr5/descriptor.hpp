// tile_desc: bit_flag, y_offset and seg_offset of a tile packed in bit fields (paper, section 3.5).
#pragma once

#include "mat/exec/function.hpp"
#include "mat/exec/warp_width.hpp"

#include <cstdint>

namespace petscspmv::csr5 {

inline constexpr int kMaxOmega = 64; // the widest SIMD unit: an AMD wavefront
inline constexpr int kMaxSigma = 32; // a column's flags fit in one 32-bit word

/// The tile shape on hosts. Columns: as many as fill one wide register, or two half as wide, so that additions are independent; few
/// enough that a tile's sums stay in the L1 cache while the matrix streams through it. Rows: as many as possible, since columns are
/// joined once per tile.
inline constexpr int kHostOmega = 8, kHostSigma = kMaxSigma;

/// The tile shape on devices: a column for each lane of a warp, its descriptor in one word. With 32 rows a warp has less to do
/// besides products, but a small matrix has too few warps; with 8 rows the reverse holds. The paper's rule chooses 4 to 32 rows by
/// the mean length of rows, as measured on GPUs with fewer warps (src/benchmarks/tried.md).
inline constexpr int kDeviceOmega = kWarp, kDeviceSigma = 16;

KOKKOS_INLINE_FUNCTION constexpr int CeilLog2(int n)
{
  int bits = 0;
  while ((1 << bits) < n) ++bits;
  return bits;
}

/// The bit positions of the fields of a column's descriptor, for tiles of omega columns and sigma rows.
///
/// From the lowest bit: bit_flag (sigma bits, bit j for the column's j-th entry), y_offset
/// (ceil(log2(omega sigma)) bits), seg_offset (ceil(log2(omega)) bits). The fields fill one packet
/// of 32 bits or two; packet k of column i of a tile is word k omega + i of the tile's descriptor,
/// so that omega lanes load omega neighbouring words.
struct DescriptorFields {
  int omega;
  int sigma;
  int y_bits;
  int seg_bits;
  int packets;

  static constexpr DescriptorFields For(int omega, int sigma)
  {
    const int y_bits = CeilLog2(omega * sigma), seg_bits = CeilLog2(omega);
    return {omega, sigma, y_bits, seg_bits, sigma + y_bits + seg_bits > 32 ? 2 : 1};
  }

  KOKKOS_INLINE_FUNCTION int WordsPerTile() const { return packets * omega; }

  KOKKOS_INLINE_FUNCTION std::uint64_t Load(const std::uint32_t *tile_desc, int column) const
  {
    const std::uint64_t low = tile_desc[column];
    return packets == 1 ? low : low | static_cast<std::uint64_t>(tile_desc[omega + column]) << 32;
  }

  KOKKOS_INLINE_FUNCTION void Save(std::uint32_t *tile_desc, int column, std::uint32_t bit_flag, std::uint32_t y_offset,
                                   std::uint32_t seg_offset) const
  {
    const std::uint64_t word =
      bit_flag | static_cast<std::uint64_t>(y_offset) << sigma | static_cast<std::uint64_t>(seg_offset) << (sigma + y_bits);
    tile_desc[column] = static_cast<std::uint32_t>(word);
    if (packets == 2) tile_desc[omega + column] = static_cast<std::uint32_t>(word >> 32);
  }

  KOKKOS_INLINE_FUNCTION std::uint32_t BitFlag(std::uint64_t word) const
  {
    return static_cast<std::uint32_t>(word & ((std::uint64_t{1} << sigma) - 1));
  }
  KOKKOS_INLINE_FUNCTION int YOffset(std::uint64_t word) const
  {
    return static_cast<int>(word >> sigma & ((std::uint64_t{1} << y_bits) - 1));
  }
  KOKKOS_INLINE_FUNCTION int SegOffset(std::uint64_t word) const { return static_cast<int>(word >> (sigma + y_bits)); }
};

/// The highest bit of a tile_ptr entry means "has empty rows"; the others hold the row. This is the paper's negative sign (section
/// 3.3), in an unsigned word so that row 0 can have it too.
template <class Unsigned>
inline constexpr Unsigned kEmptyRowsBit = static_cast<Unsigned>(Unsigned{1} << (8 * sizeof(Unsigned) - 1));

template <class Unsigned>
KOKKOS_INLINE_FUNCTION constexpr Unsigned RemoveSign(Unsigned tile_ptr)
{
  return static_cast<Unsigned>(tile_ptr & ~kEmptyRowsBit<Unsigned>);
}

template <class Unsigned>
KOKKOS_INLINE_FUNCTION constexpr bool HasEmptyRows(Unsigned tile_ptr)
{
  return (tile_ptr & kEmptyRowsBit<Unsigned>) != 0;
}

} // namespace petscspmv::csr5
