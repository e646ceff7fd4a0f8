// Memory that stays flat in long runs.
#pragma once

#include "petscspmv.h"
#include "support/petsc_test.hpp"

#include <cstdio>
#include <functional>
#include <unistd.h>

namespace petscspmv::test {

/// The resident memory of this process.
inline double ResidentBytes()
{
  long       size = 0, resident = 0;
  std::FILE *file = std::fopen("/proc/self/statm", "r");
  const bool read = file && std::fscanf(file, "%ld %ld", &size, &resident) == 2;
  if (file) std::fclose(file);
  return read ? static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) : -1;
}

/// Expects that the second half of a long run takes no memory; `run` is called with false and then with true for the halves. A
/// PETSc for debugging counts its own memory, of which every byte must be freed.
inline void ExpectFlat(const std::function<void(bool)> &run)
{
  constexpr double kLeast     = 256 * 1024;   // an allocator may keep this much at times
  PetscLogDouble   petsc_half = 0, petsc = 0; // remain 0 without -malloc_debug
  const char      *target;
  OK(PetscSpMVGetTarget(&target, NULL)); // that measurement, in some product, brings the kernels of all targets into memory
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
