#include "mat/exec/kokkos_start.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdlib>
#include <exception>

#if defined(KOKKOS_ENABLE_OPENMP)
  #include <omp.h>
#endif

namespace petscspmv {

namespace {

int requested_threads     = 0;
int (*requested_device)() = nullptr;

void Start(int threads)
{
  const int device = requested_device ? requested_device() : -1;
#if defined(KOKKOS_VERSION) && KOKKOS_VERSION >= 30700
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  if (threads > 0) settings.set_num_threads(threads);
  if (device >= 0) settings.set_device_id(device);
#else
  Kokkos::InitArguments settings;
  settings.disable_warnings = true;
  if (threads > 0) settings.num_threads = threads;
  if (device >= 0) settings.device_id = device;
#endif
  Kokkos::initialize(settings);
}

} // namespace

void SetKokkosThreads(int threads)
{
  requested_threads = threads;
}

void SetKokkosDevice(int (*device)())
{
  requested_device = device;
}

bool StartKokkos()
{
  if (Kokkos::is_initialized()) return true;
  static bool started = false; // by us; if it is no longer initialized, it has been finalized
  if (started) return false;
#if defined(KOKKOS_VERSION) && KOKKOS_VERSION >= 30700
  if (Kokkos::is_finalized()) return false;
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
  // Kokkos::initialize() sets the number of threads of the whole program: restore it. Before that, it starts as many as allowed,
  // which then stay.
  struct Threads {
    int before = omp_get_max_threads();
    ~Threads() { omp_set_num_threads(before); }
  } threads;
  omp_set_num_threads(std::min(kMostThreads, requested_threads > 0 ? requested_threads : threads.before));
  const int n = omp_get_max_threads();
#else
  const int n = requested_threads;
#endif
  started = true;
  try {
    Start(n);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ENABLE_SYCL)
    std::atexit([]() noexcept { // otherwise devices complain
      try {
        if (Kokkos::is_initialized()) Kokkos::finalize();
      } catch (...) { // the program ends, and nobody could handle it
      }
    });
#endif
  } catch (const std::exception &) { // Kokkos is built for a device that this machine lacks
    return false;
  }
  return true;
}

} // namespace petscspmv
