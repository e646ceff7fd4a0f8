#include "mat/exec/memory_use.hpp"

#include "mat/exec/large_memory.hpp"
#include "mat/exec/session.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

namespace petscspmv {

namespace {

/// Arrays are counted by atomics: some are freed without the lock.
struct MemoryCounts {
  std::atomic<std::size_t> arrays = 0, most = 0, refused = 0;
  std::atomic<bool>        making  = false;
  std::atomic<double>      allowed = std::numeric_limits<double>::infinity(); // bytes
  double                   share = std::numeric_limits<double>::infinity(), own = 0;
};

MemoryCounts &CountsOfProcess()
{
  return OfProcess<MemoryCounts>();
}

void SetAllowed(MemoryCounts &counts)
{
  const bool limited = counts.share < std::numeric_limits<double>::infinity();
  counts.allowed     = limited ? counts.share * counts.own : counts.share; // not infinity * 0, which is NaN
}

/// Arrays have precedence: kept memory is released if both together exceed the limit.
void KeepToLimit(const MemoryCounts &counts) noexcept
{
  if (counts.allowed == std::numeric_limits<double>::infinity()) return;
  if (static_cast<double>(counts.arrays + UseOfLargeMemory().kept) > counts.allowed) ReleaseLargeMemory();
}

} // namespace

MemoryUse UseOfMemory()
{
  const Locked        now(Lock());
  const MemoryCounts &counts = CountsOfProcess();
  return {counts.arrays, counts.most, UseOfLargeMemory().kept, counts.refused};
}

void StartMemoryUse(double share)
{
  const Locked  now(Lock());
  MemoryCounts &counts = CountsOfProcess();
  counts.share         = share;
  counts.refused       = 0;
  counts.most          = counts.arrays.load();
  SetAllowed(counts);
  KeepToLimit(counts);
}

bool AddArray(std::size_t bytes) noexcept
{
  MemoryCounts     &counts = CountsOfProcess();
  const std::size_t now    = counts.arrays += bytes;
  if (counts.making && static_cast<double>(now) > counts.allowed) {
    counts.arrays -= bytes;
    ++counts.refused;
    return false;
  }
  std::size_t most = counts.most;
  while (now > most && !counts.most.compare_exchange_weak(most, now)) {
  }
  return true;
}

void RemoveArray(std::size_t bytes) noexcept
{
  CountsOfProcess().arrays -= bytes;
}

double MemoryLimit()
{
  return CountsOfProcess().share;
}

double MemoryLeft()
{
  const MemoryCounts &counts = CountsOfProcess();
  return counts.allowed - static_cast<double>(counts.arrays);
}

MakingLayout::MakingLayout(std::size_t bytes)
{
  CountsOfProcess().making = true;
  ExpectLarge(bytes);
}

MakingLayout::~MakingLayout()
{
  CountsOfProcess().making = false;
  ExpectLarge(0);
  KeepToLimit(CountsOfProcess());
}

void OwnBytes::Set(double bytes) noexcept
{
  if (bytes == bytes_) return;
  const Locked  now(Lock());
  MemoryCounts &counts = CountsOfProcess();
  counts.own += bytes - bytes_;
  bytes_ = bytes;
  SetAllowed(counts);
  KeepToLimit(counts);
}

} // namespace petscspmv
