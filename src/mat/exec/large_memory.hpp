// Memory for the large arrays of layouts: in huge pages where the system has them at hand, and used again once it is free.
#pragma once

#include <cstddef>

namespace petscspmv {

/// Arrays of fewer bytes are left to the heap.
inline constexpr std::size_t kLargeArray = 64 * 1024;

/// Memory for a large array, aligned to a page. Null if there is none, or if the heap serves an array of this size better.
void *GetLarge(std::size_t bytes) noexcept;

/// Takes memory back. False if it is not from GetLarge().
bool FreeLarge(void *data) noexcept;

struct LargeMemoryUse {
  std::size_t in_use = 0; // bytes of arrays
  std::size_t mapped = 0; // bytes of address space: also what is free, and what was never touched
  std::size_t kept   = 0; // bytes that were arrays and are free
};

LargeMemoryUse UseOfLargeMemory();

/// Gives what is free back to the system.
void ReleaseLargeMemory() noexcept;

} // namespace petscspmv
