// Tiles with far more rows than entries, on devices.
#pragma once

#include "mat/arithmetic/rows.hpp"
#include "mat/exec/function.hpp"

#include <cstdint>

namespace petscspmv::speculative {

/// Whether a tile has far more rows than entries.
KOKKOS_INLINE_FUNCTION bool IsSparse(std::int64_t start, std::int64_t stop, std::int64_t entries)
{
  return stop - start > 8 * entries;
}

/// How many leading rows to clear before a product: the empty ones, which are in no tile; all rows if tiles may be sparse.
template <class Index>
Index RowsToClear(const Index *row_ptr, Index rows)
{
  std::int64_t empty = 0;
  const Index  first = RowOf(row_ptr, rows, Index{0});
  for (std::int64_t row = first; row < rows; ++row) empty += row_ptr[row] == row_ptr[row + 1];
  return IsSparse(0, empty + 2, 1) ? rows : first;
}

} // namespace petscspmv::speculative
