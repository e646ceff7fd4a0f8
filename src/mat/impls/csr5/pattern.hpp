// From CSR to CSR5: the steps of building the pattern that hosts and devices share (paper, Algorithms 4 and 7).
#pragma once

#include "mat/arithmetic/rows.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/impls/csr5/layout.hpp"

#include <algorithm>
#include <cstdint>
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

/// Algorithm 7: the row of every segment of a tile with empty rows, relative to the tile's first row.
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

/// Whether the first row of a block of tiles, or of the tail after them, began before it.
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

/// Counts the segments of a tile whose rows are stored in empty_offset: all of them if the tile has empty rows, otherwise none.
struct SegmentsToStore {
  const bool          *has_empty;
  const std::uint16_t *inner_ends;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t tile) const { return has_empty[tile] ? 1 + inner_ends[tile] : 0; }
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

/// The rows of the incomplete tile, in CSR order.
template <class Exec, class Scalar, class CsrIndex, class Index>
void BuildTail(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  const CsrIndex           *row_ptr = csr.host_row_ptr;
  std::vector<std::int64_t> tail_ptr;
  std::vector<Index>        tail_row;
  for (CsrIndex row = static_cast<CsrIndex>(GetItem(exec, layout.tile_ptr.data() + layout.complete)); row < csr.rows; ++row) {
    if (row_ptr[row] == row_ptr[row + 1]) continue;
    tail_ptr.push_back(std::max<std::int64_t>(layout.CompleteEntries(), row_ptr[row]));
    tail_row.push_back(static_cast<Index>(row));
  }
  tail_ptr.push_back(layout.nnz);
  CopyIn(exec, layout.tail_ptr, tail_ptr);
  CopyIn(exec, layout.tail_row, tail_row);
}

/// Sets the sign bits and stores the offsets of tiles with empty rows.
template <class Exec, class Scalar, class CsrIndex, class Index>
void BuildEmpty(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, const Array<bool, typename Exec::memory_space> &has_empty,
                Layout<Scalar, Index, Exec> &layout)
{
  using Unsigned = typename Layout<Scalar, Index, Exec>::Unsigned;
  const SegmentsToStore segments{has_empty.data(), layout.inner_ends.data()};
  layout.tiles_with_empty_rows = exec.Sum("CSR5CountTilesWithEmptyRows", layout.complete, CountTrue<bool>{has_empty.data()});
  if (layout.tiles_with_empty_rows == 0) return;
  layout.empty_ptr.Allocate(static_cast<std::size_t>(layout.complete) + 1);
  const std::int64_t total = exec.Scan("CSR5PlaceEmptyOffsets", layout.complete, segments, layout.empty_ptr.data());
  layout.empty_offset.Allocate(static_cast<std::size_t>(total));
  const std::size_t nnz = static_cast<std::size_t>(layout.nnz);
  exec.For("CSR5MarkEmptyRows", layout.complete, nnz, MarkEmptyRows<Unsigned>{has_empty.data(), layout.tile_ptr.data()});
  exec.For("CSR5BuildEmptyOffset", layout.complete, nnz,
           BuildEmptyOffset<CsrIndex, Unsigned>{csr.row_ptr, layout.TileSize(), layout.tile_ptr.data(), layout.empty_ptr.data(),
                                                layout.empty_offset.data()});
}

/// Builds tile_ptr and allocates the descriptors.
template <class Exec, class Scalar, class CsrIndex, class Index>
void BuildTiles(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  using Unsigned          = typename Layout<Scalar, Index, Exec>::Unsigned;
  const TileBlocks blocks = {layout.tiles, layout.CompleteBlocks().size};
  layout.tile_ptr.Allocate(static_cast<std::size_t>(layout.tiles) + 1);
  Unsigned *tile_ptr = layout.tile_ptr.data();
  exec.For("CSR5BuildTilePtr", blocks.Count(), static_cast<std::size_t>(csr.nnz()),
           BuildTilePtr<CsrIndex, Unsigned>{csr.row_ptr, csr.rows, blocks, layout.TileSize(), tile_ptr});
  exec.For("CSR5EndTilePtr", 1, 0, SetItems<Unsigned>{tile_ptr + layout.tiles, static_cast<Unsigned>(csr.rows)});
  layout.tile_desc.Allocate(static_cast<std::size_t>(layout.complete) * static_cast<std::size_t>(layout.fields.WordsPerTile()));
  layout.inner_ends.Allocate(static_cast<std::size_t>(layout.complete));
}

/// Builds what depends on the descriptors: the incomplete tile, blocks that continue a row, and empty rows.
template <class Exec, class Scalar, class CsrIndex, class Index>
void BuildRest(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, const Array<bool, typename Exec::memory_space> &has_empty,
               Layout<Scalar, Index, Exec> &layout)
{
  using Unsigned          = typename Layout<Scalar, Index, Exec>::Unsigned;
  const TileBlocks blocks = layout.CompleteBlocks();
  BuildTail(exec, csr, layout);
  layout.continues.Allocate(static_cast<std::size_t>(blocks.Count()) + 1);
  exec.For("CSR5BuildContinues", blocks.Count() + 1, 0,
           BuildContinues<CsrIndex, Unsigned>{csr.row_ptr, csr.rows, blocks, layout.TileSize(), layout.tile_ptr.data(),
                                              layout.continues.data()});
  BuildEmpty(exec, csr, has_empty, layout);
}

} // namespace petscspmv::csr5
