// From CSR to SELL-C-sigma, and the refresh of values, host mapping.
#pragma once

#include "mat/arithmetic/column_lanes.hpp"
#include "mat/arithmetic/column_source.hpp"
#include "mat/arithmetic/value_source.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/impls/sellcs/blocks.hpp"
#include "mat/impls/sellcs/chunk_source.hpp"
#include "mat/impls/sellcs/layout.hpp"
#include "mat/impls/sellcs/runs.hpp"
#include "mat/impls/sellcs/shape.hpp"

#include <algorithm>
#include <cstdint>

namespace petscspmv::sellcs {

/// The values of the chunks, for arithmetic/value_source.hpp. Padding is zero.
template <class Scalar, class Index, class CsrIndex>
struct ChunkValues {
  ChunkSource<Scalar, Index, CsrIndex, Scalar> source;

  KOKKOS_FORCEINLINE_FUNCTION bool IsFull(std::int64_t c) const { return source.a.IsEmpty(c); }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t Begin(std::int64_t c) const { return source.a.chunk_ptr[c]; }
  KOKKOS_FORCEINLINE_FUNCTION BlockBits<Scalar> Bits(const ValueRule<Scalar> &rule, std::int64_t c) const
  {
    BlockBits<Scalar> bits(source.First(c), rule);
    ForAllEntries(source, c, source.a.height,
                  [&](const Scalar *val, std::int64_t n) PETSCSPMV_INLINE_LAMBDA { AddValues(val, n, rule, bits); });
    return bits;
  }
  KOKKOS_FORCEINLINE_FUNCTION void Write(std::int64_t c, const ValuesWriter<Scalar> &writer) const
  {
    if (writer.Kind(c) == ValueKind::One) return writer.SetOne(c, source.First(c));
    writer.Write(c, source.a.chunk_ptr[c], [&](auto *to, const auto &conversion) PETSCSPMV_INLINE_LAMBDA {
      WriteChunk<false>(source, c, source.a.height, to, conversion);
    });
  }
  template <class Fits>
  KOKKOS_FORCEINLINE_FUNCTION BlockBits<Scalar> WriteIf(std::int64_t c, const ValuesWriter<Scalar> &writer, const Fits &fits) const
  {
    if (!source.a.perm || !IsLoadedOnce<Scalar>(source.a, c, source.a.height)) {
      const BlockBits<Scalar> bits = Bits(writer.rule, c);
      if (fits(bits)) Write(c, writer);
      return bits;
    }
    BlockBits<Scalar> bits(source.First(c), writer.rule);
    WithWholeChunk(source, c, [&](auto &part, int n) PETSCSPMV_INLINE_LAMBDA {
      AddValues<false>(part[0], std::int64_t{n} * kSideBySide, writer.rule, bits);
      if (!fits(bits)) return;
      if (writer.Kind(c) == ValueKind::One) return writer.SetOne(c, source.First(c));
      if (n > source.a.full[c])
        part.Pad(source.a.row_len + c * kSideBySide, 0, n, [](int) PETSCSPMV_INLINE_LAMBDA { return Scalar(0); });
      writer.Write(c, Begin(c), [&](auto *to, const auto &conversion) PETSCSPMV_INLINE_LAMBDA {
        for (int j = 0; j < n; ++j) ConvertLanes<kSideBySide>(conversion, part[j], to + j * kSideBySide);
      });
    });
    return bits;
  }
};

/// The columns of the chunks without runs, for arithmetic/column_source.hpp. Padding repeats the row's last column: its x is in
/// cache (the product loads x there without using it).
template <class Scalar, class Index, class CsrIndex>
struct ChunkColumns {
  ChunkSource<Scalar, Index, CsrIndex, CsrIndex> source;

  std::int64_t Begin(std::int64_t c) const { return source.a.HasRuns(c) ? 0 : source.a.ColumnsBegin(c); }
  std::int64_t Entries(std::int64_t c) const
  {
    return source.a.HasRuns(c) ? 0 : EntriesOfChunk<Scalar, Index>{source.a}(c) / (source.a.SharesColumns(c) ? source.a.block : 1);
  }

