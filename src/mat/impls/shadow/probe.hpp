// A measurement of the library's kernels on this processor.
#pragma once

#include <cstddef>
#include <vector>

namespace petscspmv {

/// Nanoseconds a nonzero with a matrix in the nearest cache.
struct Probed {
  std::vector<std::vector<double>> of_formats; // in the order of Formats(), by target
  double                           of_rows;    // of a plain loop over the rows, as AIJ's
};

/// The medians of some samples of each target, which take turns. Fewer of them where time runs out: all that chooses a target
/// shall take less than a millisecond.
Probed Probe(const std::vector<std::size_t> &targets);

} // namespace petscspmv
