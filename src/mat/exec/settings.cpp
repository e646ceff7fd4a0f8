#include "mat/exec/settings.hpp"

#include "mat/exec/kokkos_start.hpp"
#include "mat/exec/session.hpp"

#include <Kokkos_Core.hpp>
#include <unistd.h>
#include <utility>

namespace petscspmv {

namespace {

/// Bytes of a core's own cache (L2).
std::size_t SecondLevelCache()
{
#if defined(_SC_LEVEL2_CACHE_SIZE)
  const long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (bytes > 0) return static_cast<std::size_t>(bytes);
#endif
  return Execution().own_cache;
}

struct ProcessSettings {
  Execution   execution;
  std::string why_target;
  int         upload_threads = 1;

  ProcessSettings() { execution.own_cache = SecondLevelCache(); }
};

} // namespace

void SetPrefetching(Prefetching prefetching)
{
  OfProcess<ProcessSettings>().execution.prefetching = prefetching;
}

void SetLaunchWork(std::size_t nonzeros)
{
  OfProcess<ProcessSettings>().execution.launch_work = nonzeros;
}

void SetUploadThreads(int threads)
{
  OfProcess<ProcessSettings>().upload_threads = threads;
}

int UploadThreads()
{
  return OfProcess<ProcessSettings>().upload_threads;
}

void SetTarget(std::size_t target, std::string why)
{
  OfProcess<ProcessSettings>().execution.target = target;
  OfProcess<ProcessSettings>().why_target       = std::move(why);
}

std::size_t CurrentTarget()
{
  return OfProcess<ProcessSettings>().execution.target;
}

const std::string &WhyTarget()
{
  return OfProcess<ProcessSettings>().why_target;
}

Execution CurrentExecution()
{
  Execution execution = OfProcess<ProcessSettings>().execution;
  if (KokkosRuns()) execution.workers = static_cast<std::size_t>(Kokkos::DefaultHostExecutionSpace().concurrency());
  return execution;
}

} // namespace petscspmv
