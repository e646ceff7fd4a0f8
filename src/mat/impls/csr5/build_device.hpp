// From CSR to CSR5, device mapping: a warp takes a tile.
#pragma once

#include "mat/arithmetic/columns.hpp"
#include "mat/arithmetic/load.hpp"
#include "mat/arithmetic/value_source_device.hpp"
#include "mat/arithmetic/warp.hpp"
#include "mat/exec/atomics.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/impls/csr5/descriptor.hpp"
#include "mat/impls/csr5/layout.hpp"
#include "mat/impls/csr5/pattern.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv::csr5 {

template <class Index>
struct IsEmptyRow {
  const Index *row_ptr;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const { return row_ptr[row] == row_ptr[row + 1]; }
};

/// What BuildDescriptor does on hosts for a complete tile, by a warp.
template <class Index, class Unsigned>
struct DescriptorByWarp {
  static constexpr std::size_t kScratch = (kWarp + 1) * sizeof(std::uint32_t);

  const Index     *row_ptr;
  int              tile_size;
  DescriptorFields fields;
  const Unsigned  *tile_ptr;
  std::uint32_t   *tile_desc;
  std::uint16_t   *inner_ends;
  bool            *has_empty;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t tile) const
  {
    std::uint32_t     *bit_flag = warp.template Scratch<std::uint32_t>(), *empty = bit_flag + kWarp;
    const int          omega = fields.omega, sigma = fields.sigma;
    const std::int64_t begin = tile * tile_size, first = static_cast<std::int64_t>(tile_ptr[tile]) + 1,
                       stop = static_cast<std::int64_t>(tile_ptr[tile + 1]) + 1;
    warp.For([&](int lane) {
      bit_flag[lane] = lane == 0; // the first entry always begins a segment, which the paper calls sealed from the top
      if (lane == 0) *empty = 0;
    });
    warp.For([&](int lane) {
      for (std::int64_t row = first + lane; row < stop; row += kWarp) {
        const std::int64_t at = row_ptr[row] - begin;
        // Empty rows just before the next tile's first row, stop - 1, belong to this tile too. Row stop - 1 need not exist.
        if (row < stop - 1 && row_ptr[row + 1] == row_ptr[row]) *empty = 1;
        else if (at < tile_size) AtomicOr(&bit_flag[at / sigma], std::uint32_t{1} << at % sigma);
      }
    });
    warp.For([&](int lane) {
      if (lane >= omega) return;
      std::uint32_t y_offset = 0, seg_offset = 0;
      for (int i = 0; i < lane; ++i) y_offset += Count(bit_flag[i]);
      for (int i = lane + 1; bit_flag[lane] && i < omega && !bit_flag[i]; ++i) ++seg_offset;
      fields.Save(tile_desc + tile * fields.WordsPerTile(), lane, bit_flag[lane], y_offset, seg_offset);
      if (lane == omega - 1) inner_ends[tile] = static_cast<std::uint16_t>(y_offset + Count(bit_flag[lane]) - 1);
      if (lane == 0) has_empty[tile] = *empty;
    });
  }

private:
  KOKKOS_FUNCTION static std::uint32_t Count(std::uint32_t flags)
  {
    std::uint32_t n = 0;
    for (; flags; flags &= flags - 1) ++n;
    return n;
  }
};

/// The positions of a tile's entries in CSR: entry j of column i is at Begin(tile) + i sigma + j. The incomplete tile keeps the
/// order of CSR.
struct TileEntries {
  int          omega, sigma;
  std::int64_t complete, nnz;

  KOKKOS_FUNCTION std::int64_t Begin(std::int64_t tile) const { return tile * (omega * sigma); }
  KOKKOS_FUNCTION std::int64_t Size(std::int64_t tile) const { return tile < complete ? omega * sigma : nnz - Begin(tile); }

  /// Calls f(position in CSR) for every kWarp-th entry of the tile, from entry `lane` on.
  template <class F>
  KOKKOS_FUNCTION void ForAllOfLane(std::int64_t tile, int lane, const F &f) const
  {
    for (std::int64_t k = lane; k < Size(tile); k += kWarp) f(Begin(tile) + k);
  }

  /// Calls f(position in the tile, position in CSR) for all entries of the tile.
  template <class Warp, class F>
  KOKKOS_FUNCTION void ForAll(const Warp &warp, std::int64_t tile, const F &f) const
  {
    const std::int64_t begin = Begin(tile);
    warp.For([&](int lane) {
      if (tile == complete) {
        for (std::int64_t k = lane; k < nnz - begin; k += kWarp) f(k, begin + k);
      } else if (lane < omega) {
        for (int j = 0; j < sigma; ++j) f(std::int64_t{j} * omega + lane, begin + lane * sigma + j);
      }
    });
  }
};

