// From CSR to CSR5: all but columns and values (paper, Algorithms 4, 5 and 7).
#pragma once

#include "mat/format/csr.hpp"
#include "mat/format/launch.hpp"
#include "mat/format/rows.hpp"
#include "mat/impls/csr5/build_device.hpp"
#include "mat/impls/csr5/layout.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <vector>

namespace petscspmv::csr5 {

/// Algorithm 4, lines 1-4, for a block of tiles: one binary search, then a walk along the rows.
template <class Index, class Unsigned>
struct BuildTilePtr {
  const Index *row_ptr;
  Index        rows;
  TileBlocks   blocks;
  int          tile_size;
  Unsigned    *tile_ptr;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    const std::int64_t begin = blocks.Begin(block), end = blocks.End(block);
    Index              row = RowOf(row_ptr, rows, static_cast<Index>(begin * tile_size));
    for (std::int64_t tile = begin; tile < end; ++tile) {
      const std::int64_t entry = tile * tile_size;
      while (row < rows && row_ptr[row + 1] <= entry) ++row;
      tile_ptr[tile] = static_cast<Unsigned>(row);
    }
  }
};

/// bit_flag, y_offset and seg_offset of a complete tile (Algorithm 5), the number of its inner_ends, and whether it
/// has empty rows.
template <class Index, class Unsigned>
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
    const int          omega = fields.omega, sigma = fields.sigma;
    std::uint32_t      bit_flag[kMaxOmega] = {1u}; // seals the tile's first segment from the top
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
      const int at = static_cast<int>(first - begin);
      bit_flag[at / sigma] |= 1u << at % sigma;
      ++segments;
    }
    // Empty rows right before the next tile's first row belong to this tile as well.
    if (last > tile_ptr[tile] + 1 && row_ptr[last - 1] >= end) empty = true;
    inner_ends[tile] = static_cast<std::uint16_t>(segments - 1);
    has_empty[tile]  = empty;

    // From the right: columns without a flag belong to the segment open at their left.
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

/// How many inner_ends the tiles of a block have.
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

/// segment_end of a block of tiles.
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
        for (std::uint32_t flags = i == 0 ? bit_flag & ~1u : bit_flag; flags; flags &= flags - 1) *next++ = static_cast<std::uint16_t>(SegmentEnd(fields.omega, fields.sigma, i, std::countr_zero(flags)));
      }
    }
  }
};

/// Algorithm 7: the row of every segment of a tile with empty rows, relative to the tile's first.
template <class Index, class Unsigned>
struct BuildEmptyOffset {
  using Offset = std::make_signed_t<Unsigned>;

  const Index        *row_ptr;
  int                 tile_size;
  const Unsigned     *tile_ptr;
  const std::int64_t *empty_ptr;
  Offset             *empty_offset;

  KOKKOS_FUNCTION void operator()(std::int64_t tile) const
  {
    if (!HasEmptyRows(tile_ptr[tile])) return;
    const Index        begin  = static_cast<Index>(RemoveSign(tile_ptr[tile]));
    const std::int64_t end    = (tile + 1) * tile_size;
    Offset            *offset = empty_offset + empty_ptr[tile];
    *offset++                 = 0;
    for (Index row = begin + 1; offset < empty_offset + empty_ptr[tile + 1]; ++row) {
      if (row_ptr[row] < row_ptr[row + 1] && row_ptr[row] < end) *offset++ = static_cast<Offset>(row - begin);
    }
  }
};

/// Whether the first row of a block of tiles, or of the tail behind them, began before it.
template <class Index, class Unsigned>
struct BuildContinues {
  const Index    *row_ptr;
  Index           rows;
  TileBlocks      blocks;
  int             tile_size;
  const Unsigned *tile_ptr;
  std::uint8_t   *continues;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    const std::int64_t tile = blocks.Begin(block);
    const Index        row  = static_cast<Index>(tile_ptr[tile]);
    continues[block]        = row < rows && row_ptr[row] < tile * tile_size;
  }
};

/// The segments of a tile if it has empty rows, whose rows are stored then.
struct SegmentsToStore {
  const bool          *has_empty;
  const std::uint16_t *inner_ends;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t tile) const { return has_empty[tile] ? 1 + inner_ends[tile] : 0; }
};

template <class T>
struct CountTrue {
  const T *flag;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return flag[i]; }
};

template <class Unsigned>
struct MarkEmptyRows {
  const bool *has_empty;
  Unsigned   *tile_ptr;

  KOKKOS_FUNCTION void operator()(std::int64_t tile) const
  {
    if (has_empty[tile]) tile_ptr[tile] |= kEmptyRowsBit<Unsigned>;
  }
};

/// The rows of the incomplete tile as they stand in CSR.
template <class Scalar, class CsrIndex, class Index, class Exec>
void BuildTail(const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  const CsrIndex           *row_ptr = csr.host_row_ptr;
  std::vector<std::int64_t> tail_ptr;
  std::vector<Index>        tail_row;
  for (CsrIndex row = static_cast<CsrIndex>(GetItem<Exec>(layout.tile_ptr.data() + layout.complete)); row < csr.rows; ++row) {
    if (row_ptr[row] == row_ptr[row + 1]) continue;
    tail_ptr.push_back(std::max<std::int64_t>(layout.CompleteEntries(), row_ptr[row]));
    tail_row.push_back(static_cast<Index>(row));
  }
  tail_ptr.push_back(layout.nnz);
  CopyIn<Exec>(layout.tail_ptr, tail_ptr);
  CopyIn<Exec>(layout.tail_row, tail_row);
}

