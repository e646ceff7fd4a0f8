// How a functor reaches the processor.
#pragma once

#include "mat/format/kokkos_start.hpp"

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace petscspmv {

using HostExec = Kokkos::DefaultHostExecutionSpace;

/// Whether kernels run on the host's processor, with its vector unit and caches, or on a device.
template <class Exec>
inline constexpr bool kOnHost = std::is_same_v<typename Exec::memory_space, Kokkos::HostSpace>;

/// Runs functor(i) for i = 0 .. n-1, on all workers of Exec if `work` (nonzeros in total) is worth
/// it and in a plain loop otherwise. The functors give the same bits either way.
template <class Exec, class Functor>
void ParallelFor(const char *name, std::int64_t n, std::size_t work, const Functor &functor)
{
  if (n > 1 && work >= LaunchWork() && StartKokkos()) {
    using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(name, Policy(0, n), functor);
    Exec().fence();
  } else {
    for (std::int64_t i = 0; i < n; ++i) functor(i);
  }
}

} // namespace petscspmv
