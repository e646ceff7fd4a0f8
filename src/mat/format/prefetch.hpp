// The arrays of a matrix, asked for before they are needed.
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <unistd.h>

namespace petscspmv {

/// Asks, on hosts and if `ahead`, for what a kernel will read of a matrix' arrays. Gathers of x fill the window in which a core
/// looks ahead, so that loads of the matrix begin late, and the processor's own prefetching ends with every page.
template <bool ahead>
struct Prefetch {
  static constexpr std::int64_t   kLine  = 64;
  static constexpr std::uintptr_t kAhead = 2048; // bytes: what comes from memory while a core waits for it once, 20 GB/s and 100 ns

  /// As much as n items take, kAhead behind them. Behind the end of an array nothing is read.
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const T *items, std::int64_t n) const
  {
    if constexpr (ahead) {
      const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(items) + kAhead;
      for (std::int64_t byte = 0; byte < n * static_cast<std::int64_t>(sizeof(T)); byte += kLine) __builtin_prefetch(reinterpret_cast<const void *>(first + static_cast<std::uintptr_t>(byte)));
    }
  }
};

/// Bytes of the cache that a core has for itself.
inline std::size_t SecondLevelCache()
{
#if defined(_SC_LEVEL2_CACHE_SIZE)
  static const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return static_cast<std::size_t>(bytes);
#endif
  return std::size_t{1} << 20;
}

/// Whether products ask ahead. Auto: if the matrix is larger than the second-level cache. What stays there is at hand, and its product
/// would wait for the instructions.
enum class Prefetching { Auto,
                         Off,
                         On };

inline constexpr const char *kPrefetchingNames[] = {"auto", "off", "on"};
inline Prefetching           prefetching         = Prefetching::Auto;

/// Calls f with the Prefetch for the product with a matrix of so many bytes.
template <class F>
void WithPrefetch(std::size_t bytes, const F &f)
{
  if (prefetching == Prefetching::On || (prefetching == Prefetching::Auto && bytes > SecondLevelCache())) f(Prefetch<true>());
  else f(Prefetch<false>());
}

} // namespace petscspmv
