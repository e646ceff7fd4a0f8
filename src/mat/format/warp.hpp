// Threads that work together: warps, whose lanes keep values of their own and pass them on, and blocks.
//
// A functor written for a warp runs on a device, where each lane is a thread, and on the host, where one thread plays all lanes
// one after another. Hence its one rule: what a lane writes to memory, others read after the end of For() only.
#pragma once

#include "mat/format/scalar.hpp"

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace petscspmv {

inline constexpr int kWarp = 32;

/// Played by the calling thread.
class EmulatedWarp {
public:
  /// A variable of each lane.
  template <class T>
  class PerLane {
  public:
    T       &operator[](int lane) { return lane_[lane]; }
    const T &operator[](int lane) const { return lane_[lane]; }

  private:
    T lane_[kWarp];
  };

  EmulatedWarp(char *scratch, bool backwards) :
    scratch_(scratch), backwards_(backwards) { }

  /// f(lane) for all lanes.
  template <class F>
  void For(const F &f) const
  {
    for (int k = 0; k < kWarp; ++k) f(backwards_ ? kWarp - 1 - k : k);
  }

  /// What the lane `distance` to the right has; T{} beyond the last.
  template <class T>
  PerLane<T> FromRight(const PerLane<T> &value, int distance) const
  {
    PerLane<T> result;
    for (int lane = 0; lane < kWarp; ++lane) result[lane] = lane + distance < kWarp ? value[lane + distance] : T{};
    return result;
  }

  /// The same to the left.
  template <class T>
  PerLane<T> FromLeft(const PerLane<T> &value, int distance) const
  {
    PerLane<T> result;
    for (int lane = 0; lane < kWarp; ++lane) result[lane] = lane >= distance ? value[lane - distance] : T{};
    return result;
  }

  /// What the lane has that each lane names.
  template <class T>
  PerLane<T> From(const PerLane<T> &value, const PerLane<int> &source) const
  {
    PerLane<T> result;
    for (int lane = 0; lane < kWarp; ++lane) result[lane] = value[source[lane]];
    return result;
  }

  template <class T>
  T *Scratch() const
  {
    return reinterpret_cast<T *>(scratch_);
  }

private:
  char *scratch_;
  bool  backwards_;
};

/// Played by the calling thread.
class EmulatedBlock {
public:
  EmulatedBlock(int threads, char *scratch, bool backwards) :
    threads_(threads), scratch_(scratch), backwards_(backwards) { }

  int threads() const { return threads_; }

  /// f(thread) for all threads.
  template <class F>
  void For(const F &f) const
  {
    for (int k = 0; k < threads_; ++k) f(backwards_ ? threads_ - 1 - k : k);
  }

  template <class T>
  T *Scratch() const
  {
    return reinterpret_cast<T *>(scratch_);
  }

private:
  int   threads_;
  char *scratch_;
  bool  backwards_;
};

/// Sum over a warp by halves; lane 0 has it.
template <class Warp, class Values>
KOKKOS_FORCEINLINE_FUNCTION void SumOfWarp(const Warp &warp, Values &value)
{
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    const auto other = warp.FromRight(value, distance);
    warp.For([&](int lane) { value[lane] = Plus(value[lane], other[lane]); });
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
