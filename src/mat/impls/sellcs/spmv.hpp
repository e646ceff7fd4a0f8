// y = A x and y += A x in SELL-C-sigma (paper, Listing 4), host mapping: a SIMD lane a row.
#pragma once

#include "mat/format/launch.hpp"
#include "mat/format/prefetch.hpp"
#include "mat/format/scalar.hpp"
#include "mat/format/scratch.hpp"
#include "mat/format/sum.hpp"
#include "mat/impls/sellcs/layout.hpp"

namespace petscspmv::sellcs {

/// Lanes side by side where the height of the chunks is not among the compiled ones.
inline constexpr int kLanes = 8;

/// The first `end` columns of `Width` neighbouring rows of a chunk, which all of them fill.
template <int Width, bool ahead, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION void AddFull(const Index *col_idx, const Scalar *val, std::int64_t height, std::int64_t end, const Scalar *x, const Prefetch<ahead> &prefetch, Scalar *sum)
{
  for (std::int64_t j = 0; j < end; ++j) {
    prefetch(val + j * height, Width);
    prefetch(col_idx + j * height, Width);
#pragma omp simd
    for (int i = 0; i < Width; ++i) sum[i] += Multiply(val[j * height + i], x[col_idx[j * height + i]]);
  }
}

/// The same for pairs of columns, x beginning at the chunk's base.
template <int Width, bool ahead, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void AddFullPairs(const std::int32_t *pairs, const Scalar *val, std::int64_t height, std::int64_t end, const Scalar *x, const Prefetch<ahead> &prefetch, Scalar *sum)
{
  for (std::int64_t p = 0; p < end; ++p) {
    prefetch(val + 2 * p * height, Width);
    prefetch(val + (2 * p + 1) * height, Width);
    prefetch(pairs + p * height, Width);
#pragma omp simd
    for (int i = 0; i < Width; ++i) {
      const std::int32_t pair  = pairs[p * height + i];
      const Scalar       first = sum[i] + Multiply(val[2 * p * height + i], x[FirstOffset(pair)]);
      sum[i]                   = first + Multiply(val[(2 * p + 1) * height + i], x[SecondOffset(pair)]);
    }
  }
}

/// sum + val x where there is an entry. Padding is zero, and has zero as its x: not Inf or NaN. What is chosen is not a sum:
/// that would be a branch, but with AVX-512.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar AddEntry(bool entry, const Scalar &sum, const Scalar &val, const Scalar &x)
{
  return sum + Multiply(val, entry ? x : Scalar(0));
}

/// Columns begin .. end-1, with padding.
template <int Width, bool ahead, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION void AddPadded(const Index *col_idx, const Scalar *val, std::int64_t height, const Index *row_len, std::int64_t begin, std::int64_t end, const Scalar *x, const Prefetch<ahead> &prefetch, Scalar *sum)
{
  for (std::int64_t j = begin; j < end; ++j) {
    prefetch(val + j * height, Width);
    prefetch(col_idx + j * height, Width);
    const Index now = static_cast<Index>(j);
#pragma omp simd
    for (int i = 0; i < Width; ++i) sum[i] = AddEntry(now < row_len[i], sum[i], val[j * height + i], x[col_idx[j * height + i]]);
  }
}

/// The same for the pairs of columns from pair `begin` on; the last may be half one.
template <int Width, bool ahead, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION void AddPaddedPairs(const std::int32_t *pairs, const Scalar *val, std::int64_t height, const Index *row_len, std::int64_t begin, std::int64_t columns, const Scalar *x, const Prefetch<ahead> &prefetch, Scalar *sum)
{
  std::int64_t p = begin;
  for (; 2 * p + 1 < columns; ++p) {
    prefetch(val + 2 * p * height, Width);
    prefetch(val + (2 * p + 1) * height, Width);
    prefetch(pairs + p * height, Width);
    const Index now = static_cast<Index>(2 * p);
#pragma omp simd
    for (int i = 0; i < Width; ++i) {
      const std::int32_t pair  = pairs[p * height + i];
      const Scalar       first = AddEntry(now < row_len[i], sum[i], val[2 * p * height + i], x[FirstOffset(pair)]);
      sum[i]                   = AddEntry(now + 1 < row_len[i], first, val[(2 * p + 1) * height + i], x[SecondOffset(pair)]);
    }
  }
  if (2 * p < columns) {
    const Index now = static_cast<Index>(2 * p);
#pragma omp simd
    for (int i = 0; i < Width; ++i) sum[i] = AddEntry(now < row_len[i], sum[i], val[2 * p * height + i], x[FirstOffset(pairs[p * height + i])]);
  }
}

/// What the columns leave of each row (TSELL-C-sigma). col_idx and val begin at the chunk's first entry.
template <int Width, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION void AddRests(const Index *col_idx, const Scalar *val, const Index *row_len, const std::int64_t *rest_ptr, std::int64_t begin, std::int64_t columns, const Scalar *x, Scalar *sum)
{
  for (int i = 0; i < Width; ++i) {
    const std::int64_t first = rest_ptr[i] - begin;
    for (std::int64_t e = first; e < first + row_len[i] - columns; ++e) sum[i] += Multiply(val[e], x[col_idx[e]]);
  }
}

/// Product with chunks of one height.
template <bool add, int Height, bool ahead, class Scalar, class Index>
struct MultChunk {
  Chunks<Scalar, Index> a;
  Prefetch<ahead>       prefetch;
  const Scalar         *x;
  Scalar               *y;

