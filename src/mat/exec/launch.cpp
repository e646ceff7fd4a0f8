#include "mat/exec/host.hpp"
#include "mat/exec/kokkos_start.hpp"
#include "mat/exec/session.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>

namespace petscspmv {

namespace {

using Space = Kokkos::DefaultHostExecutionSpace;

/// The n items of a launch, divided into consecutive ranges, one for each worker.
struct Ranges {
  void (*run)(const void *, std::int64_t, std::int64_t);
  const void  *functor;
  std::int64_t n, ranges;

  void operator()(std::int64_t range) const { run(functor, First(range), First(range + 1)); }

private:
  std::int64_t First(std::int64_t range) const { return n / ranges * range + std::min(range, n % ranges); }
};

struct Launching {
  std::atomic<bool> busy = false; // a launch is under way
};

} // namespace

bool LaunchRanges(const char *name, std::int64_t n, void (*run)(const void *, std::int64_t, std::int64_t), const void *functor)
{
  if (!KokkosRuns() && !KokkosHasThreads()) return false;
  if (!WatchForks() || Forked() || !StartKokkos()) return false; // a forked child would wait for its parent's threads forever
  std::atomic<bool> &busy = OfProcess<Launching>().busy;
  if (busy.exchange(true, std::memory_order_acquire)) return false; // another thread's launch has the cores
  struct NoLonger {
    std::atomic<bool> &busy;
    ~NoLonger() { busy.store(false, std::memory_order_release); }
  } const end{busy};
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