  KOKKOS_FORCEINLINE_FUNCTION CsrIndex Base(std::int64_t c) const
  {
    ColumnRange<CsrIndex> range;
    if (Entries(c) > 0)
      ForAllEntries(source, c, source.a.ColumnLanes(c),
                    [&](const CsrIndex *col_idx, std::int64_t n) PETSCSPMV_INLINE_LAMBDA { AddColumns(col_idx, n, range); });
    return range.Base();
  }
  KOKKOS_FORCEINLINE_FUNCTION CsrIndex WriteOffsets(std::int64_t c, std::uint16_t *to) const
  {
    const std::int64_t lanes = source.a.ColumnLanes(c);
    CsrIndex           base  = 0;
    if (source.a.HasRuns(c)) return base;
    if (IsLoadedOnce<CsrIndex>(source.a, c, lanes)) {
      WithWholeChunk(source, c, [&](const auto &part, int n) PETSCSPMV_INLINE_LAMBDA {
        ColumnRange<CsrIndex> range;
        AddColumns<false>(part[0], std::int64_t{n} * kSideBySide, range);
        base = range.Base();
        for (int j = 0; base != kFar && j < n; ++j)
          ConvertLanes<kSideBySide>(OffsetFrom<CsrIndex>{base}, part[j], to + j * kSideBySide);
      });
    } else {
      base = Base(c);
      if (base != kFar) WriteChunk<true>(source, c, lanes, to, OffsetFrom<CsrIndex>{base});
    }
    return base;
  }
  template <class To, class Conversion>
  KOKKOS_FORCEINLINE_FUNCTION void Write(std::int64_t c, To *to, const Conversion &conversion) const
  {
    if (!source.a.HasRuns(c)) WriteChunk<true>(source, c, source.a.ColumnLanes(c), to, conversion);
  }
};

/// Copies the entries of long rows.
template <class From, class To, class Scalar, class Index, class Exec>
void FillRemainder(const From *source, const Layout<Scalar, Index, Exec> &layout, To *to)
{
  const auto &r = layout.remainder;
  for (std::size_t k = 0; k < r.row.size(); ++k)
    std::transform(source + r.entry[k], source + r.entry[k] + (r.piece_ptr[k + 1] - r.piece_ptr[k]), to + r.piece_ptr[k],
                   [](const From &entry) { return static_cast<To>(entry); });
}

template <OnProcessor Exec, class Scalar, class CsrIndex, class Index>
void FillColumns(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  const ChunkColumns<Scalar, Index, CsrIndex> columns{{Chunks(layout), csr.row_ptr, csr.col_idx, csr.nnz(), layout.ahead}};
  const std::int64_t                          entries =
    layout.column_ptr.size() > 0 ? layout.column_ptr[static_cast<std::size_t>(layout.chunks)] : layout.entries;
  FillColumnBlocks(exec, "SELLCSFillColumns", layout.offsets, layout.chunks, entries, columns, layout.columns);
  for (std::int64_t c = 0; layout.runs.base.size() > 0 && layout.columns.offset_blocks > 0 && c < layout.chunks; ++c)
    layout.columns.offset_blocks -= columns.source.a.HasRuns(c); // chunks with runs were counted, but have no columns
  FillRemainder(csr.col_idx, layout, layout.remainder.col_idx.data());
}

/// Calls f with the source of the chunks' values.
template <OnProcessor Exec, class Scalar, class CsrIndex, class Index, class F>
void WithValues(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, const Layout<Scalar, Index, Exec> &layout, const F &f)
{
  using EntriesOf = EntriesOfChunk<Scalar, Index>;
  using Of        = ChunkValues<Scalar, Index, CsrIndex>;
  const Chunks chunks(layout); // its view of values is not used
  f(ValueSource<Exec, Scalar, CsrIndex, EntriesOf, Of>{{exec, csr, layout.chunks, layout.entries, EntriesOf{chunks}},
                                                       Of{{chunks, csr.row_ptr, csr.val, csr.nnz(), layout.ahead}}});
}

template <OnProcessor Exec, class Scalar, class CsrIndex, class Index>
void FillRemainderValues(const Exec &, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  FillRemainder(csr.val, layout, layout.remainder.val.data());
}

/// As BuildPattern() does, but for chunks of sorted blocks.
template <class Scalar, class CsrIndex>
Sharing SampleSharing(const Csr<Scalar, CsrIndex> &csr)
{
  constexpr auto kHeight = DefaultChunk<HostExec, Scalar>();
  if (csr.rows < kHeight) return {};
  const Sharing blocks = SampleBlocks(csr, kHeight);
  return blocks.share >= kEnoughShared ? blocks : SampleRuns(csr);
}

/// Builds all but columns and values.
template <OnProcessor Exec, class Scalar, class CsrIndex, class Index>
void BuildPattern(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, std::int64_t sigma, Layout<Scalar, Index, Exec> &layout)
{
  const bool shapes = layout.shapes && layout.height == DefaultChunk<HostExec, Scalar>() && !layout.trimmed;
  const auto shape  = [&](std::int64_t own_sigma) {
    const std::int64_t longest = layout.trimmed && layout.bound == kDecide ? csr.cols : layout.bound; // trimmed chunks pad nothing
    ShapeLayout(csr, own_sigma, longest, kPieceEntries<Exec>, layout);
  };
  if (shapes && sigma == kDecide) layout.block = SampleBlocks(csr, layout.height).rows;
  if (layout.block > 1) {
    layout.height *= layout.block;
    shape(sigma);
    FindBlocks(exec, csr, layout);
    if (!HasEnoughBlocks(layout)) ForgetBlocks(layout);
  }
  if (layout.block == 1) {
    const bool runs = shapes && SampleRuns(csr).rows > 1;
    shape(runs && sigma == kDecide ? 1 : sigma);
    if (runs) FindRuns(exec, csr, layout);
  }
  AllocateRemainder(layout);
}

} // namespace petscspmv::sellcs
