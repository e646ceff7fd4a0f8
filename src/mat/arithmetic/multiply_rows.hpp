// Some of a matrix's rows multiplied with by a plain loop.
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/format/csr.hpp"

namespace petscspmv {

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
