// Operations of warps: cooperating threads, the lanes, which have values of their own and exchange them.
//
// A functor written for a warp runs on a device, where each lane is a thread, and in tests on the host, where one thread plays all
// lanes in turn. Hence the one rule: what a lane writes to memory in a For(), other lanes read only after that For().
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/exec/function.hpp"
#include "mat/exec/warp_width.hpp"

namespace petscspmv {

/// Sums over a warp, by halving. Each lane l of the first `sums` lanes gets the sum of the lanes l, l + sums, l + 2 sums, ...
template <int sums = 1, class Warp, class Values>
KOKKOS_FORCEINLINE_FUNCTION void SumOfWarp(const Warp &warp, Values &value)
{
  for (int distance = kWarp / 2; distance >= sums; distance /= 2) {
    const auto other = warp.FromRight(value, distance);
    warp.For([&](int lane) { value[lane] = Plus(value[lane], other[lane]); });
  }
}

/// Joins, by Add(), what the lanes have found; lane 0 gets the result.
template <class Warp, class Found>
KOKKOS_FORCEINLINE_FUNCTION void JoinOfWarp(const Warp &warp, Found &found)
{
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    const auto other = warp.FromRight(found, distance);
    warp.For([&](int lane) { found[lane].Add(other[lane]); });
  }
}

/// Inclusive prefix sum over a warp.
template <class Warp, class Values>
KOKKOS_FORCEINLINE_FUNCTION void PrefixSumOfWarp(const Warp &warp, Values &value)
{
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const auto other = warp.FromLeft(value, distance);
    warp.For([&](int lane) { value[lane] = Plus(value[lane], other[lane]); });
  }
}

/// The last lane's value, in all lanes.
template <class T, class Warp, class Values>
KOKKOS_FORCEINLINE_FUNCTION T LastOfWarp(const Warp &warp, const Values &value)
{
  typename Warp::template PerLane<int> last;
  warp.For([&](int lane) { last[lane] = kWarp - 1; });
  return warp.From(value, last)[0];
}

/// Segmented sum over a warp, by doubling. `end` marks the last lane of each segment: each lane gets the sum of the values from its
/// own to the end of its segment. Nothing is subtracted, so that segments do not affect each other. Changes `end`.
template <class Warp, class Values, class Ends>
KOKKOS_FORCEINLINE_FUNCTION void SegmentedSumOfWarp(const Warp &warp, Values &value, Ends &end)
{
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const auto other     = warp.FromRight(value, distance);
    const auto other_end = warp.FromRight(end, distance);
    warp.For([&](int lane) {
      if (end[lane]) return;
      value[lane] = Plus(value[lane], other[lane]);
      end[lane]   = other_end[lane];
    });
  }
}

} // namespace petscspmv
