#include "mat/format/prefetch.hpp"

#include <Kokkos_Core.hpp>
#include <unistd.h>

namespace petscspmv {

namespace {
Prefetching current = Prefetching::Auto;
}

void SetPrefetching(Prefetching prefetching)
{
  current = prefetching;
}

Prefetching CurrentPrefetching()
{
  return current;
}

std::size_t SecondLevelCache()
{
#if defined(_SC_LEVEL2_CACHE_SIZE)
  static const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return static_cast<std::size_t>(bytes);
#endif
  return std::size_t{1} << 20;
}

bool AsksAhead(std::size_t bytes)
{
  if (current != Prefetching::Auto) return current == Prefetching::On;
  if (bytes <= SecondLevelCache()) return false;
  const int workers = Kokkos::is_initialized() ? Kokkos::DefaultHostExecutionSpace().concurrency() : 1;
  return bytes / static_cast<std::size_t>(workers) > SecondLevelCache();
}

} // namespace petscspmv
