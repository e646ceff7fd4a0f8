// From CSR to CSR5 (paper, Algorithms 4, 5 and 7), and the refresh of values.
#pragma once

#include "mat/format/csr.hpp"
#include "mat/format/launch.hpp"
#include "mat/format/rows.hpp"
#include "mat/impls/csr5/layout.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace petscspmv::csr5 {

/// Algorithm 4, lines 1-4, for a block of tiles: one binary search, then a walk along the rows.
template <class Index, class Unsigned>
struct BuildTilePtr {
  const Index *row_ptr;
  Index        rows;
  std::int64_t tiles;
  int          tile_size;
  Unsigned    *tile_ptr;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    const std::int64_t begin = block * kTilesPerBlock, end = begin + kTilesPerBlock < tiles ? begin + kTilesPerBlock : tiles;
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
  std::int64_t         complete;
  const std::uint16_t *inner_ends;
  std::int64_t        *block_ptr;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    const std::int64_t begin = block * kTilesPerBlock, end = begin + kTilesPerBlock < complete ? begin + kTilesPerBlock : complete;
    std::int64_t       count = 0;
    for (std::int64_t tile = begin; tile < end; ++tile) count += inner_ends[tile];
    block_ptr[block] = count;
  }
};

/// segment_end of a block of tiles.
struct BuildSegmentEnd {
  DescriptorFields     fields;
  std::int64_t         complete;
  const std::uint32_t *tile_desc;
  const std::int64_t  *block_ptr;
  std::uint16_t       *segment_end;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    const std::int64_t begin = block * kTilesPerBlock, end = begin + kTilesPerBlock < complete ? begin + kTilesPerBlock : complete;
    std::uint16_t     *next = segment_end + block_ptr[block];
    for (std::int64_t tile = begin; tile < end; ++tile) {
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

/// Transposes the entries of a complete tile, or copies those of the last one. Omega and Sigma are compile-time where they
/// are not 0.
template <int Omega, int Sigma>
struct Transpose {
  int          any_omega, any_sigma;
  std::int64_t nnz;

  int          omega() const { return Omega ? Omega : any_omega; }
  int          sigma() const { return Sigma ? Sigma : any_sigma; }
  std::int64_t Begin(std::int64_t tile) const { return tile * (omega() * sigma()); }

  template <class From, class To>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t tile, const From *csr, To *to) const
  {
    const std::int64_t begin = Begin(tile);
    const From        *from  = csr + begin;
    if (nnz - begin < omega() * sigma()) {
      for (std::int64_t k = 0; k < nnz - begin; ++k) to[k] = static_cast<To>(from[k]);
      return;
    }
    for (int j = 0; j < sigma(); ++j) {
#pragma omp simd
      for (int i = 0; i < omega(); ++i) to[j * omega() + i] = static_cast<To>(from[i * sigma() + j]);
    }
  }
};

template <int Omega, int Sigma, class Scalar>
struct FillTileValues {
  Transpose<Omega, Sigma> transpose;
  const Scalar           *csr;
  Scalar                 *val;

  KOKKOS_FUNCTION void operator()(std::int64_t tile) const { transpose(tile, csr, val + transpose.Begin(tile)); }
};

template <int Omega, int Sigma, class CsrIndex, class Index>
struct FillTileColumns {
  Transpose<Omega, Sigma> transpose;
  const CsrIndex         *csr;
  ColumnsView<Index>      columns;
  std::int32_t           *pairs;
  Index                  *plain;

  KOKKOS_FUNCTION void operator()(std::int64_t tile) const
  {
    const int          omega = transpose.omega(), sigma = transpose.sigma();
    const std::int64_t begin = transpose.Begin(tile);
    if (!columns.HasOffsets(tile)) return transpose(tile, csr, plain + columns.PlainAt(tile, begin));
    const CsrIndex *from = csr + begin;
    const CsrIndex  base = static_cast<CsrIndex>(columns.base[tile]);
    std::int32_t   *to   = pairs + columns.at[tile];
    for (int j = 0; j < sigma; j += 2) {
      const int next = j + 1 < sigma ? j + 1 : j;
#pragma omp simd
      for (int i = 0; i < omega; ++i) to[j / 2 * omega + i] = PairOffsets(base, from[i * sigma + j], from[i * sigma + next]);
    }
  }
};

/// The smallest column of a tile, if 16 bits number all of its columns from there on, and kFar otherwise; the incomplete
/// tile is plain.
template <class CsrIndex>
struct BaseOfTile {
  const CsrIndex *col_idx;
  std::int64_t    complete;
  int             tile_size;

