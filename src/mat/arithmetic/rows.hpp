// The row of an entry.
#pragma once

#include "mat/exec/function.hpp"

#include <cstdint>

namespace petscspmv {

/// The last row of 0..rows with row_ptr[row] <= entry: the row that holds the entry, or `rows` if entry is row_ptr[rows].
template <class Index>
KOKKOS_INLINE_FUNCTION Index RowOf(const Index *row_ptr, Index rows, Index entry)
{
  std::int64_t low = 0, high = std::int64_t{rows} + 1; // row_ptr[low] <= entry; high > rows or row_ptr[high] > entry
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    if (row_ptr[middle] <= entry) low = middle;
    else high = middle;
  }
  return static_cast<Index>(low);
}

} // namespace petscspmv
