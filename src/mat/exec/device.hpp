// Kernels on Kokkos' device: one thread, one warp or one block of threads per item.
//
// Vendors' platforms are named only in native.hpp, has_device.hpp, kokkos_start.cpp and staging.cpp, and in load.hpp and scalar.hpp
// of arithmetic. Kokkos handles all other differences.
#pragma once

#include "mat/exec/array.hpp"
#include "mat/exec/execution.hpp"
#include "mat/exec/has_device.hpp"
#include "mat/exec/host.hpp"
#include "mat/exec/memory_use.hpp"
#include "mat/exec/native.hpp"
#include "mat/exec/staging.hpp"
#include "mat/exec/team.hpp"

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <type_traits>

namespace petscspmv {

/// Kokkos' device, if kHasDevice.
using KokkosDevice = Kokkos::DefaultExecutionSpace;
#if defined(KOKKOS_IF_ON_DEVICE)
static_assert(kHasDevice != std::is_same_v<typename KokkosDevice::memory_space, Kokkos::HostSpace>);
#endif

template <>
struct Memory<DeviceSpace> {
  static void *Get(std::size_t bytes)
  {
    if (!AddArray(bytes)) throw NoMemory(bytes);
    try {
      return Kokkos::kokkos_malloc<typename KokkosDevice::memory_space>(bytes);
    } catch (const std::runtime_error &) { // thrown by Kokkos if memory is short
      RemoveArray(bytes);
      throw NoMemory(bytes);
    }
  }
  static void Free(void *data, std::size_t bytes)
  {
    RemoveArray(bytes);
    if (Kokkos::is_initialized()) Kokkos::kokkos_free<typename KokkosDevice::memory_space>(data);
  }
};

template <class Count>
struct AddCounts {
  Count count;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t &sum) const { sum += count(i); }
};

template <class Count>
struct ScanCounts {
  Count         count;
  std::int64_t  n;
  std::int64_t *before;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t &sum, bool last) const
  {
    if (last) before[i] = sum;
    if (i < n) sum += count(i);
  }
};

class DeviceExec {
public:
  using memory_space            = DeviceSpace;
  static constexpr bool on_host = false;

  explicit DeviceExec(const Execution &execution) :
    space_(execution.stream ? *static_cast<const KokkosDevice *>(execution.stream) : KokkosDevice()),
    workspace_(execution.workspace)
  {
  }

  /// functor(i) for i = 0 .. n-1, one thread each.
  template <class Functor>
  void ForThreads(const char *name, std::int64_t n, const Functor &functor) const
  {
    if (n > 0) Kokkos::parallel_for(name, Range(n), functor);
  }
  template <class Functor>
  void For(const char *name, std::int64_t n, std::size_t, const Functor &functor) const
  {
    ForThreads(name, n, functor);
  }

  /// functor(warp, i) for i = 0 .. n-1, one warp each, with `scratch` bytes of shared memory.
  template <class Functor>
  void ForWarps(const char *name, std::int64_t n, std::size_t scratch, const Functor &functor) const
  {
    if (n > 0) LaunchWarps(space_, name, n, scratch, functor);
  }

  /// functor(block, i) for i = 0 .. n-1, one block of `threads` threads each, with `scratch` bytes of shared memory.
  template <class Functor>
  void ForBlocks(const char *name, std::int64_t n, int threads, std::size_t scratch, const Functor &functor) const
  {
    if (n > 0) LaunchBlocks(space_, name, n, threads, scratch, functor);
  }

  /// The sum of count(i) for i = 0 .. n-1.
  template <class Count>
  std::int64_t Sum(const char *name, std::int64_t n, const Count &count) const
  {
    std::int64_t sum = 0;
    Kokkos::parallel_reduce(name, Range(n), AddCounts<Count>{count}, sum);
    return sum;
  }

  /// Exclusive prefix sum: before[i] is the sum of count(k) for k < i, for i = 0 .. n. Returns before[n].
  template <class Count>
  std::int64_t Scan(const char *name, std::int64_t n, const Count &count, std::int64_t *before) const
  {
    std::int64_t sum = 0;
    Kokkos::parallel_scan(name, Range(n + 1), ScanCounts<Count>{count, n, before}, sum);
    return sum;
  }

  /// Copies n items from the host to where the kernels run, and back. Blocks the calling thread, and waits for all streams.
  template <class T>
  void CopyIn(T *to, const T *from, std::size_t n) const
  {
    CopyToDevice(to, from, n * sizeof(T));
  }
  template <class T>
  void CopyOut(T *to, const T *from, std::size_t n) const
  {
    CopyFromDevice(to, from, n * sizeof(T));
  }

  /// Threads that the device runs at a time.
  std::int64_t Threads() const { return space_.concurrency(); }

  /// Waits for all launched kernels.
  void Fence() const { space_.fence(); }

  void *workspace() const { return workspace_; }

private:
  Kokkos::RangePolicy<KokkosDevice, Kokkos::IndexType<std::int64_t>> Range(std::int64_t n) const { return {space_, 0, n}; }

  KokkosDevice space_;
  void        *workspace_;
};

} // namespace petscspmv
