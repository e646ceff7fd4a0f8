// Memory that stays flat in long runs.
#pragma once

#include "petscspmv.h"
#include "support/petsc_test.hpp"

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

/// Expects that the second half of a long run takes no memory; `run` is called with false and then with true for the halves. A
/// PETSc for debugging counts its own memory, of which every byte must be freed.
inline void ExpectFlat(const std::function<void(bool)> &run)
{
  constexpr double kLeast     = 256 * 1024;   // an allocator may keep this much at times
  PetscLogDouble   petsc_half = 0, petsc = 0; // remain 0 without -malloc_debug
  const char      *target;
  OK(PetscSpMVGetTarget(&target, NULL)); // that measurement takes memory, in one of the halves
  run(false);
  const double half = ResidentBytes();
  OK(PetscMallocGetCurrentUsage(&petsc_half));
  run(true);
  OK(PetscMallocGetCurrentUsage(&petsc));
  EXPECT_EQ(petsc, petsc_half);
  ASSERT_GT(half, 0);
  EXPECT_LE(ResidentBytes(), half + kLeast);
}

} // namespace petscspmv::test
