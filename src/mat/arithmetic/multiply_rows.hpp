// The product of some of a matrix's rows with a vector, by a plain loop.
#pragma once

#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/row_product.hpp"
#include "mat/arithmetic/store.hpp"
#include "mat/format/csr.hpp"

namespace petscspmv {

/// y = A x or, with `add`, y = v + A x or v - A x for the rows from `first` on. Each row is summed in the order of MatMult_SeqAIJ()
/// without nodes.
template <bool add, bool ahead, class Scalar, class Index, class Y>
void MultiplyRows(const Csr<Scalar, Index> &csr, Index first, const Scalar *x, const Y &y, const Prefetch<ahead> &prefetch)
{
  const Index *const row_ptr = csr.row_ptr;
  const Index        rows    = csr.rows;
  for (Index row = first; row < rows; ++row) {
    const Index begin = row_ptr[row], end = row_ptr[row + 1];
    Scalar      sum = 0;
    prefetch(csr.val + begin, end - begin);
    prefetch(csr.col_idx + begin, end - begin);
    ForProducts(csr.val, csr.col_idx, begin, end, x, [&](const Scalar &product) { sum += product; });
    Store<add>(y[row], sum);
  }
}

} // namespace petscspmv
