// From entries to rows.
#pragma once

#include "mat/exec/function.hpp"

#include <cstdint>

namespace petscspmv {

/// The last of 0..rows that begins at or before `entry`: the nonempty row that holds it, or `rows` for the end of the entries.
template <class Index>
KOKKOS_INLINE_FUNCTION Index RowOf(const Index *row_ptr, Index rows, Index entry)
{
  std::int64_t low = 0, high = std::int64_t{rows} + 1; // row_ptr[low] <= entry; high is past it or past the end
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    if (row_ptr[middle] <= entry) low = middle;
    else high = middle;
  }
  return static_cast<Index>(low);
}

} // namespace petscspmv
