// A measurement of the library's kernels on this processor.
#pragma once

#include "mat/exec/execution.hpp"
#include "mat/format/csr.hpp"
#include "mat/registry/registry.hpp"
#include "petsc/compat.hpp"

#include <cstddef>
#include <vector>

namespace petscspmv {

/// A small matrix, to time kernels with. Matrix and vectors fit in an L1 cache, where targets differ most. Time few kernels:
/// loading a kernel's code takes longer than running it.
class Probe {
public:
  Probe();

  /// Nanoseconds per nonzero with a format, by target: medians of samples, for which the targets take turns.
  std::vector<double> Measure(const PetscFormat &format, const std::vector<std::size_t> &targets);

  /// The same for a plain loop over the rows, as in AIJ, which took turns with the targets.
  double OfRows() { return Median(of_rows_); }

private:
  static double Median(std::vector<double> &samples);

  template <class Product>
  double Sample(const Product &multiply) const;

  Csr<PetscScalar, PetscInt> Arrays() const;

  std::vector<PetscInt>    row_ptr_{0}, col_idx_;
  std::vector<PetscScalar> val_, x_, y_;
  Execution                execution_;
  std::vector<double>      of_rows_; // samples
};

} // namespace petscspmv
