// The matrix as a format receives it: borrowed compressed sparse rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace petscspmv {

/// The three products of a matrix with a vector: A x, A^T x and A^H x.
enum class Op { N, T, H };

/// A rows x cols matrix in CSR. The caller owns the arrays. They are in the memory of the place where kernels run, and row pointers
/// are on the host as well. row_ptr[0] exists and is 0 even without rows.
template <class Scalar, class Index>
struct Csr {
  Index         rows         = 0;
  Index         cols         = 0;
  const Index  *row_ptr      = nullptr; // rows + 1 entries
  const Index  *col_idx      = nullptr; // nnz() entries, local column numbers
  const Scalar *val          = nullptr; // nnz() entries
  const Index  *host_row_ptr = row_ptr;

  Index nnz() const { return host_row_ptr[rows]; }
  Index NonemptyRows() const
  {
    Index n = 0;
    for (Index row = 0; row < rows; ++row) n += host_row_ptr[row] < host_row_ptr[row + 1];
    return n;
  }
  std::size_t EntryBytes() const { return static_cast<std::size_t>(nnz()) * (sizeof(Index) + sizeof(Scalar)); }
};

/// Several vectors, the columns of a dense matrix with leading dimension `ld`.
template <class T>
struct Vectors {
  T           *data  = nullptr;
  std::int64_t ld    = 0;
  std::int64_t count = 0;

  T      *operator[](std::int64_t k) const { return data + k * ld; }
  Vectors First(std::int64_t n) const { return {data, ld, n}; }
  Vectors From(std::int64_t k) const { return {data + k * ld, ld, count - k}; }

  /// A template, since nvcc would warn that Vectors<const T> never uses a conversion to itself.
  template <class U>
  requires(std::is_same_v<U, const T> && !std::is_const_v<T>) operator Vectors<U>() const { return {data, ld, count}; }
};

} // namespace petscspmv