/// On devices lanes store the sums of segments themselves.
template <class Scalar, class Index, class Exec>
void BuildSegments(Layout<Scalar, Index, Exec> &layout)
{
  const TileBlocks  blocks = layout.CompleteBlocks();
  const std::size_t nnz    = static_cast<std::size_t>(layout.nnz);
  layout.block_ptr.Allocate(static_cast<std::size_t>(blocks.Count()) + 1);
  std::int64_t *block_ptr = layout.block_ptr.data();
  ParallelFor<Exec>("CSR5CountBlockEnds", blocks.Count(), nnz, CountBlockEnds{blocks, layout.inner_ends.data(), block_ptr});
  const std::int64_t total = ScanOf<Exec>(
    "CSR5PlaceBlockEnds", blocks.Count(), [=](std::int64_t block) { return block_ptr[block]; }, block_ptr);
  layout.segment_end.Allocate(static_cast<std::size_t>(total));
  ParallelFor<Exec>("CSR5BuildSegmentEnd", blocks.Count(), nnz, BuildSegmentEnd{layout.fields, blocks, layout.tile_desc.data(), block_ptr, layout.segment_end.data()});
}

/// Empty rows: sets the sign bits and stores the offsets of the tiles that have any.
template <class Scalar, class CsrIndex, class Index, class Exec>
void BuildEmpty(const Csr<Scalar, CsrIndex> &csr, const Array<bool, typename Exec::memory_space> &has_empty, Layout<Scalar, Index, Exec> &layout)
{
  using Unsigned = typename Layout<Scalar, Index, Exec>::Unsigned;
  const SegmentsToStore segments{has_empty.data(), layout.inner_ends.data()};
  layout.tiles_with_empty_rows = SumOf<Exec>("CSR5CountTilesWithEmptyRows", layout.complete, CountTrue<bool>{has_empty.data()});
  if constexpr (!kOnHost<Exec>) layout.empty_rows = SumOf<Exec>("CSR5CountEmptyRows", csr.rows, IsEmptyRow<CsrIndex>{csr.row_ptr});
  if (layout.tiles_with_empty_rows == 0) return;
  layout.empty_ptr.Allocate(static_cast<std::size_t>(layout.complete) + 1);
  const std::int64_t total = ScanOf<Exec>("CSR5PlaceEmptyOffsets", layout.complete, segments, layout.empty_ptr.data());
  layout.empty_offset.Allocate(static_cast<std::size_t>(total));
  const std::size_t nnz = static_cast<std::size_t>(layout.nnz);
  ParallelFor<Exec>("CSR5MarkEmptyRows", layout.complete, nnz, MarkEmptyRows<Unsigned>{has_empty.data(), layout.tile_ptr.data()});
  ParallelFor<Exec>("CSR5BuildEmptyOffset", layout.complete, nnz, BuildEmptyOffset<CsrIndex, Unsigned>{csr.row_ptr, layout.TileSize(), layout.tile_ptr.data(), layout.empty_ptr.data(), layout.empty_offset.data()});
}

template <class Scalar, class CsrIndex, class Index, class Exec>
void BuildPattern(const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  using Unsigned              = typename Layout<Scalar, Index, Exec>::Unsigned;
  const std::size_t nnz       = static_cast<std::size_t>(csr.nnz());
  const int         tile_size = layout.TileSize();
  const TileBlocks  blocks    = layout.CompleteBlocks(), all_blocks{layout.tiles, blocks.size};

  layout.tile_ptr.Allocate(static_cast<std::size_t>(layout.tiles) + 1);
  Unsigned *tile_ptr = layout.tile_ptr.data();
  ParallelFor<Exec>("CSR5BuildTilePtr", all_blocks.Count(), nnz, BuildTilePtr<CsrIndex, Unsigned>{csr.row_ptr, csr.rows, all_blocks, tile_size, tile_ptr});
  ParallelFor<Exec>("CSR5EndTilePtr", 1, 0, SetItems<Unsigned>{tile_ptr + layout.tiles, static_cast<Unsigned>(csr.rows)});

  layout.tile_desc.Allocate(static_cast<std::size_t>(layout.complete) * static_cast<std::size_t>(layout.fields.WordsPerTile()));
  layout.inner_ends.Allocate(static_cast<std::size_t>(layout.complete));
  Array<bool, typename Exec::memory_space> has_empty(static_cast<std::size_t>(layout.complete));
  using Descriptor = std::conditional_t<kOnHost<Exec>, BuildDescriptor<CsrIndex, Unsigned>, DescriptorByWarp<CsrIndex, Unsigned>>;
  const Descriptor descriptor{csr.row_ptr, tile_size, layout.fields, tile_ptr, layout.tile_desc.data(), layout.inner_ends.data(), has_empty.data()};
  if constexpr (kOnHost<Exec>) {
    ParallelFor<Exec>("CSR5BuildDescriptor", layout.complete, nnz, descriptor);
    BuildSegments(layout);
  } else {
    ForWarps<Exec>("CSR5BuildDescriptor", layout.complete, Descriptor::kScratch, descriptor);
  }
  BuildTail(csr, layout);

  layout.continues.Allocate(static_cast<std::size_t>(blocks.Count()) + 1);
  const BuildContinues<CsrIndex, Unsigned> continues{csr.row_ptr, csr.rows, blocks, tile_size, tile_ptr, layout.continues.data()};
  if constexpr (!kOnHost<Exec>) ForThreads<Exec>("CSR5BuildContinues", blocks.Count() + 1, continues);
  else
    for (std::int64_t block = 0; block <= blocks.Count(); ++block) continues(block);
  BuildEmpty(csr, has_empty, layout);
}

} // namespace petscspmv::csr5
