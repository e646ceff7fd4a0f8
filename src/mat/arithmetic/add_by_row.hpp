// The ordered second pass of kernels whose workers share rows: adds the leftover partial sums to y.
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/warp.hpp"

#include <cstdint>
#include <utility>

namespace petscspmv {

/// Warp i does y[parts.Row(k)] += parts.Value(k) for k = 32 i .. 32 i + 31, one k per lane. Row(k) never decreases with k. If the
/// parts of a row belong to several warps, the warp of its first part adds them all. The order of additions depends on the rows
/// only. As many loads as possible are in flight together: there is little work, but every product waits for it.
template <class Scalar, class Parts>
struct AddByRow {
  using Index = decltype(std::declval<const Parts &>().Row(0));

  std::int64_t n;
  Parts        parts; // Row(k), Value(k)
  Scalar      *y;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t i) const
  {
    typename Warp::template PerLane<Scalar> value;
    typename Warp::template PerLane<Index>  row;
    typename Warp::template PerLane<int>    end_of_row;
    const std::int64_t                      begin = i * kWarp, end = begin + kWarp < n ? begin + kWarp : n;
    const Index                             before = begin > 0 ? parts.Row(begin - 1) : kNone, last = parts.Row(end - 1),
                after = end < n ? parts.Row(end) : kNone;
    warp.For([&](int lane) {
      const std::int64_t k = begin + lane;
      row[lane]            = k < end ? parts.Row(k) : kNone;
      value[lane]          = k < end ? parts.Value(k) : Scalar(0);
    });
    const auto left = warp.FromLeft(row, 1), right = warp.FromRight(row, 1);
    auto       sum = value;
    warp.For([&](int lane) { end_of_row[lane] = lane == kWarp - 1 || right[lane] != row[lane]; });
    SegmentedSumOfWarp(warp, sum, end_of_row);
    warp.For([&](int lane) {
      const bool begins = row[lane] != (lane > 0 ? left[lane] : before), goes_on = row[lane] == last && after == last;
      if (row[lane] != kNone && begins && !goes_on) y[row[lane]] = Plus(y[row[lane]], sum[lane]);
    });
    if (after != last || before == last) return;
    const std::int64_t stop = FirstOther(warp, end, last);
    warp.For([&](int lane) {
      sum[lane] = row[lane] == last ? value[lane] : Scalar(0);
      for (std::int64_t k = end + lane; k < stop; k += kWarp) sum[lane] = Plus(sum[lane], parts.Value(k));
    });
    SumOfWarp(warp, sum);
    warp.For([&](int lane) {
      if (lane == 0) y[last] = Plus(y[last], sum[lane]);
    });
  }

private:
  static constexpr Index kNone = -1;

  /// The first k >= `low` with Row(k) != `row`, or n if there is none. In each step of the search, every lane checks one k.
  template <class Warp>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t FirstOther(const Warp &warp, std::int64_t low, Index row) const
  {
    typename Warp::template PerLane<int> same, first;
    warp.For([&](int lane) { first[lane] = 0; });
    for (std::int64_t high = n; low < high;) {
      const std::int64_t step = (high - low + kWarp - 1) / kWarp;
      warp.For([&](int lane) { same[lane] = low + lane * step < high && parts.Row(low + lane * step) == row; });
      SumOfWarp(warp, same);
      const std::int64_t lanes = warp.From(same, first)[0];
      if (lanes == 0) break;
      high = high < low + lanes * step ? high : low + lanes * step;
      low += (lanes - 1) * step + 1;
    }
    return low;
  }
};

template <class Exec, class Parts, class Scalar>
void AddRows(const Exec &exec, const char *name, std::int64_t n, const Parts &parts, Scalar *y)
{
  exec.ForWarps(name, (n + kWarp - 1) / kWarp, 0, AddByRow<Scalar, Parts>{n, parts, y});
}

} // namespace petscspmv
