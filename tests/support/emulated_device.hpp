// A device emulated by the calling thread, with memory of its own, to test device kernels without a device.
#pragma once

#include "mat/arithmetic/warp.hpp"
#include "mat/exec/host.hpp"
#include "support/protected_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace petscspmv::test {

/// A warp emulated by the calling thread.
class EmulatedWarp {
public:
  /// A variable of each lane.
  template <class T>
  class PerLane {
  public:
    T       &operator[](int lane) { return lane_[lane]; }
    const T &operator[](int lane) const { return lane_[lane]; }

  private:
    T lane_[kWarp];
  };

  EmulatedWarp(char *scratch, bool backwards) : scratch_(scratch), backwards_(backwards) { }

  /// f(lane) for all lanes.
  template <class F>
  void For(const F &f) const
  {
    for (int k = 0; k < kWarp; ++k) f(backwards_ ? kWarp - 1 - k : k);
  }

  /// The value of the lane `distance` to the right; T{} beyond the last.
  template <class T>
  PerLane<T> FromRight(const PerLane<T> &value, int distance) const
  {
    PerLane<T> result;
    for (int lane = 0; lane < kWarp; ++lane) result[lane] = lane + distance < kWarp ? value[lane + distance] : T{};
    return result;
  }

  /// The same from the left.
  template <class T>
  PerLane<T> FromLeft(const PerLane<T> &value, int distance) const
  {
    PerLane<T> result;
    for (int lane = 0; lane < kWarp; ++lane) result[lane] = lane >= distance ? value[lane - distance] : T{};
    return result;
  }

  /// Each lane gets the value of the lane that it names.
  template <class T>
  PerLane<T> From(const PerLane<T> &value, const PerLane<int> &source) const
  {
    PerLane<T> result;
    for (int lane = 0; lane < kWarp; ++lane) result[lane] = value[source[lane]];
    return result;
  }

  template <class T>
  T *Scratch() const
  {
    return reinterpret_cast<T *>(scratch_);
  }

private:
  char *scratch_;
  bool  backwards_;
};

/// A thread block emulated by the calling thread.
class EmulatedBlock {
public:
  EmulatedBlock(int threads, char *scratch, bool backwards) : threads_(threads), scratch_(scratch), backwards_(backwards) { }

  int threads() const { return threads_; }

  /// f(thread) for all threads.
  template <class F>
  void For(const F &f) const
  {
    for (int k = 0; k < threads_; ++k) f(backwards_ ? threads_ - 1 - k : k);
  }

  template <class T>
  T *Scratch() const
  {
    return reinterpret_cast<T *>(scratch_);
  }

private:
  int   threads_;
  char *scratch_;
  bool  backwards_;
};

class EmulatedDevice {
public:
  using memory_space              = ProtectedSpace;
  static constexpr bool on_host   = false;
  static inline bool    backwards = false; // items, warps and lanes in reverse order

  explicit EmulatedDevice(const Execution &execution) : workspace_(execution.workspace) { }

  template <class Functor>
  void ForThreads(const char *, std::int64_t n, const Functor &functor) const
  {
    const ProtectedMemory::Running running;
    for (std::int64_t k = 0; k < n; ++k) functor(Item(k, n));
  }
  template <class Functor>
  void For(const char *name, std::int64_t n, std::size_t, const Functor &functor) const
  {
    ForThreads(name, n, functor);
  }

  template <class Functor>
  void ForWarps(const char *, std::int64_t n, std::size_t scratch, const Functor &functor) const
  {
    WithScratch(n, scratch, [&](char *buffer, std::int64_t i) { functor(EmulatedWarp(buffer, backwards), i); });
  }

  template <class Functor>
  void ForBlocks(const char *, std::int64_t n, int threads, std::size_t scratch, const Functor &functor) const
  {
    WithScratch(n, scratch, [&](char *buffer, std::int64_t i) { functor(EmulatedBlock(threads, buffer, backwards), i); });
  }

  std::int64_t Threads() const { return 1000; } // so that there are matrices with fewer rows, and with more

  template <class Count>
  std::int64_t Sum(const char *name, std::int64_t n, const Count &count) const
  {
    const ProtectedMemory::Running running;
    return host_.Sum(name, n, count);
  }
  template <class Count>
  std::int64_t Scan(const char *name, std::int64_t n, const Count &count, std::int64_t *before) const
  {
    const ProtectedMemory::Running running;
    return host_.Scan(name, n, count, before);
  }

  template <class T>
  void CopyIn(T *to, const T *from, std::size_t n) const
  {
    const ProtectedMemory::Running running;
    host_.CopyIn(to, from, n);
  }
  template <class T>
  void CopyOut(T *to, const T *from, std::size_t n) const
  {
    CopyIn(to, from, n);
  }

  void Fence() const { }

  void *workspace() const { return workspace_; }

private:
  static std::int64_t Item(std::int64_t k, std::int64_t n) { return backwards ? n - 1 - k : k; }

  template <class F>
  static void WithScratch(std::int64_t n, std::size_t bytes, const F &f)
  {
    const ProtectedMemory::Running running;
    std::vector<std::max_align_t>  buffer(bytes / sizeof(std::max_align_t) + 1);
    for (std::int64_t k = 0; k < n; ++k) {
      std::memset(buffer.data(), 0xff, bytes); // nothing left of the previous item
      f(reinterpret_cast<char *>(buffer.data()), Item(k, n));
    }
  }

  OnHostMemory host_;
  void        *workspace_;
};

} // namespace petscspmv::test
