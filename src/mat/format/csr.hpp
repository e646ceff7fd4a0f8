// The matrix as a format receives it: compressed sparse rows, lent.
#pragma once

#include <cstddef>

namespace petscspmv {

/// The three products of a matrix with a vector: A x, A^T x and A^H x.
enum class Op { N, T, H };

/// A rows x cols matrix in CSR. The arrays belong to the lender and are where the kernels run, the row pointers on the host
/// as well; row_ptr[0] is there and 0, also without rows.
template <class Scalar, class Index>
struct Csr {
  Index         rows         = 0;
  Index         cols         = 0;
  const Index  *row_ptr      = nullptr; // rows + 1 entries
  const Index  *col_idx      = nullptr; // nnz() entries, local column numbers
  const Scalar *val          = nullptr; // nnz() entries
  const Index  *host_row_ptr = row_ptr;

  Index       nnz() const { return host_row_ptr[rows]; }
  std::size_t EntryBytes() const { return static_cast<std::size_t>(nnz()) * (sizeof(Index) + sizeof(Scalar)); }
};

} // namespace petscspmv
