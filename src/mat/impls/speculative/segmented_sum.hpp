// The sums of a tile's segments (paper, Algorithm 1, lines 22-35).
#pragma once

#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/row_sums.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/sum.hpp"
#include "mat/impls/speculative/matrix_sum.hpp"
#include "mat/impls/speculative/tile.hpp"

namespace petscspmv::speculative {

/// Whether the `count` segments of a tile of n entries are summed one by one. That was measured to be faster than lanes if segments
/// have two entries or more in the mean; the time of lanes does not depend on the segments.
KOKKOS_INLINE_FUNCTION constexpr bool OneByOne(int count, int n)
{
  return 2 * count <= n;
}

/// Lines 22-35 for a tile of n entries: the sums of all its segments, in order, with `transmitter` added to the first. Returns the
/// buffer that holds the sums. The lanes handle any tile in about the same time; tiles for which the descriptor shows a faster way
/// are summed in that way.
template <bool ahead, class Scalar, class Index, int Width, int Height>
KOKKOS_FORCEINLINE_FUNCTION const Scalar *SumSegments(const Shape<Width, Height> &shape, int n, int count, const Index *col_idx,
                                                      const Scalar *val, const Scalar *x, const Prefetch<ahead> &prefetch,
                                                      const Scalar &transmitter, TileBuffers<Scalar, Shape<Width, Height>> &buffers)
{
  Scalar *product = buffers.Products(), *other = buffers.Other();
  if (count == 1 && n == shape.width() * shape.height()) {
    product[0] = Plus(transmitter, SumOfProducts(col_idx, val, n, x, prefetch));
    return product;
  }
  MultiplyEntries(col_idx, val, n, x, prefetch, product); // lines 22-26
  product[0] = Plus(product[0], transmitter);
  if (!OneByOne(count, n)) return SumInLanes(shape, n, count, product, other, buffers.starts);
  for (int k = 0; k < kReadBehind; ++k) product[n + k] = Scalar(0);
  SumRows<false>(buffers.starts, 0, count, n, EntryProducts<Scalar>{0, product}, other);
  return other;
}

} // namespace petscspmv::speculative
