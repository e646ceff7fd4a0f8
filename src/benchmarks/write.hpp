// What bounds conversions and changes of values: the writing of memory, measured beside them.
#pragma once

#include "mat/format/array.hpp"
#include "mat/format/device.hpp"
#include "mat/format/launch.hpp"

#include <cstddef>
#include <cstdint>
#include <petscsys.h>

namespace petscspmv::benchmarks {

/// Writes so many bytes of memory that nobody has used, as a conversion writes its layout, by as many threads.
inline void WriteFresh(std::size_t bytes)
{
  Array<std::uint64_t> words(bytes / sizeof(std::uint64_t) + 1);
  ParallelFor<HostExec>("WriteFresh", static_cast<std::int64_t>(words.size()), words.size(), SetItems<std::uint64_t>{words.data(), 1});
}

/// Copies values to the same place again and again, as a refresh does at least.
class CopyBenchmark {
public:
  explicit CopyBenchmark(std::size_t values) :
    from_(values), to_(values)
  {
    Change();
    Pass();
  }

  /// New values.
  void Change() { ForAll("CopyBenchmarkChange", SetItems<PetscScalar>{from_.data(), PetscScalar(1)}); }

  void Pass() { ForAll("CopyBenchmark", Copy{from_.data(), to_.data()}); }

private:
  struct Copy {
    const PetscScalar *from;
    PetscScalar       *to;

    void operator()(std::int64_t i) const { to[i] = from[i]; }
  };

  template <class Functor>
  void ForAll(const char *name, const Functor &functor)
  {
    ParallelFor<HostExec>(name, static_cast<std::int64_t>(from_.size()), from_.size(), functor);
  }

  Array<PetscScalar> from_, to_;
};

} // namespace petscspmv::benchmarks
