// Twins of the matrices in the papers: as large, with rows as long, but of entries of our own.
#pragma once

#include "matio/families.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace petscspmv::matio {

/// What the papers tell of a matrix.
struct Twin {
  const char  *name;
  std::int64_t rows, cols, nonzeros;
  std::int64_t row_min, row_max; // of row lengths
  const char  *source;           // the papers' tables
};

std::span<const Twin> Twins();

/// Lengths of a twin's rows: one has the least, one the largest, and the sum is the number of nonzeros. Of those that
/// the least length leaves, half go to long rows by a power law and half to all rows alike. Their order is random.
std::vector<std::int64_t> TwinRowLengths(const Twin &twin);

/// A twin by its name. Rows of at most 8 times the average length lie about the diagonal, others all across.
RowSource MakeTwin(const std::string &name);

} // namespace petscspmv::matio
