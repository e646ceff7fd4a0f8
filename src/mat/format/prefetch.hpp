// The arrays of a matrix, asked for before they are needed.
#pragma once

#include "mat/format/native.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv {

/// Asks, if `ahead`, for what a kernel of hosts will read of a matrix' arrays. Gathers of x fill the window in which a core looks
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
      for (std::int64_t byte = 0; byte < n * size; byte += kLine) AskFor(start + static_cast<std::uintptr_t>(byte));
    }
  }
};

/// Whether products ask ahead. Auto: if a worker's share of the matrix is larger than the second-level cache. What stays there is
/// at hand, and its product would wait for the instructions.
enum class Prefetching { Auto,
                         Off,
                         On };

inline constexpr const char *kPrefetchingNames[] = {"auto", "off", "on"};

/// What products use from now on: at first Auto.
void        SetPrefetching(Prefetching prefetching);
Prefetching CurrentPrefetching();

/// Bytes of the cache that a core has for itself.
std::size_t SecondLevelCache();

/// Whether the product with a matrix of so many bytes asks ahead.
bool AsksAhead(std::size_t bytes);

/// Calls f with that product's Prefetch.
template <class F>
void WithPrefetch(std::size_t bytes, const F &f)
{
  if (AsksAhead(bytes)) f(Prefetch<true>());
  else f(Prefetch<false>());
}

} // namespace petscspmv
