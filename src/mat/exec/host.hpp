// Running kernels on the host: functors, sums, scans and copies.
#pragma once

#include "mat/exec/array.hpp"
#include "mat/exec/execution.hpp"
#include "mat/exec/function.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace petscspmv {

/// Calls functor(i) for i = begin .. end-1, in code for the target that instantiates this function.
template <class Functor>
void RunRange(const void *functor, std::int64_t begin, std::int64_t end)
{
  const Functor &f = *static_cast<const Functor *>(functor);
  for (std::int64_t i = begin; i < end; ++i) f(i);
}

/// Calls run(functor, begin, end) for consecutive ranges of 0 .. n-1, one per thread. Does nothing and returns false if no threads
/// are available.
bool LaunchRanges(const char *name, std::int64_t n, void (*run)(const void *, std::int64_t, std::int64_t), const void *functor);

/// Operations on arrays in host memory.
struct OnHostMemory {
  using memory_space = HostSpace;

  /// The sum of count(i) for i = 0 .. n-1.
  template <class Count>
  std::int64_t Sum(const char *, std::int64_t n, const Count &count) const
  {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += count(i);
    return sum;
  }

  /// Exclusive prefix sum: before[i] is the sum of count(k) for k < i, for i = 0 .. n. Returns before[n].
  template <class Count>
  std::int64_t Scan(const char *, std::int64_t n, const Count &count, std::int64_t *before) const
  {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t counted = count(i); // count may read before[i]
      before[i]                  = std::exchange(sum, sum + counted);
    }
    before[n] = sum;
    return sum;
  }

  /// Copies n items from the host to where the kernels run, and back. Blocks the calling thread.
  template <class T>
  void CopyIn(T *to, const T *from, std::size_t n) const
  {
    if (n > 0) std::memcpy(to, from, n * sizeof(T));
  }
  template <class T>
  void CopyOut(T *to, const T *from, std::size_t n) const
  {
    CopyIn(to, from, n);
  }

  /// Waits for all launched kernels.
  void Fence() const { }
};

/// The host processor, with its vector unit and caches.
class HostExec : public OnHostMemory {
public:
  static constexpr bool on_host = true;

  explicit HostExec(const Execution &execution) : execution_(execution) { }
  explicit HostExec(Execution &&) = delete; // only a reference is kept

  /// Calls functor(i) for i = 0 .. n-1, on all threads if there is enough `work` (total nonzeros), otherwise in a plain loop.
  /// Functors give the same bits either way.
  template <class Functor>
  void For(const char *name, std::int64_t n, std::size_t work, const Functor &functor) const
  {
    if (n > 1 && work >= execution_.launch_work && LaunchRanges(name, n, RunRange<Functor>, &functor)) return;
    RunRange<Functor>(&functor, 0, n);
  }

  /// Whether products prefetch a matrix of `bytes` bytes.
  bool Prefetches(std::size_t bytes) const
  {
    if (execution_.prefetching != Prefetching::Auto) return execution_.prefetching == Prefetching::On;
    return ExceedsCaches(bytes);
  }

  /// Whether a matrix of `bytes` bytes exceeds the cores' own caches.
  bool  ExceedsCaches(std::size_t bytes) const { return bytes / execution_.workers > execution_.own_cache; }
  void *workspace() const { return execution_.workspace; }

private:
  const Execution &execution_;
};

/// Whether kernels run on the host or on a device.
template <class Exec>
inline constexpr bool kOnHost = Exec::on_host;

/// The two kinds of Exec, for functions that a format defines once for each kind.
template <class Exec>
concept OnProcessor = Exec::on_host;
template <class Exec>
concept OnDevice = !Exec::on_host;

/// Fills an array with the items of a host container.
template <class Exec, class T, class Container>
void CopyIn(const Exec &exec, Array<T, typename Exec::memory_space> &to, const Container &from)
{
  to.Allocate(from.size());
  exec.CopyIn(to.data(), from.data(), from.size());
}

template <class Exec, class T>
Array<T> OnHost(const Exec &exec, const Array<T, typename Exec::memory_space> &from)
{
  Array<T> copy(from.size());
  exec.CopyOut(copy.data(), from.data(), from.size());
  return copy;
}

template <class Exec, class T>
T GetItem(const Exec &exec, const T *from)
{
  T item;
  exec.CopyOut(&item, from, 1);
  return item;
}

/// Counts true flags, for Sum().
template <class T>
struct CountTrue {
  const T *flag;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return flag[i]; }
};

template <class T>
struct SetItems {
  T *to;
  T  item;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = item; }
};

} // namespace petscspmv
