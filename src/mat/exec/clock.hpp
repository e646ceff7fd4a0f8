// The processor time of a thread.
#pragma once

#include <ctime>

namespace petscspmv {

/// Seconds in which the calling thread had a processor. Takes longer to read than a steady clock.
inline double ThreadSeconds()
{
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double ThreadSecondsSince(double start)
{
  return ThreadSeconds() - start;
}

} // namespace petscspmv
