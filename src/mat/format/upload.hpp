// A device copy of a matrix's CSR arrays.
#pragma once

#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"

#include <cstddef>

namespace petscspmv {

template <class Scalar, class Index, class Exec>
class Upload {
public:
  /// The matrix with its arrays where Exec's kernels run. Columns are copied only if `columns`.
  Csr<Scalar, Index> Take(const Exec &exec, const Csr<Scalar, Index> &host, bool columns)
  {
    const std::size_t rows = static_cast<std::size_t>(host.rows), nnz = static_cast<std::size_t>(host.nnz());
    Copy(exec, row_ptr_, host.row_ptr, rows + 1);
    if (columns) Copy(exec, col_idx_, host.col_idx, nnz);
    Copy(exec, val_, host.val, nnz);
    return {host.rows, host.cols, row_ptr_.data(), col_idx_.data(), val_.data(), host.host_row_ptr};
  }

  void        Free() { *this = Upload(); }
  std::size_t Bytes() const { return row_ptr_.bytes() + col_idx_.bytes() + val_.bytes(); }

private:
  using Space = typename Exec::memory_space;

  template <class T>
  static void Copy(const Exec &exec, Array<T, Space> &to, const T *from, std::size_t n)
  {
    if (to.size() != n) to.Allocate(n);
    exec.CopyIn(to.data(), from, n);
  }

  Array<Index, Space>  row_ptr_, col_idx_;
  Array<Scalar, Space> val_;
};

} // namespace petscspmv
