// Twins of the papers' matrices: of the same size and with the same row lengths, but with generated entries.
#pragma once

#include "matio/row_source.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace petscspmv::matio {

/// What the papers report about a matrix.
struct Twin {
  const char  *name;
  std::int64_t rows, cols, nonzeros;
  std::int64_t row_min, row_max; // of row lengths
  const char  *source;           // the papers' tables
};

std::span<const Twin> Twins();

/// The row lengths of a twin: one row has the least, one the largest, and the sum is the number of nonzeros. Of the nonzeros
/// beyond the least length, half go to long rows by a power law and half to all rows evenly. Their order is random.
std::vector<std::int64_t> TwinRowLengths(const Twin &twin);

/// A twin by its name. Rows of at most 8 times the average length are near the diagonal, others spread over all columns.
RowSource MakeTwin(const std::string &name);

} // namespace petscspmv::matio
