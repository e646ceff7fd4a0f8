#include "mat/exec/kokkos_start.hpp"

#include "mat/exec/session.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <string>
#include <type_traits>

#if defined(KOKKOS_ENABLE_OPENMP)
  #include <omp.h>
#endif

namespace petscspmv {

namespace {

struct Starting {
  int threads               = 0; // requested
  int (*device)()           = nullptr;
  bool              started = false; // by us
  std::atomic<bool> loaded  = false; // registered: End() runs before destructors of what Kokkos had at the library's registration
  std::atomic<bool> watched = false; // registered: End() runs before destructors of what Kokkos made when it started
  std::atomic<bool> exiting = false; // End() has run: what Kokkos has is destroyed, or soon will be
  std::string       error;           // why Kokkos did not start
};

/// The number of threads to start Kokkos with; 0 leaves it to Kokkos.
int ThreadsToStart()
{
  const int wanted = OfProcess<Starting>().threads;
#if defined(KOKKOS_ENABLE_OPENMP)
  return std::min(kMostThreads, wanted > 0 ? wanted : omp_get_max_threads());
#else
  return wanted;
#endif
}

void Start(int threads)
{
  const auto wanted = OfProcess<Starting>().device;
  const int  device = wanted ? wanted() : -1;
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

/// Runs when the process exits. Exit handlers and static destructors may still multiply: those products run as plain loops.
void End() noexcept
{
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ENABLE_SYCL)
  try { // unless Kokkos is finalized, device runtimes report errors
    if (OfProcess<Starting>().started && Kokkos::is_initialized()) Kokkos::finalize();
  } catch (...) { // nobody could handle it
  }
#endif
  OfProcess<Starting>().exiting = true;
}

/// Registers End() to run before static destructors of all that Kokkos has made by now.
void WatchExit(std::atomic<bool> &watched)
{
  if (!watched.exchange(true)) std::atexit([]() noexcept { End(); });
}

} // namespace

void WatchExit()
{
  WatchExit(OfProcess<Starting>().loaded);
}

void SetKokkosThreads(int threads)
{
  OfProcess<Starting>().threads = threads;
}

void SetKokkosDevice(int (*device)())
{
  OfProcess<Starting>().device = device;
}

bool KokkosRuns()
{
  return !OfProcess<Starting>().exiting && Kokkos::is_initialized();
}

bool KokkosIsSerial()
{
#if defined(KOKKOS_ENABLE_SERIAL)
  return std::is_same_v<Kokkos::DefaultHostExecutionSpace, Kokkos::Serial>;
#else
  return false;
#endif
}

bool KokkosHasThreads()
{
  if (OfProcess<Starting>().exiting) return false; // OpenMP may have ended
  return !KokkosIsSerial() && ThreadsToStart() != 1;
}

bool StartKokkos()
{
  Starting &starting = OfProcess<Starting>();
  if (starting.exiting) return false;
  if (starting.watched && Kokkos::is_initialized()) return true;
  const Locked now(Lock());
  if (Kokkos::is_initialized()) { // by the program
    WatchExit(starting.watched);
    return true;
  }
  if (starting.started) return false; // it has been finalized
#if defined(KOKKOS_VERSION) && KOKKOS_VERSION >= 30700
  if (Kokkos::is_finalized()) return false;
#endif
#if defined(KOKKOS_ENABLE_OPENMP)
  // Kokkos::initialize() sets the number of OpenMP threads of the whole program, which is restored afterwards. Before setting it,
  // Kokkos starts as many threads as are allowed, and these stay: so the number is also set here.
  struct Threads {
    int before = omp_get_max_threads();
    ~Threads() { omp_set_num_threads(before); }
  } threads;
  omp_set_num_threads(ThreadsToStart());
  const int n = omp_get_max_threads();
#else
  const int n = ThreadsToStart();
#endif
  starting.started = true;
  try {
    Start(n);
  } catch (const std::exception &error) { // Kokkos is built for a device that this machine lacks
    starting.error = error.what();
    return false;
  }
  WatchExit(starting.watched);
  return true;
}

const char *WhyNoKokkos()
{
  const Starting &starting = OfProcess<Starting>();
  if (!starting.error.empty()) return starting.error.c_str();
  return starting.exiting ? "The process exits" : "It has been finalized";
}

} // namespace petscspmv
