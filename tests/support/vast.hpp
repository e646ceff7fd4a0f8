// Sizes beyond the memory: arrays that take memory only where they are written, and an execution space that processes only their
// ends. With both, a format's own code builds and multiplies matrices of 2^31 entries and more.
#pragma once

#include "mat/exec/array.hpp"
#include "mat/exec/host.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace petscspmv::test {

struct VastSpace { };

/// Runs the first and the last `ends` items of every launch, and none in between; all items of launches with negligible work.
template <std::int64_t ends>
class EndsExec : public OnHostMemory {
public:
  using memory_space            = VastSpace;
  static constexpr bool on_host = true;

  explicit EndsExec(const Execution &execution) : workspace_(execution.workspace) { }

  template <class Functor>
  void For(const char *, std::int64_t n, std::size_t work, const Functor &functor) const
  {
    const std::int64_t some = work > 0 ? ends : n;
    for (std::int64_t i = 0; i < std::min(some, n); ++i) functor(i);
    for (std::int64_t i = std::max(some, n - some); i < n; ++i) functor(i);
  }

  bool  ExceedsCaches(std::size_t) const { return true; }
  bool  Prefetches(std::size_t) const { return true; } // beyond the ends of arrays, which does no harm
  void *workspace() const { return workspace_; }

private:
  void *workspace_;
};

} // namespace petscspmv::test

namespace petscspmv {

template <>
inline constexpr bool kHostMemory<test::VastSpace> = true;

/// Addresses of zeros. Reading takes no memory; writing takes the pages written to.
template <>
struct Memory<test::VastSpace> {
  static void *Get(std::size_t bytes)
  {
    void *data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) throw std::bad_alloc();
    madvise(data, bytes, MADV_HUGEPAGE); // 512 times as few page faults
    return data;
  }
  static void Free(void *data, std::size_t bytes) { munmap(data, bytes); }
};

} // namespace petscspmv

namespace petscspmv::test {

template <class T>
using Vast = Array<T, VastSpace>;

/// Makes all of the first n elements writable: they share a few physical pages.
template <class T>
void FoldBefore(Vast<T> &array, std::size_t n)
{
  constexpr std::size_t kWindow = std::size_t{1} << 21;
  const int             file    = memfd_create("fold", 0);
  if (file < 0 || ftruncate(file, kWindow)) throw std::bad_alloc();
  char *begin = reinterpret_cast<char *>(array.data());
  for (std::size_t at = 0; at + kWindow <= n * sizeof(T); at += kWindow) {
    if (mmap(begin + at, kWindow, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file, 0) == MAP_FAILED)
      throw std::bad_alloc();
  }
  close(file);
}

} // namespace petscspmv::test