template <class Scalar>
struct FillValuesByWarp {
  TileEntries          entries;
  const Scalar        *csr;
  ValuesWriter<Scalar> writer;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t tile) const
  {
    const std::int64_t begin = entries.Begin(tile);
    if (writer.Kind(tile) == ValueKind::One)
      return warp.For([&](int lane) {
        if (lane == 0) writer.SetOne(tile, Load(csr + begin));
      });
    writer.Write(tile, begin, [&](auto *to, const auto &conversion) {
      entries.ForAll(warp, tile, [&](std::int64_t place, std::int64_t entry) { to[place] = conversion(Load(csr + entry)); });
    });
  }
};

/// The values of the tiles, for arithmetic/value_source_device.hpp.
template <class Scalar>
struct TileValuesOnDevice {
  TileEntries   entries;
  std::int64_t  tiles;
  const Scalar *csr;

  KOKKOS_FUNCTION bool   IsFull(std::int64_t tile) const { return tile == entries.complete; }
  KOKKOS_FUNCTION Scalar First(std::int64_t tile) const { return Load(csr + entries.Begin(tile)); }

  template <class F>
  KOKKOS_FUNCTION void ForAllOfLane(std::int64_t tile, int lane, const F &f) const
  {
    entries.ForAllOfLane(tile, lane, [&](std::int64_t entry) { f(Load(csr + entry)); });
  }
  template <class Exec>
  void Fill(const Exec &exec, const ValuesWriter<Scalar> &writer) const
  {
    exec.ForWarps("CSR5FillValues", tiles, 0, FillValuesByWarp<Scalar>{entries, csr, writer});
  }
};

/// The base of a tile's columns, as TileColumns::Base() finds it on hosts, by a warp.
template <class CsrIndex, class Index>
struct FindTileBase {
  TileEntries     entries;
  const CsrIndex *csr;
  Index          *base;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t tile) const
  {
    typename Warp::template PerLane<ColumnRange<CsrIndex>> range;
    warp.For([&](int lane) {
      range[lane] = {};
      if (tile < entries.complete)
        entries.ForAllOfLane(tile, lane, [&](std::int64_t entry) { range[lane].Add(Load(csr + entry)); });
    });
    JoinOfWarp(warp, range);
    warp.For([&](int lane) {
      if (lane == 0) base[tile] = tile < entries.complete ? static_cast<Index>(range[lane].Base()) : Index{kFar};
    });
  }
};

template <class CsrIndex, class Index>
struct FillColumnsByWarp {
  TileEntries          entries;
  const CsrIndex      *csr;
  ColumnsWriter<Index> writer;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t tile) const
  {
    writer.Write(tile, entries.Begin(tile), [&](auto *to, const auto &conversion) {
      entries.ForAll(warp, tile, [&](std::int64_t place, std::int64_t entry) { to[place] = conversion(Load(csr + entry)); });
    });
  }
};

template <OnDevice Exec, class Scalar, class CsrIndex, class Index>
void BuildPattern(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  using Descriptor = DescriptorByWarp<CsrIndex, typename Layout<Scalar, Index, Exec>::Unsigned>;
  Array<bool, typename Exec::memory_space> has_empty(static_cast<std::size_t>(layout.complete));
  BuildTiles(exec, csr, layout);
  exec.ForWarps("CSR5BuildDescriptor", layout.complete, Descriptor::kScratch,
                Descriptor{csr.row_ptr, layout.TileSize(), layout.fields, layout.tile_ptr.data(), layout.tile_desc.data(),
                           layout.inner_ends.data(), has_empty.data()});
  layout.empty_rows = exec.Sum("CSR5CountEmptyRows", csr.rows, IsEmptyRow<CsrIndex>{csr.row_ptr});
  BuildRest(exec, csr, has_empty, layout);
}

template <OnDevice Exec, class Scalar, class CsrIndex, class Index>
void FillColumns(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  const TileEntries   entries{layout.fields.omega, layout.fields.sigma, layout.complete, layout.nnz};
  const EntriesOfTile entries_of{layout.TileSize(), layout.complete, layout.nnz};
  const auto          find_bases = [&](Index *base) {
    exec.ForWarps("CSR5FindBases", layout.tiles, 0, FindTileBase<CsrIndex, Index>{entries, csr.col_idx, base});
  };
  ShapeColumns(exec, layout.offsets, layout.tiles, layout.nnz, find_bases, entries_of, layout.columns);
  exec.ForWarps("CSR5FillColumns", layout.tiles, 0,
                FillColumnsByWarp<CsrIndex, Index>{entries, csr.col_idx, ColumnsWriter<Index>(layout.columns)});
}

/// Calls f with the source of the layout's values.
template <OnDevice Exec, class Scalar, class CsrIndex, class Index, class F>
void WithValues(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, const Layout<Scalar, Index, Exec> &layout, const F &f)
{
  using Of = TileValuesOnDevice<Scalar>;
  const TileEntries   entries{layout.fields.omega, layout.fields.sigma, layout.complete, layout.nnz};
  const EntriesOfTile entries_of{layout.TileSize(), layout.complete, layout.nnz};
  f(DeviceValueSource<Exec, Scalar, CsrIndex, EntriesOfTile, Of>{{exec, csr, layout.tiles, layout.nnz, entries_of},
                                                                 Of{entries, layout.tiles, csr.val}});
}

} // namespace petscspmv::csr5
