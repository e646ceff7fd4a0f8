// From CSR to SELL-C-sigma, and the refresh of values, device mapping: a thread per row, or a warp per piece of a long row.
#pragma once

#include "mat/arithmetic/columns.hpp"
#include "mat/arithmetic/load.hpp"
#include "mat/arithmetic/value_source_device.hpp"
#include "mat/arithmetic/warp.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/impls/sellcs/layout.hpp"
#include "mat/impls/sellcs/shape.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace petscspmv::sellcs {

/// The longest rows in chunks by default: 32 entries, or twice the mean if that is more. The thread of a longer row would still
/// work when all others have finished. Padding is no reason to take a row out of its chunk: it is not read, and two more kernels
/// cost more.
inline std::int64_t LongestOnDevice(std::int64_t nnz, std::int64_t rows)
{
  return std::max<std::int64_t>(32, rows > 0 ? 2 * nnz / rows : 0);
}

/// Where the entries of a slot's row are: in the chunk, and in CSR.
template <class Scalar, class Index, class CsrIndex>
struct SlotEntries {
  Chunks<Scalar, Index> a;
  const CsrIndex       *row_ptr;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t Begin(std::int64_t slot) const { return row_ptr[a.RowOf(slot)]; }

  /// Calls f(index in CSR) for the entries of every kWarp-th slot of a chunk, from its lane `lane` on.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void ForAllOfLane(std::int64_t c, int lane, const F &f) const
  {
    for (std::int64_t slot = c * a.height + lane; slot < c * a.height + a.Lanes(c); slot += kWarp) {
      const std::int64_t begin = Begin(slot);
      for (std::int64_t j = 0; j < a.row_len[slot]; ++j) f(begin + j);
    }
  }

  /// Calls f(position from the chunk's first entry, index in CSR) for the entries of a slot's row.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void ForAll(std::int64_t slot, const F &f) const
  {
    const std::int64_t c = slot / a.height, lane = slot % a.height, columns = a.Width(c), begin = Begin(slot),
                       length = a.row_len[slot];
    for (std::int64_t j = 0; j < length; ++j)
      f(j < columns ? j * a.height + lane : a.rest_ptr[slot] - a.chunk_ptr[c] + (j - columns), begin + j);
  }
};

/// Fills in values; padding is never read.
template <class Scalar, class Index, class CsrIndex>
struct FillSlotValues {
  SlotEntries<Scalar, Index, CsrIndex> entries;
  const Scalar                        *csr;
  ValuesWriter<Scalar>                 writer;

  KOKKOS_FUNCTION void operator()(std::int64_t slot) const
  {
    const std::int64_t c = slot / entries.a.height;
    if (writer.Kind(c) == ValueKind::One) {
      if (slot % entries.a.height == 0) writer.SetOne(c, Load(csr + entries.a.FirstEntry(c, entries.row_ptr)));
      return;
    }
    writer.Write(c, entries.a.chunk_ptr[c], [&](auto *to, const auto &conversion) {
      entries.ForAll(slot, [&](std::int64_t place, std::int64_t entry) { to[place] = conversion(Load(csr + entry)); });
    });
  }
};

/// The values of the chunks, for arithmetic/value_source_device.hpp.
template <class Scalar, class Index, class CsrIndex>
struct ChunkValuesOnDevice {
  SlotEntries<Scalar, Index, CsrIndex> entries;
  const Scalar                        *csr;

  KOKKOS_FUNCTION bool   IsFull(std::int64_t c) const { return entries.a.IsEmpty(c); }
  KOKKOS_FUNCTION Scalar First(std::int64_t c) const { return Load(csr + entries.a.FirstEntry(c, entries.row_ptr)); }

  template <class F>
  KOKKOS_FUNCTION void ForAllOfLane(std::int64_t c, int lane, const F &f) const
  {
    entries.ForAllOfLane(c, lane, [&](std::int64_t entry) { f(Load(csr + entry)); });
  }
  template <class Exec>
  void Fill(const Exec &exec, const ValuesWriter<Scalar> &writer) const
  {
    exec.ForThreads("SELLCSFillValues", entries.a.rows, FillSlotValues<Scalar, Index, CsrIndex>{entries, csr, writer});
  }
};

template <class Scalar, class Index, class CsrIndex>
struct FillSlotColumns {
  SlotEntries<Scalar, Index, CsrIndex> entries;
  const CsrIndex                      *csr;
  ColumnsWriter<Index>                 writer;

  KOKKOS_FUNCTION void operator()(std::int64_t slot) const
  {
    const std::int64_t c = slot / entries.a.height;
    writer.Write(c, entries.a.chunk_ptr[c], [&](auto *to, const auto &conversion) {
      entries.ForAll(slot, [&](std::int64_t place, std::int64_t entry) { to[place] = conversion(Load(csr + entry)); });
    });
  }
};

