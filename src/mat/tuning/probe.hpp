// A measurement of the library's kernels on this processor.
#pragma once

#include <cstddef>
#include <vector>

namespace petscspmv {

/// Nanoseconds per nonzero, for a matrix in the L1 cache.
struct Probed {
  std::vector<std::vector<double>> of_formats; // in the order of Formats(), by target
  double                           of_rows;    // of a plain loop over the rows, as in AIJ
};

/// The medians of several samples of each target, which take turns. Fewer samples are taken if time runs out: choosing a target
/// must take less than a millisecond in total.
Probed Probe(const std::vector<std::size_t> &targets);

} // namespace petscspmv