  void operator()(std::int64_t c) const
  {
    if (add && a.chunk_ptr[c] == a.chunk_ptr[c + 1]) return; // most chunks of an off-diagonal block
    if constexpr (Height > 0) {
      MultLanes<Height>(c, 0);
    } else {
      std::int64_t lane = 0;
      for (; lane + kLanes <= a.height; lane += kLanes) MultLanes<kLanes>(c, lane);
      for (; lane < a.height; ++lane) MultLanes<1>(c, lane);
    }
  }

private:
  template <int Width>
  KOKKOS_FORCEINLINE_FUNCTION void MultLanes(std::int64_t c, std::int64_t lane) const
  {
    const std::int64_t         height = Height ? Height : a.height, slot = c * height + lane, begin = a.chunk_ptr[c], full = a.full[c], columns = (a.chunk_ptr[c + 1] - begin) / height;
    const Index               *row_len    = a.row_len + slot;
    const Scalar              *val        = a.val + begin;
    alignas(kStackLine) Scalar sum[Width] = {};
    if (a.columns.HasOffsets(c)) {
      const std::int32_t *pairs = a.columns.Pairs(c) + lane;
      AddFullPairs<Width>(pairs, val + lane, height, full / 2, x + a.columns.base[c], prefetch, sum);
      if (full / 2 * 2 < columns) AddPaddedPairs<Width>(pairs, val + lane, height, row_len, full / 2, columns, x + a.columns.base[c], prefetch, sum);
    } else {
      const Index *col_idx = a.columns.plain + a.columns.PlainAt(c, begin);
      AddFull<Width>(col_idx + lane, val + lane, height, full, x, prefetch, sum);
      if (a.rest_ptr) AddRests<Width>(col_idx, val, row_len, a.rest_ptr + slot, begin, full, x, sum);
      else if (full < columns) AddPadded<Width>(col_idx + lane, val + lane, height, row_len, full, columns, x, prefetch, sum);
    }
    if (slot + Width <= a.rows) StoreRows(sum, slot, Width);
    else StoreRows(sum, slot, std::min<std::int64_t>(Width - 1, a.rows - slot));
  }

  KOKKOS_FORCEINLINE_FUNCTION void StoreRows(const Scalar *sum, std::int64_t slot, std::int64_t lanes) const
  {
    for (std::int64_t i = 0; i < lanes; ++i) Store<add>(y[a.RowOf(slot + i)], sum[i]);
  }
};

/// Sum of a piece of a long row.
template <bool ahead, class Scalar, class Index>
struct MultPiece {
  const std::int64_t *piece_ptr;
  const Index        *col_idx;
  const Scalar       *val;
  const Scalar       *x;
  Prefetch<ahead>     prefetch;
  Scalar             *sum;

  void operator()(std::int64_t piece) const
  {
    const std::int64_t begin = piece_ptr[piece];
    sum[piece]               = SumOfProducts(col_idx + begin, val + begin, piece_ptr[piece + 1] - begin, x, prefetch);
  }
};

/// Adds the long rows to y, where their lanes in the chunks have left a zero.
template <bool ahead, class Scalar, class Index, class Exec>
void AddRemainder(const Layout<Scalar, Index, Exec> &layout, const Scalar *x, const Prefetch<ahead> &prefetch, Scalar *y)
{
  const auto &r = layout.remainder;
  ParallelFor<Exec>("SELLCSMultRemainder", r.Pieces(), r.val.size(), MultPiece<ahead, Scalar, Index>{r.piece_ptr.data(), r.col_idx.data(), r.val.data(), x, prefetch, r.sum.data()});
  for (std::size_t piece = 0; piece < r.row.size(); ++piece) y[r.row[piece]] += r.sum[piece];
}

template <bool add, bool ahead, class Scalar, class Index, class Exec>
void MultChunks(const Layout<Scalar, Index, Exec> &layout, const Scalar *x, const Prefetch<ahead> &prefetch, Scalar *y)
{
  const auto mult = [&]<int Height>(std::integral_constant<int, Height>) { ParallelFor<Exec>("SELLCSMult", layout.chunks, layout.val.size() + static_cast<std::size_t>(layout.rows), MultChunk<add, Height, ahead, Scalar, Index>{Chunks(layout), prefetch, x, y}); };
  switch (layout.height) {
  case 4:
    return mult(std::integral_constant<int, 4>());
  case 8:
    return mult(std::integral_constant<int, 8>());
  case 16:
    return mult(std::integral_constant<int, 16>());
  case 32:
    return mult(std::integral_constant<int, 32>());
  default:
    mult(std::integral_constant<int, 0>());
  }
}

template <bool add, class Scalar, class Index, class Exec>
void Mult(const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  WithPrefetch(layout.val.bytes() + layout.columns.Bytes() + layout.remainder.Bytes(), [&](const auto &prefetch) {
    MultChunks<add>(layout, x, prefetch, y);
    AddRemainder(layout, x, prefetch, y);
  });
}

} // namespace petscspmv::sellcs
