// Who does what is measured beside products.
#pragma once

#include "mat/exec/host.hpp"

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace petscspmv::benchmarks {

/// Runs functor(i) for i = 0 .. n-1 by the threads of Kokkos, if the first product that was worth it has started them. Kokkos is
/// not started here: the library knows how many threads a process has.
template <class Functor>
void ForWorkers(const char *name, std::int64_t n, const Functor &functor)
{
  if (!Kokkos::is_initialized() || !LaunchRanges(name, n, RunRange<Functor>, &functor)) RunRange<Functor>(&functor, 0, n);
}

} // namespace petscspmv::benchmarks
