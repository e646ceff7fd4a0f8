// How a functor reaches a device: one item a thread, a warp or a block of threads.
//
// Nothing but native.hpp names a make of devices. What differs between them is Kokkos' affair.
#pragma once

#include "mat/format/array.hpp"
#include "mat/format/stream.hpp"
#include "mat/format/team.hpp"
#include "mat/format/warp.hpp"

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace petscspmv {

/// A device that the calling thread plays, for tests of kernels where there is none.
struct EmulatedDevice {
  using memory_space = Kokkos::HostSpace;

  static inline bool backwards = false; // items, warps and lanes from the last to the first
};

/// functor(i) for i = 0 .. n-1 by a thread each.
template <class Exec, class Functor>
void ForThreads(const char *name, std::int64_t n, const Functor &functor)
{
  if constexpr (std::is_same_v<Exec, EmulatedDevice>) {
    for (std::int64_t k = 0; k < n; ++k) functor(EmulatedDevice::backwards ? n - 1 - k : k);
  } else if (n > 0) {
    Kokkos::parallel_for(name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(Stream<Exec>::Current(), 0, n), functor);
  }
}

/// functor(warp, i) for i = 0 .. n-1 by a warp each, with `scratch` bytes of its own in the nearest memory.
template <class Exec, class Functor>
void ForWarps(const char *name, std::int64_t n, std::size_t scratch, const Functor &functor)
{
  if constexpr (std::is_same_v<Exec, EmulatedDevice>) {
    std::vector<std::max_align_t> room(scratch / sizeof(std::max_align_t) + 1);
    for (std::int64_t k = 0; k < n; ++k) {
      std::memset(room.data(), 0xff, scratch); // nobody's
      functor(EmulatedWarp(reinterpret_cast<char *>(room.data()), EmulatedDevice::backwards), EmulatedDevice::backwards ? n - 1 - k : k);
    }
  } else if (n > 0) {
    LaunchWarps<Exec>(name, n, scratch, functor);
  }
}

/// functor(block, i) for i = 0 .. n-1 by a block of `threads` threads each, with `scratch` bytes of its own.
template <class Exec, class Functor>
void ForBlocks(const char *name, std::int64_t n, int threads, std::size_t scratch, const Functor &functor)
{
  if constexpr (std::is_same_v<Exec, EmulatedDevice>) {
    std::vector<std::max_align_t> room(scratch / sizeof(std::max_align_t) + 1);
    for (std::int64_t k = 0; k < n; ++k) {
      std::memset(room.data(), 0xff, scratch);
      functor(EmulatedBlock(threads, reinterpret_cast<char *>(room.data()), EmulatedDevice::backwards), EmulatedDevice::backwards ? n - 1 - k : k);
    }
  } else if (n > 0) {
    LaunchBlocks<Exec>(name, n, threads, scratch, functor);
  }
}

template <class Count>
struct AddCounts {
  Count count;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t &sum) const { sum += count(i); }
};

/// The sum of count(i) for i = 0 .. n-1.
template <class Exec, class Count>
std::int64_t SumOf(const char *name, std::int64_t n, const Count &count)
{
  std::int64_t sum = 0;
  if constexpr (kHostMemory<typename Exec::memory_space>) {
    for (std::int64_t i = 0; i < n; ++i) sum += count(i);
  } else {
    Kokkos::parallel_reduce(name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(Stream<Exec>::Current(), 0, n), AddCounts<Count>{count}, sum);
  }
  return sum;
}

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

/// before[i] is the sum of count(k) for k < i, for i = 0 .. n. Returns before[n].
template <class Exec, class Count>
std::int64_t ScanOf(const char *name, std::int64_t n, const Count &count, std::int64_t *before)
{
  std::int64_t sum = 0;
  if constexpr (kHostMemory<typename Exec::memory_space>) {
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t counted = count(i); // may stand in before[i]
      before[i]                  = std::exchange(sum, sum + counted);
    }
    before[n] = sum;
  } else {
    Kokkos::parallel_scan(name, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(Stream<Exec>::Current(), 0, n + 1), ScanCounts<Count>{count, n, before}, sum);
  }
  return sum;
}

template <class ToSpace, class FromSpace, class T>
void CopyBetween(T *to, const T *from, std::size_t n)
{
  if constexpr (kHostMemory<ToSpace> && kHostMemory<FromSpace>) {
    std::copy(from, from + n, to);
  } else if (n > 0) {
    using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
    Kokkos::deep_copy(Kokkos::View<T *, ToSpace, Unmanaged>(to, n), Kokkos::View<const T *, FromSpace, Unmanaged>(from, n));
  }
}

/// Copies n items from the host to where Exec's kernels are, and back. The calling thread waits.
template <class Exec, class T>
void CopyIn(T *to, const T *from, std::size_t n)
{
  CopyBetween<typename Exec::memory_space, Kokkos::HostSpace>(to, from, n);
}

template <class Exec, class T>
void CopyOut(T *to, const T *from, std::size_t n)
{
  CopyBetween<Kokkos::HostSpace, typename Exec::memory_space>(to, from, n);
}

/// An array with the items of a container of the host.
template <class Exec, class T, class Container>
void CopyIn(Array<T, typename Exec::memory_space> &to, const Container &from)
{
  to.Allocate(from.size());
  CopyIn<Exec>(to.data(), from.data(), from.size());
}

template <class Exec, class T>
Array<T> OnHost(const Array<T, typename Exec::memory_space> &from)
{
  Array<T> copy(from.size());
  CopyOut<Exec>(copy.data(), from.data(), from.size());
  return copy;
}

template <class Exec, class T>
T GetItem(const T *from)
{
  T item;
  CopyOut<Exec>(&item, from, 1);
  return item;
}

/// Waits for what has been launched.
template <class Exec>
void Fence()
{
  if constexpr (!kHostMemory<typename Exec::memory_space>) Stream<Exec>::Current().fence();
}

template <class T>
struct SetItems {
  T *to;
  T  item;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = item; }
};

} // namespace petscspmv
