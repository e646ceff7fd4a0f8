// How the kernels of one layout run, where several ways give the same bits: its first products find the fastest.
#pragma once

#include "mat/exec/trial.hpp"
#include "mat/format/format.hpp"
#include "mat/impls/shadow/compat.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace petscspmv {

/// A target, and whether products prefetch. The process' target is the fastest where x is in the nearest cache, and to prefetch
/// where the matrix is large is a rule of thumb; what is better with one matrix depends on where its entries are.
struct Way {
  std::size_t target      = 0;
  Prefetching prefetching = Prefetching::Auto;

  bool operator==(const Way &) const = default;
};

/// The way of a layout on the processor. What the user has forced stays.
class LayoutWay {
public:
  LayoutWay() = default; // the process' settings
  /// Of a new layout. Where it borrows, its pattern's digest does not tell where its columns are.
  LayoutWay(const FormatInfo<PetscScalar, PetscInt> &format, std::uint64_t pattern, const Csr<PetscScalar, PetscInt> &csr);

  /// Makes an execution that of the next product.
  void SetIn(Execution &execution) const;

  /// Whether the time of a product by this execution is to be noted.
  bool Wants(const Execution &execution) const;

  /// Notes it. True if the way is decided now: layouts of the same pattern begin with it from now on.
  bool Note(double seconds);

  std::string Describe() const;

private:
  const Way &Current() const { return ways_[trial_.Way()]; }

  const void      *format_  = nullptr;
  std::uint64_t    pattern_ = 0;
  std::vector<Way> ways_; // the first: the process' settings
  Trial            trial_;
};

/// Layouts of this process whose products have decided, and those of them that run otherwise than by the process' settings.
struct WayCounts {
  PetscInt64 decided = 0, otherwise = 0;
};
WayCounts CountWays();
void      ForgetWays();

} // namespace petscspmv
