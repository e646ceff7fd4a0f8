// The matrix as a format receives it: compressed sparse rows, lent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

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

/// Several vectors, the columns of a dense matrix: `ld` numbers lie from one to the next.
template <class T>
struct Vectors {
  T           *data  = nullptr;
  std::int64_t ld    = 0;
  std::int64_t count = 0;

  T      *operator[](std::int64_t k) const { return data + k * ld; }
  Vectors First(std::int64_t n) const { return {data, ld, n}; }
  Vectors From(std::int64_t k) const { return {data + k * ld, ld, count - k}; }

  /// A template, since nvcc warns of a conversion of Vectors<const T> to itself although it takes no part.
  template <class U>
  requires(std::is_same_v<U, const T> && !std::is_const_v<T>) operator Vectors<U>() const { return {data, ld, count}; }
};

} // namespace petscspmv
