#include "mat/exec/large_memory.hpp"

#include "mat/exec/huge_pages.hpp"
#include "mat/exec/session.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <new>
#include <set>
#include <sys/mman.h>
#include <utility>

namespace petscspmv {

namespace {

/// The smallest array, or layout, for which a new region is mapped.
constexpr std::size_t kLeastRegion = 512 * 1024;

/// Bounds of a new region's usual size, which grows with the memory mapped, so that regions are few. Untouched memory costs only
/// address space.
constexpr std::size_t kLeastGrowth = 2 * kHugePage, kMostGrowth = 16 * kHugePage;

/// If free memory exceeds both this and the memory in use, idle regions are unmapped: address space may be limited.
constexpr std::size_t kMostKept = std::size_t{1} << 30;

/// If more memory is free, the system may take its pages. Pages that were taken cost as much as new ones.
constexpr std::size_t kMostHeld = 64 * 1024 * 1024;

constexpr std::size_t RoundUp(std::size_t bytes, std::size_t multiple)
{
  return (bytes + multiple - 1) / multiple * multiple;
}

char *RoundUp(char *address, std::size_t multiple)
{
  return address + (RoundUp(reinterpret_cast<std::uintptr_t>(address), multiple) - reinterpret_cast<std::uintptr_t>(address));
}

char *RoundDown(char *address, std::size_t multiple)
{
  return address - reinterpret_cast<std::uintptr_t>(address) % multiple;
}

/// Regions of memory, cut into extents that are free or in use.
class Pool {
public:
  /// Throws if there is no memory for the pool's records of the array.
  void *Get(std::size_t bytes)
  {
    bytes      = RoundUp(bytes, PageSize());
    auto found = free_.lower_bound({bytes, nullptr});
    if (found == free_.end()) {
      if (std::max(bytes, expected_) < kLeastRegion) return nullptr;
      if (!AddRegion(bytes)) {
        Release(); // idle regions, which are too small
        if (!AddRegion(bytes)) return nullptr;
      }
      found = free_.lower_bound({bytes, nullptr});
    }
    const auto [size, begin] = *found;
    Extent           &extent = extents_.at(begin);
    const std::size_t used = std::min(extent.used, bytes), beyond = extent.used - used;
    if (size > bytes) AddExtent(begin + bytes, size - bytes, beyond);
    use_.kept -= used;
    extent.bytes          = bytes;
    extent.node           = free_.extract(found);
    auto &[first, region] = *std::prev(regions_.upper_bound(begin));
    const std::size_t at  = static_cast<std::size_t>(begin - first);
    huge_pages_.Prepare(first, region, at + used, at + bytes);
    use_.in_use += bytes;
    return begin;
  }

  bool Free(void *data) noexcept
  {
    auto at = extents_.find(static_cast<char *>(data));
    if (at == extents_.end()) return false;
    char *const begin = at->first, *const end = begin + at->second.bytes;
    use_.in_use -= at->second.bytes;
    use_.kept += at->second.used = at->second.bytes;
    const auto next              = std::next(at);
    if (next != extents_.end() && next->first == end && Joins(*next)) {
      at->second.used += next->second.used;
      at->second.bytes += next->second.bytes;
      use_.kept += next->second.used;
      Forget(next);
    }
    if (at != extents_.begin()) {
      const auto before = std::prev(at);
      if (!before->second.node && before->first + before->second.bytes == begin && !regions_.count(begin)) {
        before->second.node = free_.extract({before->second.bytes, before->first});
        use_.kept += before->second.bytes - before->second.used;
        before->second.used = before->second.bytes + at->second.used;
        before->second.bytes += at->second.bytes;
        extents_.erase(at);
        at = before;
      }
    }
    at->second.node.value() = {at->second.bytes, at->first};
    free_.insert(std::move(at->second.node));
    const std::size_t unused = use_.mapped - use_.in_use;
    if (unused > kMostKept && unused > use_.in_use) Release();
    else if (unused > kMostHeld)
      LetGo(std::max(at->first, RoundDown(begin, kHugePage)), std::min(at->first + at->second.bytes, RoundUp(end, kHugePage)));
    return true;
  }

  /// Returns all free memory to the system: unmaps idle regions, and drops the free pages of others.
  void GiveBack() noexcept
  {
    Release();
    for (auto &[begin, extent] : extents_) {
      if (extent.node || extent.used == 0) continue;
      madvise(begin, extent.used, MADV_DONTNEED);
      use_.kept -= std::exchange(extent.used, 0);
    }
  }

  /// Unmaps the regions in which nothing is in use.
  void Release() noexcept
  {
    for (auto region = regions_.begin(); region != regions_.end();) {
      const auto at = extents_.find(region->first);
      if (at->second.node || at->second.bytes != region->second.bytes) {
        ++region;
        continue;
      }
      Forget(at);
      munmap(region->first, region->second.bytes);
      use_.mapped -= region->second.bytes;
      region = regions_.erase(region);
    }
  }

