#include "mat/exec/host.hpp"
#include "mat/exec/kokkos_start.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <pthread.h>

namespace petscspmv {

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

/// The items of a launch, in as many consecutive ranges as there are workers.
struct Ranges {
  void (*run)(const void *, std::int64_t, std::int64_t);
  const void  *functor;
  std::int64_t n, ranges;

  void operator()(std::int64_t range) const { run(functor, First(range), First(range + 1)); }

private:
  std::int64_t First(std::int64_t range) const { return n / ranges * range + std::min(range, n % ranges); }
};

bool forked = false;

/// Threads do not survive a fork: a child that launched kernels on its parent's would wait forever.
bool HasThreads()
{
  static const int failed = pthread_atfork(nullptr, nullptr, []() noexcept { forked = true; });
  return !failed && !forked;
}

} // namespace

bool LaunchRanges(const char *name, std::int64_t n, void (*run)(const void *, std::int64_t, std::int64_t), const void *functor)
{
  if (!HasThreads() || !StartKokkos()) return false;
  const std::int64_t ranges = std::min<std::int64_t>(n, Space().concurrency());
  // Kokkos copies names into strings: two allocations per product, the second of which may fail after the work is done.
  const char *const label = Kokkos::Tools::profileLibraryLoaded() ? name : "";
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Space, Kokkos::IndexType<std::int64_t>>(0, ranges),
                       Ranges{run, functor, n, ranges});
#if KOKKOS_VERSION >= 30500
  Space().fence("");
#else
  Space().fence();
#endif
  return true;
}

} // namespace petscspmv
