// Memory that only an emulated device may access: a host that uses a pointer to it crashes, as it does with a device's.
#pragma once

#include "mat/exec/array.hpp"

#include <cstddef>
#include <cstring>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

namespace petscspmv {

namespace test {

struct ProtectedSpace { };

/// Whole pages for each allocation, which ends where they end, but for its alignment; the next page is nobody's.
class ProtectedMemory {
public:
  static void *Get(std::size_t bytes)
  {
    const std::size_t pages = (bytes + PageBytes() - 1) / PageBytes() * PageBytes();
    if (pages < bytes) throw NoMemory(bytes);
    void *const data = mmap(nullptr, pages + PageBytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data == MAP_FAILED || mprotect(data, pages, kOpen)) throw NoMemory(bytes);
    std::memset(data, 0xff, pages); // a device's memory is not zeros
    if (!running_) mprotect(data, pages, PROT_NONE);
    All()[static_cast<char *>(data)] = pages;
    return static_cast<char *>(data) + (pages - bytes) / kLine * kLine;
  }
  static void Free(void *data)
  {
    const auto of_data = --All().upper_bound(static_cast<char *>(data));
    munmap(of_data->first, of_data->second + PageBytes());
    All().erase(of_data);
  }

  /// While it lives, the emulated device runs.
  class Running {
  public:
    Running()
    {
      if (running_++ == 0) Protect(kOpen);
    }
    ~Running()
    {
      if (--running_ == 0) Protect(PROT_NONE);
    }
    Running(const Running &)            = delete;
    Running &operator=(const Running &) = delete;
  };

private:
  static constexpr int         kOpen = PROT_READ | PROT_WRITE;
  static constexpr std::size_t kLine = 64; // as all memory of layouts is aligned

  static std::size_t                    PageBytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
  static std::map<char *, std::size_t> &All() // by their first page
  {
    static std::map<char *, std::size_t> all;
    return all;
  }
  static void Protect(int access)
  {
    for (const auto &[data, pages] : All()) mprotect(data, pages, access);
  }

  static inline int running_ = 0;
};

} // namespace test

template <>
struct Memory<test::ProtectedSpace> {
  static void *Get(std::size_t bytes) { return test::ProtectedMemory::Get(bytes); }
  static void  Free(void *data, std::size_t) { test::ProtectedMemory::Free(data); }
};

} // namespace petscspmv
