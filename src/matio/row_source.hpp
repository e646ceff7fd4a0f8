// A matrix known row by row, its values, and its generation, without PETSc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace petscspmv::matio {

/// A number in [0, 1) that depends only on a row and a position in it.
double RandomAt(std::int64_t row, std::int64_t place);

/// The value of an entry, by its row, its column and the columns of the row.
using EntryValue = std::function<double(std::int64_t row, std::int64_t col, std::span<const std::int64_t> columns)>;

/// How a matrix gets its values. By default they are random reals in [-1, 1).
struct EntryRule {
  const char *name; // random
  const char *help;
  double (*value)(std::int64_t row, std::int64_t col, std::span<const std::int64_t> columns); // see EntryValue
};

/// All rules, the default one first.
std::span<const EntryRule> EntryRules();

/// A matrix known row by row, so that every process generates its own rows, always the same.
struct RowSource {
  std::int64_t                                                   rows, cols;
  std::function<void(std::int64_t, std::vector<std::int64_t> &)> columns; // of a row, ascending, into an empty vector
  EntryValue                                                     value = EntryRules().front().value;
  std::int64_t                                                   block = 1; // unknowns of a node, whose rows are neighbours
};

/// A name is invalid, or its numbers are out of range.
struct FamilyError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

/// Rows of a matrix in CSR; the first one is row 0 of row_ptr.
template <class Scalar, class Index>
struct GeneratedRows {
  std::vector<Index>  row_ptr{0}, col_idx;
  std::vector<Scalar> val;
};

/// The rows begin .. end-1. Throws FamilyError if Index cannot count their nonzeros, or if there are more than `most`.
template <class Scalar, class Index>
GeneratedRows<Scalar, Index> Generate(const RowSource &source, std::int64_t begin, std::int64_t end,
                                      std::size_t most = std::numeric_limits<std::size_t>::max())
{
  GeneratedRows<Scalar, Index> rows;
  std::vector<std::int64_t>    columns;
  for (std::int64_t row = begin; row < end; ++row) {
    columns.clear();
    source.columns(row, columns);
    if (rows.col_idx.size() + columns.size() > static_cast<std::size_t>(std::numeric_limits<Index>::max()))
      throw FamilyError("too many nonzeros for " + std::to_string(8 * sizeof(Index)) + "-bit indices");
    if (rows.col_idx.size() + columns.size() > most) throw FamilyError("there is no memory for so many nonzeros");
    for (std::int64_t col : columns) {
      rows.col_idx.push_back(static_cast<Index>(col));
      rows.val.push_back(static_cast<Scalar>(source.value(row, col, columns)));
    }
    rows.row_ptr.push_back(static_cast<Index>(rows.col_idx.size()));
  }
  return rows;
}

/// `count` different columns in [begin, end), ascending: one from each of `count` equal parts. count <= end - begin.
void SpreadColumns(std::int64_t row, std::int64_t count, std::int64_t begin, std::int64_t end, std::vector<std::int64_t> &columns);

} // namespace petscspmv::matio
