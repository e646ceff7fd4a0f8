// The ordered second pass of kernels whose workers share rows: adds the leftover partial sums to y.
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/warp.hpp"

#include <cstdint>

namespace petscspmv {

/// y[part(k).row] += part(k).value for k = 32 i .. 32 i + 31, by warp i. Rows do not decrease with k. A row whose parts end within
/// these is summed by one lane; a row that continues beyond them is summed by all lanes of the warp in which it begins. The order
/// of additions depends on the rows only.
template <class Scalar, class Parts>
struct AddByRow {
  std::int64_t n;
  Parts        parts; // Row(k), Value(k)
  Scalar      *y;

  template <class Warp>
  KOKKOS_FUNCTION void operator()(const Warp &warp, std::int64_t i) const
  {
    const std::int64_t begin = i * kWarp, end = begin + kWarp < n ? begin + kWarp : n;
    const auto         last    = parts.Row(end - 1);
    const bool         goes_on = end < n && parts.Row(end) == last;
    warp.For([&](int lane) {
      const std::int64_t k = begin + lane;
      if (k >= end || (goes_on && parts.Row(k) == last) || (k > 0 && parts.Row(k - 1) == parts.Row(k))) return;
      Scalar total = parts.Value(k);
      for (std::int64_t other = k + 1; other < end && parts.Row(other) == parts.Row(k); ++other)
        total = Plus(total, parts.Value(other));
      y[parts.Row(k)] = Plus(y[parts.Row(k)], total);
    });
    if (!goes_on) return;
    const std::int64_t first = FirstFrom(begin, end, last);
    if (first > 0 && parts.Row(first - 1) == last) return; // this row begins in another warp
    const std::int64_t                      stop = FirstFrom(end, n, last + 1);
    typename Warp::template PerLane<Scalar> total;
    warp.For([&](int lane) {
      total[lane] = Scalar(0);
      for (std::int64_t k = first + lane; k < stop; k += kWarp) total[lane] = Plus(total[lane], parts.Value(k));
    });
    SumOfWarp(warp, total);
    warp.For([&](int lane) {
      if (lane == 0) y[last] = Plus(y[last], total[lane]);
    });
  }

private:
  /// The first of begin .. end-1 whose row is at least `row`, or end.
  template <class Index>
  KOKKOS_FUNCTION std::int64_t FirstFrom(std::int64_t begin, std::int64_t end, Index row) const
  {
    while (begin < end) {
      const std::int64_t middle = begin + (end - begin) / 2;
      if (parts.Row(middle) < row) begin = middle + 1;
      else end = middle;
    }
    return begin;
  }
};

template <class Exec, class Parts, class Scalar>
void AddRows(const Exec &exec, const char *name, std::int64_t n, const Parts &parts, Scalar *y)
{
  exec.ForWarps(name, (n + kWarp - 1) / kWarp, 0, AddByRow<Scalar, Parts>{n, parts, y});
}

} // namespace petscspmv
