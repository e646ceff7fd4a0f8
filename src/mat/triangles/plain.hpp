// The solve with a triangle by a loop over rows. Nothing is fused: it gives the same bits as layouts.
#pragma once

#include "mat/arithmetic/row_product.hpp"
#include "mat/triangles/sweep.hpp"

#include <cstdint>

namespace petscspmv::triangles {

/// Sweeps over the rows from the one solved as number `first` on. d has a factor for each row. Returns the number of entries swept.
template <SweepKind kind, class Scalar, class Index>
std::int64_t PlainSweepOf(const TriangleSource<Scalar, Index> &source, std::int64_t first, const Scalar *d,
                          const Sweep<Scalar> &sweep)
{
  const Index *const begin = source.begin, *const end = source.end, *const col_idx = source.col_idx;
  const Scalar *const val = source.val, *const b = sweep.b, *const more = sweep.more, keep = sweep.keep;
  Scalar *const x = sweep.x, *const sums = sweep.sum;
  std::int64_t entries = 0;
  for (std::int64_t number = first; number < source.rows; ++number) {
    const std::int64_t row = source.RowAt(number);
    Scalar             sum = b ? b[row] : Scalar(0);
    if constexpr (kind == SweepKind::Start) sum = Multiply(sum, d[row]);
    entries += end[row] - begin[row];
    ForProducts(val, col_idx, begin[row], end[row], x, [&](const Scalar &product) { sum = sum - product; });
    if (sums) sums[row] = sum;
    if constexpr (kind == SweepKind::Multiply) continue;
    if ((kind == SweepKind::Solve || kind == SweepKind::Relax) && more) sum = sum + more[row];
    if constexpr (kind == SweepKind::Scaled || kind == SweepKind::Relax) sum = Multiply(sum, d[row]);
    if constexpr (kind == SweepKind::Relax) sum = Multiply(keep, x[row]) + sum;
    x[row] = sum;
  }
  return entries;
}

template <class Scalar, class Index>
std::int64_t PlainSweep(const TriangleSource<Scalar, Index> &source, std::int64_t first, const Scalar *d,
                        const Sweep<Scalar> &sweep)
{
  return WithKind(sweep.kind, [&]<SweepKind kind>() { return PlainSweepOf<kind>(source, first, d, sweep); });
}

} // namespace petscspmv::triangles
