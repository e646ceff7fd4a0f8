#include "mat/exec/settings.hpp"

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

Execution settings = [] {
  Execution initial;
  initial.own_cache = SecondLevelCache();
  return initial;
}();
std::string why_target;

} // namespace

void SetPrefetching(Prefetching prefetching)
{
  settings.prefetching = prefetching;
}

void SetLaunchWork(std::size_t nonzeros)
{
  settings.launch_work = nonzeros;
}

void SetTarget(std::size_t target, std::string why)
{
  settings.target = target;
  why_target      = std::move(why);
}

std::size_t CurrentTarget()
{
  return settings.target;
}

const std::string &WhyTarget()
{
  return why_target;
}

Execution CurrentExecution()
{
  Execution execution = settings;
  if (Kokkos::is_initialized()) execution.workers = static_cast<std::size_t>(Kokkos::DefaultHostExecutionSpace().concurrency());
  return execution;
}

} // namespace petscspmv
