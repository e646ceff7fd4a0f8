// The sums of a tile's segments (paper, Algorithm 1, lines 22-35).
#pragma once

#include "mat/format/prefetch.hpp"
#include "mat/format/row_sums.hpp"
#include "mat/format/scalar.hpp"
#include "mat/format/sum.hpp"
#include "mat/impls/speculative/lanes.hpp"
#include "mat/impls/speculative/tile.hpp"

#include <algorithm>

namespace petscspmv::speculative {

/// Short segments that are summed side by side, an entry of each a step.
inline constexpr int kAbreast = 16;

/// What `count` segments summed one by one cost in such steps, and a tile of n entries summed in lanes (measured).
KOKKOS_INLINE_FUNCTION constexpr int StepsOneByOne(int count)
{
  return count / 2;
}
KOKKOS_INLINE_FUNCTION constexpr int StepsOfLanes(int n)
{
  return n / 4;
}

/// Segments of like length, up to sixteen side by side, an entry of each a step; `longest` of every
/// sixteen is known. One that has ended reads its first entry again, which is not chosen.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void SumShortSegments(int count, const int *starts, const int *longest, const Scalar *product, Scalar *sums)
{
  using Real           = typename Parts<Scalar>::Real;
  constexpr int kParts = Parts<Scalar>::count;
  const Real   *all    = reinterpret_cast<const Real *>(product);
  Real         *out    = reinterpret_cast<Real *>(sums);
  for (int first = 0; first < count; first += kAbreast) {
    int at[kAbreast], length[kAbreast];
#pragma omp simd
    for (int i = 0; i < kAbreast; ++i) {
      const bool any = first + i < count;
      at[i]          = any ? starts[first + i] : 0;
      length[i]      = any ? starts[first + i + 1] - starts[first + i] : 0;
    }
    for (int part = 0; part < kParts; ++part) {
      alignas(kStackLine) Real sum[kAbreast];
#pragma omp simd
      for (int i = 0; i < kAbreast; ++i) sum[i] = all[at[i] * kParts + part];
      for (int j = 1; j < *longest; ++j) {
#pragma omp simd
        for (int i = 0; i < kAbreast; ++i) {
          const int  entry = at[i] + (j < length[i] ? j : 0);
          const Real next  = all[entry * kParts + part];
          sum[i] += j < length[i] ? next : Real(0);
        }
      }
      for (int i = 0; i < kAbreast; ++i) out[(first + i) * kParts + part] = sum[i];
    }
    ++longest;
  }
}

/// The longest of every sixteen segments, and the steps that all of them take together.
KOKKOS_FORCEINLINE_FUNCTION int LongestSegments(int count, const int *starts, int *longest)
{
  int steps = 0;
  for (int first = 0; first < count; first += kAbreast) {
    int most = 0;
    // clang-format off
#pragma omp simd reduction(max : most)
    // clang-format on
    for (int i = 0; i < kAbreast; ++i) {
      const int length = first + i < count ? starts[first + i + 1] - starts[first + i] : 0;
      most             = length > most ? length : most;
    }
    *longest++ = most;
    steps += most;
  }
  return steps;
}

/// Lines 22-35 for a tile of n entries: the sums of all its segments, in order. What was transmitted belongs to the
/// first. Returns the one of the two rooms where they are. The lanes take any tile in about
/// the same time, the other ways those that are faster so, as the descriptor tells.
template <bool ahead, class Scalar, class Index, int Width, int Height>
KOKKOS_FORCEINLINE_FUNCTION const Scalar *SumSegments(const Shape<Width, Height> &shape, int n, int count, const Index *col_idx, const Scalar *val, const Scalar *x, const Prefetch<ahead> &prefetch, const Scalar &transmitter, TileRoom<Scalar, Shape<Width, Height>> &room)
{
  const int size    = shape.width() * shape.height();
  Scalar   *product = room.Products(), *other = room.Other();
  if (count == 1 && n == size) {
    product[0] = transmitter + SumOfProducts(col_idx, val, n, x, prefetch);
    return product;
  }
  if (n == size) MultiplyEntries(col_idx, val, size, x, prefetch, product); // lines 22-26; the size of a compiled shape is a constant
  else MultiplyEntries(col_idx, val, n, x, prefetch, product);
  product[0] += transmitter;
  int       longest[Shape<Width, Height>::kEntries / kAbreast + 1];
  const int steps = LongestSegments(count, room.starts, longest), most = StepsOfLanes(n);
  if (StepsOneByOne(count) <= std::min(steps, most)) {
    for (int k = 0; k < kReadBehind; ++k) product[n + k] = Scalar(0);
    SumRows<false>(room.starts, 0, count, n, EntryProducts<Scalar>{0, product}, other);
    return other;
  }
  if (steps <= most) {
    SumShortSegments(count, room.starts, longest, product, other);
    return other;
  }
  return SumInLanes(shape, n, count, product, other, room.starts);
}

} // namespace petscspmv::speculative
