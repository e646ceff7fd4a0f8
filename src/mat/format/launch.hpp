// How a functor reaches the processor.
#pragma once

#include "mat/format/device.hpp"
#include "mat/format/kokkos_start.hpp"
#include "mat/format/simd.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace petscspmv {

using HostExec = Kokkos::DefaultHostExecutionSpace;

/// Kokkos' device, if it has one whose memory is not the host's.
using DeviceExec = Kokkos::DefaultExecutionSpace;
#if defined(KOKKOS_IF_ON_DEVICE)
inline constexpr bool kHasDevice = !std::is_same_v<typename DeviceExec::memory_space, Kokkos::HostSpace>;
#else
inline constexpr bool kHasDevice = false;
#endif

/// Whether kernels run on the host's processor, with its vector unit and caches, or on a device.
template <class Exec>
inline constexpr bool kOnHost = std::is_same_v<Exec, HostExec>;

/// The items of a launch in as many neighbouring ranges as there are workers.
template <class Functor>
struct Ranges {
  Functor      functor;
  std::int64_t n, ranges;

  void operator()(std::int64_t range) const { Loop(functor, First(range), First(range + 1)); }

private:
  std::int64_t First(std::int64_t range) const { return n / ranges * range + (range < n % ranges ? range : n % ranges); }
};

/// Runs functor(i) for i = 0 .. n-1 on all workers of Exec. Kokkos is running.
template <class Exec, class Functor>
void Launch(const char *name, std::int64_t n, const Functor &functor)
{
  const std::int64_t ranges = std::min<std::int64_t>(n, Exec().concurrency());
  Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(0, ranges), Ranges<Functor>{functor, n, ranges});
  Exec().fence();
}

/// Runs functor(i) for i = 0 .. n-1: on devices by a thread each; on hosts on all workers if `work` (nonzeros in total) is
/// worth it and in a plain loop otherwise. The functors give the same bits either way.
template <class Exec, class Functor>
void ParallelFor(const char *name, std::int64_t n, std::size_t work, const Functor &functor)
{
  if constexpr (!kOnHost<Exec>) ForThreads<Exec>(name, n, functor);
  else if (n > 1 && work >= LaunchWork() && StartKokkos()) Launch<Exec>(name, n, functor);
  else Loop(functor, 0, n);
}

} // namespace petscspmv
