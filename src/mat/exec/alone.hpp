// Loops on the calling thread alone.
#pragma once

#include "mat/exec/host.hpp"

#include <cstddef>

namespace petscspmv {

/// Whether such a loop prefetches a matrix of `bytes` bytes.
inline bool PrefetchesAlone(Execution execution, std::size_t bytes)
{
  execution.workers = 1;
  return HostExec(execution).Prefetches(bytes);
}

} // namespace petscspmv
