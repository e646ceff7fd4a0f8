// Sums the rows of a row block from its products in the worker's shared memory, one thread per row (paper, Algorithm 3, lines
// 11-20). For Algorithm 5, several threads per row, see row_sums.hpp.
#pragma once

#include "mat/arithmetic/row_sums.hpp"
#include "mat/arithmetic/store.hpp"

namespace petscspmv::ipcsr {

/// The longest rows for which RowsOfLength() is compiled.
inline constexpr int kShortRow = 8;

/// Sums the rows of `length` entries from `row` on; returns the first row of another length.
template <int length, bool add, class Scalar, class Index, class Y>
KOKKOS_FORCEINLINE_FUNCTION Index RowsOfLength(const Index *row_ptr, Index row, Index end, EntryProducts<Scalar> products,
                                               const Y &y)
{
  const Scalar *value = products.value + (row_ptr[row] - products.first);
  for (; row < end && row_ptr[row + 1] - row_ptr[row] == length; ++row, value += length) {
    Scalar sum = value[0];
    for (int i = 1; i < length; ++i) sum += value[i];
    Store<add>(y[row], sum);
  }
  return row;
}

/// RowsOfLength() for a length, 1 to `most`, known at run time.
template <int most, bool add, class Scalar, class Index, class Y>
KOKKOS_FORCEINLINE_FUNCTION Index RowsOfShortLength(Index length, const Index *row_ptr, Index row, Index end,
                                                    EntryProducts<Scalar> products, const Y &y)
{
  if (length == most) return RowsOfLength<most, add>(row_ptr, row, end, products, y);
  if constexpr (most > 1) return RowsOfShortLength<most - 1, add>(length, row_ptr, row, end, products, y);
  else return row;
}

/// Scalar-style: one thread per row, for nearly equal rows. On hosts rows are summed one after the other; runs of short rows of
/// the same length need no inner loop.
template <bool add, class Scalar, class Index, class Y>
KOKKOS_FORCEINLINE_FUNCTION void ScalarReduction(const Index *row_ptr, Index start, Index end, EntryProducts<Scalar> products,
                                                 const Y &y)
{
  for (Index row = start; row < end;) {
    const Index length = row_ptr[row + 1] - row_ptr[row];
    if (length >= 1 && length <= kShortRow) {
      row = RowsOfShortLength<kShortRow, add>(length, row_ptr, row, end, products, y);
    } else {
      const Scalar *value = products.value + (row_ptr[row] - products.first);
      Scalar        sum   = Scalar(0);
      for (Index i = 0; i < length; ++i) sum += value[i];
      Store<add>(y[row++], sum);
    }
  }
}

} // namespace petscspmv::ipcsr
