// A measurement of the library's kernels on this processor.
#pragma once

#include <cstddef>
#include <vector>

namespace petscspmv {

/// Nanoseconds a nonzero by format, in the order of Formats(), and by target, with a matrix in the nearest cache: the medians of
/// some samples of each target, which take turns. Fewer of them where time runs out: all that chooses a target shall take less than
/// a millisecond.
std::vector<std::vector<double>> Probe(const std::vector<std::size_t> &targets);

} // namespace petscspmv
