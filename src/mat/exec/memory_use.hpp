// The library's memory, counted in one place, and its limit: a share of the bytes of the matrices themselves.
#pragma once

#include <cstddef>

namespace petscspmv {

/// Bytes of this process.
struct MemoryUse {
  std::size_t arrays  = 0; // of layouts and what they are made from, and of products
  std::size_t most    = 0; // that the arrays of this session were at once
  std::size_t kept    = 0; // that were arrays before and will be again
  std::size_t refused = 0; // how many times the limit was in the way of a layout
};

MemoryUse UseOfMemory();

/// Begins to count for a session. `share`: the most that arrays and what is kept take while a layout is made, as a share of the
/// matrices; infinite if there is no limit.
void StartMemoryUse(double share);

/// Counts an array. False if the limit is in the way.
bool AddArray(std::size_t bytes) noexcept;
void RemoveArray(std::size_t bytes) noexcept;

double MemoryLimit(); // the share

/// What the limit leaves for arrays.
double MemoryLeft();

/// While it lives a layout is made, which the limit may be in the way of. What products need besides is counted, never refused.
/// The caller holds the lock.
class MakingLayout {
public:
  MakingLayout();
  ~MakingLayout();
  MakingLayout(const MakingLayout &)            = delete;
  MakingLayout &operator=(const MakingLayout &) = delete;
};

/// The bytes of a matrix that layouts are made of, or were refused to. The limit is a share of their sum.
class OwnBytes {
public:
  OwnBytes() = default;
  ~OwnBytes() { Set(0); }
  OwnBytes(const OwnBytes &)            = delete;
  OwnBytes &operator=(const OwnBytes &) = delete;

  void Set(double bytes) noexcept;

private:
  double bytes_ = 0;
};

} // namespace petscspmv
