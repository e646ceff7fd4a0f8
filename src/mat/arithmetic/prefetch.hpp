// Prefetching of the matrix arrays.
#pragma once

#include "mat/arithmetic/load.hpp"

#include <cstdint>

namespace petscspmv {

/// Prefetches what lies between two addresses.
KOKKOS_FORCEINLINE_FUNCTION void PrefetchLines(const void *begin, const void *end)
{
  constexpr std::uintptr_t kLine = 64;
  for (auto at = reinterpret_cast<std::uintptr_t>(begin); at < reinterpret_cast<std::uintptr_t>(end); at += kLine) PrefetchLine(at);
}

/// If `ahead`, prefetches the parts of the matrix arrays that a host kernel reads soon: loads of x fill the out-of-order window, so
/// that loads of the matrix start late, and the hardware prefetcher stops at every page boundary.
template <bool ahead>
struct Prefetch {
  static constexpr std::int64_t kLine  = 64;
  static constexpr std::int64_t kAhead = 2048; // bytes: memory bandwidth times latency, 20 GB/s and 100 ns

  /// Prefetches what lies kAhead bytes beyond the items first .. first + n - 1. Addresses past the end of the array do no harm.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const T *items, std::int64_t n, std::int64_t first = 0) const
  {
    if constexpr (ahead) {
      constexpr std::int64_t size  = sizeof(T);
      const std::uintptr_t   start = reinterpret_cast<std::uintptr_t>(items) + static_cast<std::uintptr_t>(first * size + kAhead);
      for (std::int64_t byte = 0; byte < n * size; byte += kLine) PrefetchLine(start + static_cast<std::uintptr_t>(byte));
    }
  }

  /// Prefetches the cache line after that of item `at`. For arrays read much more slowly than the entries: a line prefetched kAhead
  /// bytes early would have left the L1 cache before its use. No-op for a null array.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void NextLine(const T *items, std::int64_t at) const
  {
    constexpr std::int64_t size = sizeof(T);
    if (ahead && items) PrefetchLine(reinterpret_cast<std::uintptr_t>(items) + static_cast<std::uintptr_t>(at * size + kLine));
  }
};

/// Calls f with a Prefetch that is on or off, as exec decides for a matrix of `bytes` bytes.
template <class Exec, class F>
void WithPrefetch(const Exec &exec, std::size_t bytes, const F &f)
{
  if (exec.Prefetches(bytes)) f(Prefetch<true>());
  else f(Prefetch<false>());
}

} // namespace petscspmv
