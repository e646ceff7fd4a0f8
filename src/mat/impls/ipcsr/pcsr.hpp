// y = A x and y = v + A x by PCSR, the predecessor of IPCSR (paper, section 3.2): one kernel computes all products, another sums
// them row by row. Kept as in the paper, where it is the baseline of comparisons.
#pragma once

#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/scratch.hpp"
#include "mat/arithmetic/store.hpp"
#include "mat/arithmetic/sum.hpp"
#include "mat/exec/host.hpp"
#include "mat/impls/ipcsr/layout.hpp"

#include <algorithm>

namespace petscspmv::ipcsr {

/// Entries per work item of kernel I.
inline constexpr int kEntriesPerItem = 4096;

/// Kernel I (Algorithm 1): temp = AA * x[JA].
template <bool ahead, class Scalar, class Index>
struct PcsrProducts {
  Csr<Scalar, Index> csr;
  std::int64_t       nnz;
  Prefetch<ahead>    prefetch;
  const Scalar      *x;
  Scalar            *temp;

  void operator()(std::int64_t item) const
  {
    const std::int64_t first = item * kEntriesPerItem;
    MultiplyEntries(csr.col_idx + first, csr.val + first, std::min<std::int64_t>(kEntriesPerItem, nnz - first), x, prefetch,
                    temp + first);
  }
};

/// Kernel II (Algorithm 2) for one block of nt rows: loads `temp` into the shared memory, SHARED_SIZE products at a time, and adds
/// those of each row to y.
template <bool add, class Scalar, class Index, class Y>
struct PcsrSums {
  const Index  *row_ptr;
  std::int64_t  rows;
  int           nt, shared_size;
  const Scalar *temp;
  Y             y;

  void operator()(std::int64_t block) const
  {
    const std::int64_t              start = block * nt, end = std::min(start + nt, rows), i_e = row_ptr[end];
    Scratch<Scalar, kMaxSharedSize> buffer;
    Scalar                         *temp_s = buffer.data();
    for (std::int64_t row = start; row < end && StoresEmpty<add>(y); ++row) StoreEmpty<add, Scalar>(y, row);
    std::int64_t row = start;
    for (std::int64_t i = row_ptr[start]; i < i_e; i += shared_size) {
      const std::int64_t size = std::min<std::int64_t>(shared_size, i_e - i);
      std::copy(temp + i, temp + i + size, temp_s);
      row = Reduce(row, end, i, size, temp_s);
    }
  }

private:
  /// Lines 19-25 for the rows with entries among i, ..., i + size - 1. Returns the row to go on with after these.
  std::int64_t Reduce(std::int64_t row, std::int64_t end, std::int64_t i, std::int64_t size, const Scalar *temp_s) const
  {
    for (; row < end && row_ptr[row] < i + size; ++row) {
      const std::int64_t row_s = std::max<std::int64_t>(row_ptr[row] - i, 0),
                         row_e = std::min<std::int64_t>(row_ptr[row + 1] - i, size);
      Scalar sum               = Scalar(0);
      for (std::int64_t j = row_s; j < row_e; ++j) sum += temp_s[j];
      AddToStored(y[row], sum);
      if (row_ptr[row + 1] > i + size) break;
    }
    return row;
  }
};

template <bool add, OnProcessor Exec, class Scalar, class Index, class Y>
void MultPcsr(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Y y)
{
  const std::int64_t nnz = layout.nnz, items = (nnz + kEntriesPerItem - 1) / kEntriesPerItem;
  Scalar            *temp = static_cast<Scalar *>(exec.workspace());
  WithPrefetch(exec, layout.csr.EntryBytes(), [&]<bool ahead>(Prefetch<ahead> prefetch) {
    exec.For("PCSRProducts", items, static_cast<std::size_t>(nnz),
             PcsrProducts<ahead, Scalar, Index>{layout.csr, nnz, prefetch, x, temp});
  });
  exec.For("PCSRSums", layout.Blocks(), static_cast<std::size_t>(nnz),
           PcsrSums<add, Scalar, Index, Y>{layout.csr.row_ptr, layout.csr.rows, layout.block_size, layout.shared_size, temp, y});
}

} // namespace petscspmv::ipcsr