  double SecondsFor(std::size_t bytes, std::size_t expected)
  {
    return huge_pages_.SecondsFor(bytes - std::min(bytes, use_.kept), use_.mapped, expected);
  }

  const LargeMemoryUse &use() const { return use_; }

  void Expect(std::size_t bytes) noexcept { expected_ = bytes; }

private:
  using FreeExtents = std::set<std::pair<std::size_t, char *>>; // by size

  struct Extent {
    std::size_t            bytes;
    std::size_t            used; // of a free extent: bytes from its beginning that were in use and may still have pages
    FreeExtents::node_type node; // of an extent in use: its node for free_, so that freeing needs no memory
  };
  using Extents = std::map<char *, Extent>;

  bool AddRegion(std::size_t bytes)
  {
    const std::size_t growth = std::clamp(RoundUp(use_.mapped / 2, kHugePage), kLeastGrowth, kMostGrowth);
    const std::size_t least  = RoundUp(bytes, kHugePage);
    return MapRegion(std::max(least, growth)) || MapRegion(least);
  }

  bool MapRegion(std::size_t bytes)
  {
    char *const mapped = MapPages(bytes + kHugePage);
    if (!mapped) return false;
    char *const begin = RoundUp(mapped, kHugePage), *const end = begin + bytes, *const mapped_end = mapped + bytes + kHugePage;
    if (begin > mapped) munmap(mapped, static_cast<std::size_t>(begin - mapped));
    if (mapped_end > end) munmap(end, static_cast<std::size_t>(mapped_end - end));
    try {
      const auto region = regions_.emplace(begin, Region{bytes}).first;
      AddExtent(begin, bytes, 0);
      huge_pages_.AskFor(begin, region->second, use_.mapped, expected_);
    } catch (const std::bad_alloc &) {
      regions_.erase(begin);
      munmap(begin, bytes);
      throw;
    }
    use_.mapped += bytes;
    return true;
  }

  /// Adds a free extent to both lists, or throws and adds it to neither.
  void AddExtent(char *begin, std::size_t bytes, std::size_t used)
  {
    const auto [at, added] = extents_.emplace(begin, Extent{bytes, used, {}});
    try {
      free_.emplace(bytes, begin);
    } catch (const std::bad_alloc &) {
      extents_.erase(at);
      throw;
    }
  }

  /// Whether an extent is free and may be joined to the one before it.
  bool Joins(const Extents::value_type &extent) const { return !extent.second.node && !regions_.count(extent.first); }

  void Forget(Extents::iterator free) noexcept
  {
    use_.kept -= free->second.used;
    free_.erase({free->second.bytes, free->first});
    extents_.erase(free);
  }

  /// Lets the system take free memory when it needs some. Only whole huge pages, since losing a part would split a huge page.
  static void LetGo([[maybe_unused]] char *begin, [[maybe_unused]] char *end) noexcept
  {
#ifdef MADV_FREE
    char *const first = RoundUp(begin, kHugePage);
    if (first + kHugePage <= end) madvise(first, static_cast<std::size_t>(end - first) / kHugePage * kHugePage, MADV_FREE);
#endif
  }

  Extents                  extents_;
  FreeExtents              free_;
  std::map<char *, Region> regions_;
  LargeMemoryUse           use_;
  std::size_t              expected_ = 0;
  HugePages                huge_pages_;
};

/// Sanitizers see the ends of arrays only in memory from the heap.
#if defined(__SANITIZE_ADDRESS__)
  #define PETSCSPMV_FINDS_OVERRUNS 1
#elif defined(__has_feature)
  #if __has_feature(address_sanitizer)
    #define PETSCSPMV_FINDS_OVERRUNS 1
  #endif
#endif
#if defined(PETSCSPMV_FINDS_OVERRUNS)
constexpr bool kPooled = false;
#else
constexpr bool kPooled = true;
#endif

} // namespace

void *GetLarge(std::size_t bytes) noexcept
{
  const Locked now(Lock());
  try {
    return kPooled && bytes < static_cast<std::size_t>(-1) / 2 ? OfProcess<Pool>().Get(bytes) : nullptr;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

bool FreeLarge(void *data) noexcept
{
  const Locked now(Lock());
  return OfProcess<Pool>().Free(data);
}

void ExpectLarge(std::size_t bytes) noexcept
{
  const Locked now(Lock());
  OfProcess<Pool>().Expect(bytes);
}

double SecondsForLarge(std::size_t bytes, std::size_t expected) noexcept
{
  const Locked now(Lock());
  return OfProcess<Pool>().SecondsFor(bytes, expected);
}

LargeMemoryUse UseOfLargeMemory()
{
  const Locked now(Lock());
  return OfProcess<Pool>().use();
}

void ReleaseLargeMemory() noexcept
{
  const Locked now(Lock());
  OfProcess<Pool>().GiveBack();
}

} // namespace petscspmv
