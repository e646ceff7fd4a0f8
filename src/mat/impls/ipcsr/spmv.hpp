// y = A x and y = v + A x by IPCSR (paper, section 4, Algorithms 7 to 9), host mapping: a worker takes one row block at a time,
// whose products stay in its L1 cache.
#pragma once

#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/row_sums.hpp"
#include "mat/arithmetic/scratch.hpp"
#include "mat/arithmetic/store.hpp"
#include "mat/arithmetic/sum.hpp"
#include "mat/exec/host.hpp"
#include "mat/impls/ipcsr/layout.hpp"
#include "mat/impls/ipcsr/reduction.hpp"

namespace petscspmv::ipcsr {

/// The product with one row block (Algorithm 9).
///
/// Line 7 there asks for fewer than SHARED_SIZE products, which would send a full block of several rows to the single-row kernel;
/// "at most" is meant.
template <bool add, bool ahead, class Scalar, class Index, class Y>
struct MultRowBlock {
  Csr<Scalar, Index> csr;
  const Index       *block_rows;
  const WarpsBlock  *warps_block;
  Prefetch<ahead>    prefetch;
  const Scalar      *x;
  Y                  y;

  void operator()(std::int64_t block) const
  {
    const Index        start = block_rows[block], end = block_rows[block + 1];
    const std::int64_t first_col = csr.row_ptr[start], nnz = csr.row_ptr[end] - first_col;
    if (nnz == 0 && !StoresEmpty<add>(y)) return; // as for most blocks of an off-diagonal matrix
    const Index  *col_idx = csr.col_idx + first_col;
    const Scalar *val     = csr.val + first_col;
    // One row: the long-row kernel (Algorithm 8). More entries than the buffer holds: row pointers changed without being reported.
    if (end - start == 1 || nnz > kMaxSharedSize) {
      for (Index row = start; row < end; ++row)
        Store<add>(y[row], SumOfProducts(csr.col_idx + csr.row_ptr[row], csr.val + csr.row_ptr[row],
                                         csr.row_ptr[row + 1] - csr.row_ptr[row], x, prefetch));
      return;
    }
    Scratch<Scalar, kMaxSharedSize + kReadBehind> buffer;
    Scalar                                       *temp_s = buffer.data();
    MultiplyEntries(col_idx, val, nnz, x, prefetch, temp_s); // the first stage (Algorithm 7, lines 6-8)
    for (int k = 0; k < kReadBehind; ++k) temp_s[nnz + k] = Scalar(0);
    const EntryProducts<Scalar> products{first_col, temp_s};
    if (warps_block[block].even())
      ScalarReduction<add>(csr.row_ptr, start, end, products, y); // rows of similar length: the branch at their ends is predicted
    else SumRows<add>(csr.row_ptr, start, end, nnz, products, y);
  }
};

template <bool add, OnProcessor Exec, class Scalar, class Index, class Y>
void Mult(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Y y)
{
  WithPrefetch(exec, layout.csr.EntryBytes(), [&]<bool ahead>(Prefetch<ahead> prefetch) {
    exec.For(
      "IPCSRMult", layout.Blocks(), static_cast<std::size_t>(layout.nnz),
      MultRowBlock<add, ahead, Scalar, Index, Y>{layout.csr, layout.block_rows.data(), layout.warps_block.data(), prefetch, x, y});
  });
}

} // namespace petscspmv::ipcsr
