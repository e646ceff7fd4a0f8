// From CSR to CSR5 on hosts: everything but columns and values (paper, Algorithms 4, 5 and 7).
#pragma once

#include "mat/impls/csr5/pattern.hpp"
#include "mat/impls/csr5/tiles.hpp"

#include <bit>
#include <cstdint>

namespace petscspmv::csr5 {

/// Fills bit_flag, y_offset and seg_offset of a complete tile (Algorithm 5), counts its inner_ends, and finds whether it has empty
/// rows. Omega and Sigma are compile-time constants, or 0 for any shape: dividing by a variable for every row takes long.
template <int Omega, int Sigma, class Index, class Unsigned>
struct BuildDescriptor {
  const Index     *row_ptr;
  int              tile_size;
  DescriptorFields fields;
  const Unsigned  *tile_ptr;
  std::uint32_t   *tile_desc;
  std::uint16_t   *inner_ends;
  bool            *has_empty;

  KOKKOS_FUNCTION void operator()(std::int64_t tile) const
  {
    const int          omega = Omega ? Omega : fields.omega, sigma = Sigma ? Sigma : fields.sigma;
    std::uint32_t      bit_flag[kMaxOmega] = {1u}; // set whatever the row: the tile's first segment begins here
    const std::int64_t begin = tile * tile_size, end = begin + tile_size;
    const Unsigned     last     = tile_ptr[tile + 1];
    int                segments = 1;
    bool               empty    = false;
    for (Index row = static_cast<Index>(tile_ptr[tile]) + 1; row <= static_cast<Index>(last); ++row) {
      const Index first = row_ptr[row];
      if (first >= end) break;
      if (row_ptr[row + 1] == first) {
        empty = true;
        continue;
      }
      const auto at = static_cast<unsigned>(first - begin), rows = static_cast<unsigned>(sigma);
      bit_flag[at / rows] |= 1u << at % rows;
      ++segments;
    }
    // Empty rows just before the next tile's first row belong to this tile as well.
    if (last > tile_ptr[tile] + 1 && row_ptr[last - 1] >= end) empty = true;
    inner_ends[tile] = static_cast<std::uint16_t>(segments - 1);
    has_empty[tile]  = empty;

    // From right to left: a column without a flag continues the segment that is open in the column to its left.
    int seg_offset[kMaxOmega], run = 0;
    for (int i = omega - 1; i >= 0; --i) {
      seg_offset[i] = bit_flag[i] ? run : 0;
      run           = bit_flag[i] ? 0 : run + 1;
    }
    std::uint32_t y_offset = 0;
    for (int i = 0; i < omega; ++i) {
      fields.Save(tile_desc + tile * fields.WordsPerTile(), i, bit_flag[i], y_offset, static_cast<std::uint32_t>(seg_offset[i]));
      for (std::uint32_t flags = bit_flag[i]; flags; flags &= flags - 1) ++y_offset;
    }
  }
};

/// Adds up the inner_ends of a block of tiles.
struct CountBlockEnds {
  TileBlocks           blocks;
  const std::uint16_t *inner_ends;
  std::int64_t        *block_ptr;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    std::int64_t count = 0;
    for (std::int64_t tile = blocks.Begin(block); tile < blocks.End(block); ++tile) count += inner_ends[tile];
    block_ptr[block] = count;
  }
};

/// Fills segment_end for a block of tiles.
struct BuildSegmentEnd {
  DescriptorFields     fields;
  TileBlocks           blocks;
  const std::uint32_t *tile_desc;
  const std::int64_t  *block_ptr;
  std::uint16_t       *segment_end;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    std::uint16_t *next = segment_end + block_ptr[block];
    for (std::int64_t tile = blocks.Begin(block); tile < blocks.End(block); ++tile) {
      for (int i = 0; i < fields.omega; ++i) {
        const std::uint32_t bit_flag = fields.BitFlag(tile_desc[tile * fields.WordsPerTile() + i]);
        for (std::uint32_t flags = i == 0 ? bit_flag & ~1u : bit_flag; flags; flags &= flags - 1)
          *next++ = static_cast<std::uint16_t>(SegmentEnd(fields.omega, fields.sigma, i, std::countr_zero(flags)));
      }
    }
  }
};

/// Builds block_ptr and segment_end, by which products find the sums of segments (on devices lanes store the sums directly).
template <OnProcessor Exec, class Scalar, class Index>
void BuildSegments(const Exec &exec, Layout<Scalar, Index, Exec> &layout)
{
  const TileBlocks  blocks = layout.CompleteBlocks();
  const std::size_t nnz    = static_cast<std::size_t>(layout.nnz);
  layout.block_ptr.Allocate(static_cast<std::size_t>(blocks.Count()) + 1);
  std::int64_t *block_ptr = layout.block_ptr.data();
  exec.For("CSR5CountBlockEnds", blocks.Count(), nnz, CountBlockEnds{blocks, layout.inner_ends.data(), block_ptr});
  const std::int64_t total = exec.Scan(
    "CSR5PlaceBlockEnds", blocks.Count(), [=](std::int64_t block) { return block_ptr[block]; }, block_ptr);
  layout.segment_end.Allocate(static_cast<std::size_t>(total));
  exec.For("CSR5BuildSegmentEnd", blocks.Count(), nnz,
           BuildSegmentEnd{layout.fields, blocks, layout.tile_desc.data(), block_ptr, layout.segment_end.data()});
}

template <OnProcessor Exec, class Scalar, class CsrIndex, class Index>
void BuildPattern(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  using Unsigned = typename Layout<Scalar, Index, Exec>::Unsigned;
  Array<bool, typename Exec::memory_space> has_empty(static_cast<std::size_t>(layout.complete));
  BuildTiles(exec, csr, layout);
  WithShape<Exec>(layout.fields, [&]<int Omega, int Sigma>() {
    exec.For("CSR5BuildDescriptor", layout.complete, static_cast<std::size_t>(csr.nnz()),
             BuildDescriptor<Omega, Sigma, CsrIndex, Unsigned>{csr.row_ptr, layout.TileSize(), layout.fields,
                                                               layout.tile_ptr.data(), layout.tile_desc.data(),
                                                               layout.inner_ends.data(), has_empty.data()});
  });
  BuildSegments(exec, layout);
  BuildRest(exec, csr, has_empty, layout);
}

} // namespace petscspmv::csr5
