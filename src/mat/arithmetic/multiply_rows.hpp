// The product of some of a matrix's rows with a vector, by a plain loop.
#pragma once

#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/row_product.hpp"
#include "mat/arithmetic/store.hpp"
#include "mat/format/csr.hpp"

#include <algorithm>
#include <cstdint>

namespace petscspmv {

/// y = A x or, with `add`, y = v + A x or v - A x for the rows from `first` on. Each row is summed in the order of MatMult_SeqAIJ()
/// without nodes. If it `prefetches`, a line of values and its columns at the beginning of a row, since most rows are short, and
/// after each line of values.
template <bool add, bool prefetches, class Scalar, class Index, class Y>
void MultiplyRows(const Csr<Scalar, Index> &csr, Index first, const Scalar *x, const Y &y)
{
  constexpr Index    kLine = 64 / sizeof(Scalar), kAhead = Prefetch<true>::kAhead / sizeof(Scalar); // entries
  const Index *const row_ptr = csr.row_ptr, *const col_idx = csr.col_idx;
  const Scalar *const val  = csr.val;
  const Index         rows = csr.rows;
  for (Index row = first; row < rows; ++row) {
    const Index end = row_ptr[row + 1];
    Index       k   = row_ptr[row];
    Scalar      sum = 0;
    if constexpr (prefetches) {
      do {
        const Index last = std::min<Index>(k + kLine, end);
        PrefetchLine(reinterpret_cast<std::uintptr_t>(val + k) + kAhead * sizeof(Scalar));
        PrefetchLine(reinterpret_cast<std::uintptr_t>(col_idx + k) + kAhead * sizeof(Index));
        for (; k < last; ++k) sum += Multiply(val[k], x[col_idx[k]]);
      } while (k < end);
    } else {
      ForProducts(val, col_idx, k, end, x, [&](const Scalar &product) { sum += product; });
    }
    Store<add>(y[row], sum);
  }
}

} // namespace petscspmv
