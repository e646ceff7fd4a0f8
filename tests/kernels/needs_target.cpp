// Skips the tests of a target, before any of them runs, if the processor lacks the target's features.
#include "mat/exec/cpu_features.hpp"

#include <cstdio>
#include <unistd.h>

namespace {

constexpr int kSkipped = 77; // to CTest

/// Runs before the constructors of all other files, which are compiled for the target.
__attribute__((constructor(101))) void NeedTarget()
{
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
#endif
  if (PETSCSPMV_RUNS_HERE) return;
  std::puts("skipped: this processor does not have the target's features");
  std::fflush(stdout);
  _exit(kSkipped);
}

} // namespace
