// What conversions and changes of values are compared with: the writing of memory, measured beside them.
#pragma once

#include "benchmarks/workers.hpp"
#include "mat/exec/host.hpp"

#include <cstddef>
#include <cstdint>
#include <new>
#include <petscsys.h>
#include <sys/mman.h>

namespace petscspmv::benchmarks {

/// Memory that nobody has used, and that leaves the heap as it is: what PETSc's types find there is none of ours.
template <class T>
class FreshMemory {
public:
  explicit FreshMemory(std::size_t n) :
    size_(n), data_(mmap(nullptr, n * sizeof(T) + 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
  {
    if (data_ == MAP_FAILED) throw std::bad_alloc();
  }
  FreshMemory(const FreshMemory &)            = delete;
  FreshMemory &operator=(const FreshMemory &) = delete;
  ~FreshMemory() { munmap(data_, size_ * sizeof(T) + 1); }

  T           *data() { return static_cast<T *>(data_); }
  std::int64_t size() const { return static_cast<std::int64_t>(size_); }

private:
  std::size_t size_;
  void       *data_;
};

/// Writes so many bytes for the first time, as a conversion writes its layout.
inline void WriteFresh(std::size_t bytes)
{
  FreshMemory<std::uint64_t> words(bytes / sizeof(std::uint64_t));
  ForWorkers("WriteFresh", words.size(), SetItems<std::uint64_t>{words.data(), 1});
}

/// Copies values to the same place again and again, as a refresh does at least.
class CopyBenchmark {
public:
  explicit CopyBenchmark(std::size_t values) : from_(values), to_(values)
  {
    Change();
    Pass();
  }

  /// New values.
  void Change() { ForWorkers("CopyBenchmarkChange", from_.size(), SetItems<PetscScalar>{from_.data(), PetscScalar(1)}); }

  void Pass() { ForWorkers("CopyBenchmark", from_.size(), Copy{from_.data(), to_.data()}); }

private:
  struct Copy {
    const PetscScalar *from;
    PetscScalar       *to;

    void operator()(std::int64_t i) const { to[i] = from[i]; }
  };

  FreshMemory<PetscScalar> from_, to_;
};

} // namespace petscspmv::benchmarks