/// The base of a chunk's columns, as ChunkColumns::Base() finds it on hosts, by a warp.
template <class Scalar, class Index, class CsrIndex>
struct FindChunkBase {
  SlotEntries<Scalar, Index, CsrIndex> entries;
  const CsrIndex                      *csr;
  Index                               *base;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t c) const
  {
    typename Warp::template PerLane<ColumnRange<CsrIndex>> range;
    warp.For([&](int lane) {
      range[lane] = {};
      entries.ForAllOfLane(c, lane, [&](std::int64_t entry) { range[lane].Add(Load(csr + entry)); });
    });
    JoinOfWarp(warp, range);
    warp.For([&](int lane) {
      if (lane == 0) base[c] = static_cast<Index>(range[lane].Base());
    });
  }
};

/// Copies the entries of a piece of a long row.
template <class From, class To>
struct FillPiece {
  const std::int64_t *piece_ptr, *entry;
  const From         *csr;
  To                 *to;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t piece) const
  {
    const std::int64_t begin = piece_ptr[piece], end = piece_ptr[piece + 1];
    warp.For([&](int lane) {
      for (std::int64_t k = begin + lane; k < end; k += kWarp) to[k] = static_cast<To>(Load(csr + entry[piece] + (k - begin)));
    });
  }
};

template <OnDevice Exec, class Scalar, class CsrIndex, class Index>
void FillColumns(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  layout.columns = {};
  const Chunks                        chunks(layout);
  const EntriesOfChunk<Scalar, Index> entries_of{chunks};
  const auto                          find_bases = [&](Index *base) {
    exec.ForWarps("SELLCSFindBases", layout.chunks, 0,
                                           FindChunkBase<Scalar, Index, CsrIndex>{{chunks, csr.row_ptr}, csr.col_idx, base});
  };
  auto &r = layout.remainder;
  ShapeColumns(exec, layout.offsets, layout.chunks, layout.entries, find_bases, entries_of, layout.columns);
  exec.ForThreads(
    "SELLCSFillColumns", layout.rows,
    FillSlotColumns<Scalar, Index, CsrIndex>{{Chunks(layout), csr.row_ptr}, csr.col_idx, ColumnsWriter<Index>(layout.columns)});
  exec.ForWarps("SELLCSFillRemainderColumns", r.Pieces(), 0,
                FillPiece<CsrIndex, Index>{r.piece_ptr.data(), r.entry.data(), csr.col_idx, r.col_idx.data()});
}

/// Calls f with the source of the chunks' values.
template <OnDevice Exec, class Scalar, class CsrIndex, class Index, class F>
void WithValues(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, const Layout<Scalar, Index, Exec> &layout, const F &f)
{
  using EntriesOf = EntriesOfChunk<Scalar, Index>;
  using Of        = ChunkValuesOnDevice<Scalar, Index, CsrIndex>;
  const Chunks chunks(layout); // its view of values is not used
  f(DeviceValueSource<Exec, Scalar, CsrIndex, EntriesOf, Of>{{exec, csr, layout.chunks, layout.entries, EntriesOf{chunks}},
                                                             Of{{chunks, csr.row_ptr}, csr.val}});
}

template <OnDevice Exec, class Scalar, class CsrIndex, class Index>
void FillRemainderValues(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  auto &r = layout.remainder;
  exec.ForWarps("SELLCSFillRemainderValues", r.Pieces(), 0,
                FillPiece<Scalar, Scalar>{r.piece_ptr.data(), r.entry.data(), csr.val, r.val.data()});
}

/// Builds all but columns and values; the shape is found on the host.
template <OnDevice Exec, class Scalar, class CsrIndex, class Index>
void BuildPattern(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, std::int64_t sigma, Layout<Scalar, Index, Exec> &layout)
{
  Layout<Scalar, Index, HostExec> shape;
  static_cast<Parameters<Index> &>(shape) = layout;
  const std::int64_t longest              = layout.bound == kDecide ? LongestOnDevice(csr.nnz(), csr.rows) : layout.bound;
  ShapeLayout(csr, sigma, longest, kPieceEntries<Exec>, shape);
  static_cast<Parameters<Index> &>(layout) = shape;
  CopyIn(exec, layout.chunk_ptr, shape.chunk_ptr);
  CopyIn(exec, layout.full, shape.full);
  CopyIn(exec, layout.row_len, shape.row_len);
  CopyIn(exec, layout.perm, shape.perm);
  CopyIn(exec, layout.rest_ptr, shape.rest_ptr);
  CopyIn(exec, layout.remainder.row, shape.remainder.row);
  CopyIn(exec, layout.remainder.piece_ptr, shape.remainder.piece_ptr);
  CopyIn(exec, layout.remainder.entry, shape.remainder.entry);
  layout.remainder.rows    = shape.remainder.rows;
  layout.remainder.entries = shape.remainder.entries;
  AllocateRemainder(layout);
}

} // namespace petscspmv::sellcs
