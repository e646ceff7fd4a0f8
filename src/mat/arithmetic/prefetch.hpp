// The arrays of a matrix, prefetched.
#pragma once

#include "mat/arithmetic/load.hpp"

#include <cstdint>

namespace petscspmv {

/// Prefetches, if `ahead`, what a kernel of hosts will read of a matrix' arrays. Loads of x fill the window in which a core looks
/// ahead, so that loads of the matrix begin late, and the processor's own prefetching ends with every page.
template <bool ahead>
struct Prefetch {
  static constexpr std::int64_t kLine  = 64;
  static constexpr std::int64_t kAhead = 2048; // bytes: what comes from memory while a core waits for it once, 20 GB/s and 100 ns

  /// As much as the items first .. first + n - 1 take, kAhead behind them: also beyond the array, where it does no harm.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const T *items, std::int64_t n, std::int64_t first = 0) const
  {
    if constexpr (ahead) {
      constexpr std::int64_t size  = sizeof(T);
      const std::uintptr_t   start = reinterpret_cast<std::uintptr_t>(items) + static_cast<std::uintptr_t>(first * size + kAhead);
      for (std::int64_t byte = 0; byte < n * size; byte += kLine) PrefetchLine(start + static_cast<std::uintptr_t>(byte));
    }
  }

  /// The line after that of item `at`, of arrays beside the entries: read so seldom that what is asked for kAhead bytes before has
  /// left the nearest cache again. None where there is no array.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void NextLine(const T *items, std::int64_t at) const
  {
    constexpr std::int64_t size = sizeof(T);
    if (ahead && items) PrefetchLine(reinterpret_cast<std::uintptr_t>(items) + static_cast<std::uintptr_t>(at * size + kLine));
  }
};

/// Calls f with the Prefetch of the product with a matrix of so many bytes.
template <class Exec, class F>
void WithPrefetch(const Exec &exec, std::size_t bytes, const F &f)
{
  if (exec.Prefetches(bytes)) f(Prefetch<true>());
  else f(Prefetch<false>());
}

} // namespace petscspmv
