// How and where kernels run: one argument of a format's Build, Refresh and Apply.
#pragma once

#include <cstddef>

namespace petscspmv {

/// Whether products prefetch the arrays of the matrix. Auto: if a worker's share of the matrix exceeds the L2 cache. A matrix that
/// fits in L2 gains nothing from prefetching and pays for the instructions.
enum class Prefetching { Auto, Off, On };

/// The number of nonzeros from which kernels run on several threads. So many take 10 to 30 us on one core. A launch costs 0.3 to
/// 0.6 us while the other threads are awake, but threads that have gone to sleep since the last one take longer than that to wake.
inline constexpr std::size_t kLaunchWork = 32768;

struct Execution {
  std::size_t target      = 0; // on hosts: index into the list of compiled targets (target.hpp)
  Prefetching prefetching = Prefetching::Auto;
  std::size_t own_cache   = std::size_t{1} << 20; // bytes of a core's own (L2) cache
  std::size_t workers     = 1;                    // threads that share a product: Kokkos' concurrency
  std::size_t launch_work = kLaunchWork;
  const void *stream      = nullptr; // on devices: the Kokkos instance to launch on; null for the default one
  void       *workspace   = nullptr; // WorkspaceBytes of the layout, where the kernels run; needed by Apply only

  /// For the layout of one of `parts` parts of the rows: with a share of the cache, since the whole matrix is what may exceed it.
  Execution OfPart(int parts) const
  {
    Execution of_part = *this;
    of_part.own_cache /= static_cast<std::size_t>(parts > 1 ? parts : 1);
    return of_part;
  }
};

} // namespace petscspmv
