// Threads that work together: warps, whose lanes keep values of their own and pass them on, and blocks.
//
// A functor written for a warp runs on a device, where each lane is a thread, and in tests on the host, where one thread
// plays all lanes one after another. Hence its one rule: what a lane writes to memory, others read after the end of For() only.
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/exec/function.hpp"
#include "mat/exec/warp_width.hpp"

namespace petscspmv {

/// Sum over a warp by halves; lane 0 has it.
template <class Warp, class Values>
KOKKOS_FORCEINLINE_FUNCTION void SumOfWarp(const Warp &warp, Values &value)
{
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    const auto other = warp.FromRight(value, distance);
    warp.For([&](int lane) { value[lane] = Plus(value[lane], other[lane]); });
  }
}

/// What all lanes have found, joined by Add(); lane 0 has it.
template <class Warp, class Found>
KOKKOS_FORCEINLINE_FUNCTION void JoinOfWarp(const Warp &warp, Found &found)
{
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    const auto other = warp.FromRight(found, distance);
    warp.For([&](int lane) { found[lane].Add(other[lane]); });
  }
}

/// What each lane and those to its left have, added up.
template <class Warp, class Values>
KOKKOS_FORCEINLINE_FUNCTION void PrefixSumOfWarp(const Warp &warp, Values &value)
{
  for (int distance = 1; distance < kWarp; distance *= 2) {
    const auto other = warp.FromLeft(value, distance);
    warp.For([&](int lane) { value[lane] = Plus(value[lane], other[lane]); });
  }
}

/// What the last lane has.
template <class T, class Warp, class Values>
KOKKOS_FORCEINLINE_FUNCTION T LastOfWarp(const Warp &warp, const Values &value)
{
  typename Warp::template PerLane<int> last;
  warp.For([&](int lane) { last[lane] = kWarp - 1; });
  return warp.From(value, last)[0];
}

/// The segmented sum of a warp, by doubling: adds to each lane's value what the lanes to its right have, up to and with the
/// first that is an end. Segments stay apart, since nothing is subtracted.
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
