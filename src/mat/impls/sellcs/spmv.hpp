// y = A x and y += A x in SELL-C-sigma (paper, Listing 4), host mapping: a SIMD lane a row.
#pragma once

#include "mat/format/launch.hpp"
#include "mat/format/scalar.hpp"
#include "mat/format/scratch.hpp"
#include "mat/format/sum.hpp"
#include "mat/impls/sellcs/layout.hpp"

namespace petscspmv::sellcs {

/// Lanes side by side where the height of the chunks is not among the compiled ones.
inline constexpr int kLanes = 8;

/// Columns begin .. end-1 of `Width` neighbouring rows of a chunk, which all of them fill.
template <int Width, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION void AddFull(const Index *col_idx, const Scalar *val, std::int64_t height, std::int64_t end, const Scalar *x, Scalar *sum)
{
  for (std::int64_t j = 0; j < end; ++j) {
#pragma omp simd
    for (int i = 0; i < Width; ++i) sum[i] += Multiply(val[j * height + i], x[col_idx[j * height + i]]);
  }
}

/// Columns with padding: its product with an Inf or NaN in x would be NaN, and must not count.
template <int Width, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION void AddPadded(const Index *col_idx, const Scalar *val, std::int64_t height, const Index *row_len, std::int64_t begin, std::int64_t end, const Scalar *x, Scalar *sum)
{
  for (std::int64_t j = begin; j < end; ++j) {
    const Index now = static_cast<Index>(j);
#pragma omp simd
    for (int i = 0; i < Width; ++i) {
      const Scalar product = Multiply(val[j * height + i], x[col_idx[j * height + i]]);
      sum[i]               = now < row_len[i] ? sum[i] + product : sum[i]; // a fused operation with registers of any width
    }
  }
}

/// What the columns leave of each row (TSELL-C-sigma).
template <int Width, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION void AddRests(const Chunks<Scalar, Index> &a, const Index *row_len, const std::int64_t *rest_ptr, std::int64_t columns, const Scalar *x, Scalar *sum)
{
  for (int i = 0; i < Width; ++i) {
    const std::int64_t end = rest_ptr[i] + row_len[i] - columns;
    for (std::int64_t e = rest_ptr[i]; e < end; ++e) sum[i] += Multiply(a.val[e], x[a.col_idx[e]]);
  }
}

/// Product with chunks of one height.
template <bool add, int Height, class Scalar, class Index>
struct MultChunk {
  Chunks<Scalar, Index> a;
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
    const std::int64_t         height = Height ? Height : a.height, slot = c * height + lane, begin = a.chunk_ptr[c] + lane, full = a.full[c];
    alignas(kStackLine) Scalar sum[Width] = {};
    AddFull<Width>(a.col_idx + begin, a.val + begin, height, full, x, sum);
    if (a.rest_ptr) {
      AddRests<Width>(a, a.row_len + slot, a.rest_ptr + slot, full, x, sum);
    } else {
      const std::int64_t columns = (a.chunk_ptr[c + 1] - a.chunk_ptr[c]) / height;
      if (full < columns) AddPadded<Width>(a.col_idx + begin, a.val + begin, height, a.row_len + slot, full, columns, x, sum);
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
template <class Scalar, class Index>
struct MultPiece {
  const std::int64_t *piece_ptr;
  const Index        *col_idx;
  const Scalar       *val;
  const Scalar       *x;
  Scalar             *sum;

  void operator()(std::int64_t piece) const
  {
    const std::int64_t begin = piece_ptr[piece];
    sum[piece]               = SumOfProducts(col_idx + begin, val + begin, piece_ptr[piece + 1] - begin, x);
  }
};

/// Adds the long rows to y, where their lanes in the chunks have left a zero.
template <class Scalar, class Index, class Exec>
void AddRemainder(const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  const auto &r = layout.remainder;
  ParallelFor<Exec>("SELLCSMultRemainder", r.Pieces(), r.val.size(), MultPiece<Scalar, Index>{r.piece_ptr.data(), r.col_idx.data(), r.val.data(), x, r.sum.data()});
  for (std::size_t piece = 0; piece < r.row.size(); ++piece) y[r.row[piece]] += r.sum[piece];
}

template <bool add, class Scalar, class Index, class Exec>
void Mult(const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  const auto mult = [&]<int Height>(std::integral_constant<int, Height>) { ParallelFor<Exec>("SELLCSMult", layout.chunks, layout.val.size() + static_cast<std::size_t>(layout.rows), MultChunk<add, Height, Scalar, Index>{Chunks(layout), x, y}); };
  switch (layout.height) {
  case 4:
    mult(std::integral_constant<int, 4>());
    break;
  case 8:
    mult(std::integral_constant<int, 8>());
    break;
  case 16:
    mult(std::integral_constant<int, 16>());
    break;
  case 32:
    mult(std::integral_constant<int, 32>());
    break;
  default:
    mult(std::integral_constant<int, 0>());
  }
  AddRemainder(layout, x, y);
}

} // namespace petscspmv::sellcs