  KOKKOS_FORCEINLINE_FUNCTION CsrIndex operator()(std::int64_t tile) const
  {
    if (tile == complete) return kFar;
    ColumnRange<CsrIndex> range;
    range.Add(col_idx + tile * tile_size, tile_size);
    return range.Base();
  }
};

/// Calls `fill` with the layout's Transpose<>.
template <class Scalar, class Index, class Exec, class Fill>
void WithTranspose(const Layout<Scalar, Index, Exec> &layout, const Fill &fill)
{
  const int omega = layout.fields.omega, sigma = layout.fields.sigma;
  if (omega == 16 && sigma == 16) fill(Transpose<16, 16>{omega, sigma, layout.nnz});
  else fill(Transpose<0, 0>{omega, sigma, layout.nnz});
}

template <class Scalar, class CsrIndex, class Index, class Exec>
void FillColumns(const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  const auto room = [&](std::int64_t tile) { return tile < layout.complete ? ColumnRoom{(layout.fields.sigma + 1) / 2 * layout.fields.omega, layout.TileSize()} : ColumnRoom{0, layout.nnz - layout.CompleteEntries()}; };
  ShapeColumns<Exec>(layout.offsets, layout.tiles, layout.nnz, BaseOfTile<CsrIndex>{csr.col_idx, layout.complete, layout.TileSize()}, room, layout.columns);
  WithTranspose(layout, [&]<int Omega, int Sigma>(Transpose<Omega, Sigma> transpose) {
    ParallelFor<Exec>("CSR5FillColumns", layout.tiles, static_cast<std::size_t>(layout.nnz), FillTileColumns<Omega, Sigma, CsrIndex, Index>{transpose, csr.col_idx, ColumnsView<Index>(layout.columns), layout.columns.pairs.data(), layout.columns.plain.data()});
  });
}

template <class Scalar, class CsrIndex, class Index, class Exec>
void FillValues(const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  WithTranspose(layout, [&]<int Omega, int Sigma>(Transpose<Omega, Sigma> transpose) {
    ParallelFor<Exec>("CSR5FillValues", layout.tiles, static_cast<std::size_t>(layout.nnz), FillTileValues<Omega, Sigma, Scalar>{transpose, csr.val, layout.val.data()});
  });
}

/// The rows of the incomplete tile as they stand in CSR.
template <class Scalar, class CsrIndex, class Index, class Exec>
void BuildTail(const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  const CsrIndex first    = static_cast<CsrIndex>(layout.tile_ptr[static_cast<std::size_t>(layout.complete)]);
  std::size_t    nonempty = 0, k = 0;
  for (CsrIndex row = first; row < csr.rows; ++row) nonempty += csr.row_ptr[row] < csr.row_ptr[row + 1];
  layout.tail_ptr.Allocate(nonempty + 1);
  layout.tail_row.Allocate(nonempty);
  for (CsrIndex row = first; row < csr.rows; ++row) {
    if (csr.row_ptr[row] == csr.row_ptr[row + 1]) continue;
    layout.tail_ptr[k]   = std::max<std::int64_t>(layout.CompleteEntries(), csr.row_ptr[row]);
    layout.tail_row[k++] = static_cast<Index>(row);
  }
  layout.tail_ptr[k] = csr.nnz();
}

template <class Scalar, class Index, class Exec>
void BuildSegments(Layout<Scalar, Index, Exec> &layout)
{
  const std::int64_t blocks = layout.Blocks();
  std::int64_t       total  = 0;
  layout.block_ptr.Allocate(static_cast<std::size_t>(blocks) + 1);
  ParallelFor<Exec>("CSR5CountBlockEnds", blocks, static_cast<std::size_t>(layout.nnz), CountBlockEnds{layout.complete, layout.inner_ends.data(), layout.block_ptr.data()});
  for (std::size_t block = 0; block < static_cast<std::size_t>(blocks); ++block) total += std::exchange(layout.block_ptr[block], total);
  layout.block_ptr[static_cast<std::size_t>(blocks)] = total;
  layout.segment_end.Allocate(static_cast<std::size_t>(total));
  ParallelFor<Exec>("CSR5BuildSegmentEnd", blocks, static_cast<std::size_t>(layout.nnz), BuildSegmentEnd{layout.fields, layout.complete, layout.tile_desc.data(), layout.block_ptr.data(), layout.segment_end.data()});
}

/// Empty rows: sets the sign bits and stores the offsets of the tiles that have any.
template <class Scalar, class CsrIndex, class Index, class Exec>
void BuildEmpty(const Csr<Scalar, CsrIndex> &csr, const Array<bool, typename Exec::memory_space> &has_empty, Layout<Scalar, Index, Exec> &layout)
{
  using Unsigned             = typename Layout<Scalar, Index, Exec>::Unsigned;
  const std::size_t complete = static_cast<std::size_t>(layout.complete);
  std::int64_t      total    = 0;
  const auto        segments = [&](std::size_t tile) { return has_empty[tile] ? 1 + layout.inner_ends[tile] : 0; };
  for (std::size_t tile = 0; tile < complete; ++tile) total += segments(tile);
  layout.empty_ptr.Allocate(total ? complete + 1 : 0);
  layout.empty_offset.Allocate(static_cast<std::size_t>(total));
  if (total == 0) return;
  layout.empty_ptr[0] = 0;
  for (std::size_t tile = 0; tile < complete; ++tile) {
    layout.empty_ptr[tile + 1] = layout.empty_ptr[tile] + segments(tile);
    if (has_empty[tile]) layout.tile_ptr[tile] |= kEmptyRowsBit<Unsigned>;
  }
  ParallelFor<Exec>("CSR5BuildEmptyOffset", layout.complete, static_cast<std::size_t>(layout.nnz), BuildEmptyOffset<CsrIndex, Unsigned>{csr.row_ptr, layout.TileSize(), layout.tile_ptr.data(), layout.empty_ptr.data(), layout.empty_offset.data()});
}

template <class Scalar, class CsrIndex, class Index, class Exec>
void BuildPattern(const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  using Unsigned              = typename Layout<Scalar, Index, Exec>::Unsigned;
  const std::size_t nnz       = static_cast<std::size_t>(csr.nnz());
  const int         tile_size = layout.TileSize();

  layout.tile_ptr.Allocate(static_cast<std::size_t>(layout.tiles) + 1);
  ParallelFor<Exec>("CSR5BuildTilePtr", BlocksOf(layout.tiles), nnz, BuildTilePtr<CsrIndex, Unsigned>{csr.row_ptr, csr.rows, layout.tiles, tile_size, layout.tile_ptr.data()});
  layout.tile_ptr[static_cast<std::size_t>(layout.tiles)] = static_cast<Unsigned>(csr.rows);

  layout.tile_desc.Allocate(static_cast<std::size_t>(layout.complete) * static_cast<std::size_t>(layout.fields.WordsPerTile()));
  layout.inner_ends.Allocate(static_cast<std::size_t>(layout.complete));
  Array<bool, typename Exec::memory_space> has_empty(static_cast<std::size_t>(layout.complete));
  ParallelFor<Exec>("CSR5BuildDescriptor", layout.complete, nnz, BuildDescriptor<CsrIndex, Unsigned>{csr.row_ptr, tile_size, layout.fields, layout.tile_ptr.data(), layout.tile_desc.data(), layout.inner_ends.data(), has_empty.data()});
  BuildSegments(layout);
  BuildTail(csr, layout);

  layout.continues.Allocate(static_cast<std::size_t>(layout.Blocks()) + 1);
  for (std::int64_t block = 0; block <= layout.Blocks(); ++block) {
    const std::int64_t tile                           = std::min<std::int64_t>(block * kTilesPerBlock, layout.complete);
    const CsrIndex     row                            = static_cast<CsrIndex>(layout.tile_ptr[static_cast<std::size_t>(tile)]);
    layout.continues[static_cast<std::size_t>(block)] = row < csr.rows && csr.row_ptr[row] < tile * tile_size;
  }
  BuildEmpty(csr, has_empty, layout);
}

} // namespace petscspmv::csr5
