// Sizes beyond the memory: arrays that take room only where they are written to, and an execution space that works on
// the ends of them. With both a format's own code builds and multiplies matrices of 2^31 entries and more.
//
// To be included before the formats: their launches must see this ParallelFor().
#pragma once

#include "mat/format/array.hpp"
#include "mat/format/launch.hpp"

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace petscspmv::test {

struct VastSpace { };

/// Runs the first and the last `ends` items of every launch, and none between.
template <std::int64_t ends>
struct EndsExec {
  using memory_space = VastSpace;

  template <class Functor>
  static void Run(std::int64_t n, const Functor &functor)
  {
    for (std::int64_t i = 0; i < std::min(ends, n); ++i) functor(i);
    for (std::int64_t i = std::max(ends, n - ends); i < n; ++i) functor(i);
  }
};

} // namespace petscspmv::test

namespace petscspmv {

template <std::int64_t ends>
inline constexpr bool kOnHost<test::EndsExec<ends>> = true;
template <>
inline constexpr bool kHostMemory<test::VastSpace> = true;

template <class Exec, class Functor>
requires std::same_as<typename Exec::memory_space, test::VastSpace>
void ParallelFor(const char *, std::int64_t n, std::size_t, const Functor &functor)
{
  Exec::Run(n, functor);
}

/// Addresses of zeros. Reading takes no memory, writing takes that of the pages written to.
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

/// Lets all of the first n elements be written to: their pages are the same few over and over.
template <class T>
void FoldBefore(Vast<T> &array, std::size_t n)
{
  constexpr std::size_t kWindow = std::size_t{1} << 21;
  const int             file    = memfd_create("fold", 0);
  if (file < 0 || ftruncate(file, kWindow)) throw std::bad_alloc();
  char *begin = reinterpret_cast<char *>(array.data());
  for (std::size_t at = 0; at + kWindow <= n * sizeof(T); at += kWindow) {
    if (mmap(begin + at, kWindow, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file, 0) == MAP_FAILED) throw std::bad_alloc();
  }
  close(file);
}

} // namespace petscspmv::test
