// Memory that stays flat in long runs.
#pragma once

#include "petscspmv.h"
#include "support/petsc_test.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <string>

namespace petscspmv::test {

/// The resident memory of this process, but for files: kernels come into memory when they are first tried.
inline double ResidentBytes()
{
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return 1024 * std::stod(line.substr(line.find(':') + 1));
  }
  return -1;
}

/// Expects that the second half of a long run takes no memory at its peak that the first has not taken; `run` is called with false
/// and then with true for the halves, and with look() for moments in between. A PETSc for debugging counts its own memory, of which
/// every byte must be freed.
inline void ExpectFlat(const std::function<void(bool, const std::function<void()> &)> &run)
{
  constexpr double kLeast     = 256 * 1024;   // an allocator may keep this much at times
  PetscLogDouble   petsc_half = 0, petsc = 0; // remain 0 without -malloc_debug
  double           peak = 0;
  const auto       look = [&] { peak = std::max(peak, ResidentBytes()); };
  const char      *target;
  OK(PetscSpMVGetTarget(&target, NULL)); // that measurement takes memory, in one of the halves
  run(false, look);
  look();
  const double half = peak;
  OK(PetscMallocGetCurrentUsage(&petsc_half));
  run(true, look);
  look();
  OK(PetscMallocGetCurrentUsage(&petsc));
  EXPECT_EQ(petsc, petsc_half);
  ASSERT_GT(half, 0);
  EXPECT_LE(peak, half + kLeast);
}

} // namespace petscspmv::test
