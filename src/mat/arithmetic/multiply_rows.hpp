// Some of a matrix's rows: as a matrix of their own, and multiplied with by a plain loop.
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/format/csr.hpp"

#include <cstddef>
#include <vector>

namespace petscspmv {

/// The matrix of rows first .. last - 1, whose row pointers are written to `row_ptr`.
template <class Scalar, class Index>
Csr<Scalar, Index> RowsOf(const Csr<Scalar, Index> &csr, Index first, Index last, std::vector<Index> &row_ptr)
{
  const Index begin = csr.row_ptr[first];
  row_ptr.assign(csr.row_ptr + first, csr.row_ptr + last + 1);
  for (Index &at : row_ptr) at -= begin;
  return {last - first, csr.cols, row_ptr.data(), csr.col_idx + begin, csr.val + begin};
}

/// y = A x, or y += A x, for the rows from `first` on, by the loop of MatMult_SeqAIJ() without nodes.
template <bool add, class Scalar, class Index>
void MultiplyRows(const Csr<Scalar, Index> &csr, Index first, const Scalar *x, Scalar *y)
{
  for (Index row = first; row < csr.rows; ++row) {
    Scalar sum = 0;
    for (Index k = csr.row_ptr[row]; k < csr.row_ptr[row + 1]; ++k) sum += Multiply(csr.val[k], x[csr.col_idx[k]]);
    Store<add>(y[row], sum);
  }
}

} // namespace petscspmv
