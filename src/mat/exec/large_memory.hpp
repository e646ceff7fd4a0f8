// Memory for the large arrays of layouts: in huge pages where the system has some ready, and reused once it is free.
#pragma once

#include <cstddef>

namespace petscspmv {

/// Arrays of fewer bytes come from the heap.
inline constexpr std::size_t kLargeArray = 64 * 1024;

/// Memory for a large array, aligned to a page. Null if there is none, or if the heap serves an array of this size better.
void *GetLarge(std::size_t bytes) noexcept;

/// Frees memory that came from GetLarge(). For other memory it does nothing and returns false.
bool FreeLarge(void *data) noexcept;

/// Says how many bytes the layout takes whose arrays come next; 0: none, few, or not known. Regions that are mapped for a large
/// one have huge pages from their beginning, and small arrays of one that would have a region of its own come from regions, too.
void ExpectLarge(std::size_t bytes) noexcept;

/// The seconds that the system takes at most to provide ordinary pages for `bytes`, beyond what is kept; 0 if a layout for which
/// ExpectLarge(expected) is called has huge pages.
double SecondsForLarge(std::size_t bytes, std::size_t expected) noexcept;

struct LargeMemoryUse {
  std::size_t in_use = 0; // bytes of arrays
  std::size_t mapped = 0; // bytes of address space, including free and untouched memory
  std::size_t kept   = 0; // bytes of former arrays, free for new ones
};

LargeMemoryUse UseOfLargeMemory();

/// Returns free memory to the system.
void ReleaseLargeMemory() noexcept;

} // namespace petscspmv
