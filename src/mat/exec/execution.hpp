// How and where kernels run: one argument of a format's Build, Refresh and Apply.
#pragma once

#include "mat/exec/by_place.hpp"

#include <cstddef>

namespace petscspmv {

/// Whether products prefetch the arrays of the matrix. Auto: if a worker's share of the matrix is larger than the second-level
/// cache. What stays there is at hand, and its product would wait for the instructions.
enum class Prefetching { Auto, Off, On };

inline constexpr auto kPrefetchingNames = ByPlace<Prefetching::On, const char *>({
  {Prefetching::Auto, "auto"},
  {Prefetching::Off, "off"},
  {Prefetching::On, "on"},
});

/// Nonzeros from which kernels are launched on several threads. A launch costs 0.3 to 0.6 us, a nonzero 0.3 to 1 ns on
/// one core: below, further threads bring less than that.
inline constexpr std::size_t kLaunchWork = 32768;

struct Execution {
  std::size_t target      = 0; // on hosts: the place of the target in the list of those compiled (target.hpp)
  Prefetching prefetching = Prefetching::Auto;
  std::size_t own_cache   = std::size_t{1} << 20; // bytes of the cache that a core has for itself
  std::size_t workers     = 1;                    // threads that share a product, as Kokkos has been told
  std::size_t launch_work = kLaunchWork;
  const void *stream      = nullptr; // on devices: Kokkos' instance to launch on; null for its default one
  void       *workspace   = nullptr; // of as many bytes as the layout asks for, where the kernels run; only Apply needs it
};

} // namespace petscspmv
