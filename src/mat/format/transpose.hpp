// The transpose of a matrix in CSR, from which layouts of A^T are made.
#pragma once

#include "mat/exec/array.hpp"
#include "mat/format/csr.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace petscspmv {

/// About the bytes per nonzero that making a layout takes: those of its entries if it `copies` them, as many as AIJ's, and of
/// what a layout of A^T is made from, the arrays of A^T and their places in A.
template <class Scalar, class Index>
constexpr std::size_t BytesToMake(bool copies, bool of_transpose)
{
  constexpr std::size_t kEntry = sizeof(Scalar) + sizeof(Index);
  return (copies ? kEntry : 0) + (of_transpose ? kEntry + sizeof(Index) : 0);
}

/// A^T, with the entries of each row in the order of A's rows. The permutation of the entries is found once per nonzero pattern;
/// columns and values exist only while needed.
template <class Scalar, class Index>
class Transpose {
public:
  /// The arrays with the current values of `csr`; `pattern` is the digest of its row pointers and columns. Columns are filled only
  /// if `columns` and not kept from before.
  Csr<Scalar, Index> Take(const Csr<Scalar, Index> &csr, std::uint64_t pattern, bool columns)
  {
    const std::size_t nnz = static_cast<std::size_t>(csr.nnz());
    if (row_ptr_.size() == 0 || pattern != pattern_) {
      *this = {};
      FindPlaces(csr);
      pattern_ = pattern;
    }
    if (val_.size() != nnz) val_.Allocate(nnz);
    columns = columns && col_idx_.size() != nnz;
    if (columns) col_idx_.Allocate(nnz);
    for (Index row = 0; row < csr.rows; ++row) {
      for (Index e = csr.row_ptr[row]; e < csr.row_ptr[row + 1]; ++e) {
        val_[At(place_[At(e)])] = csr.val[e];
        if (columns) col_idx_[At(place_[At(e)])] = row;
      }
    }
    return {csr.cols, csr.rows, row_ptr_.data(), col_idx_.data(), val_.data()};
  }

  /// Frees columns and, if `values`, values, which layouts that do not borrow read only while they are built or refreshed. Values
  /// for repeated refreshes should stay: first touch of new memory would take as long as all the rest.
  void FreeEntries(bool values)
  {
    col_idx_.Allocate(0);
    if (values) val_.Allocate(0);
  }

  std::size_t Bytes() const { return row_ptr_.bytes() + place_.bytes() + col_idx_.bytes() + val_.bytes(); }

private:
  static std::size_t At(Index i) { return static_cast<std::size_t>(i); }

  /// A counting sort: counts the entries of each column, finds where each column begins, then assigns places in order.
  void FindPlaces(const Csr<Scalar, Index> &csr)
  {
    const Index  nnz = csr.nnz();
    Array<Index> next(At(csr.cols) + 1);
    place_.Allocate(At(nnz));
    std::fill_n(next.data(), At(csr.cols) + 1, Index(0));
    for (Index e = 0; e < nnz; ++e) ++next[At(csr.col_idx[e]) + 1];
    for (Index col = 0; col < csr.cols; ++col) next[At(col) + 1] += next[At(col)];
    row_ptr_.Allocate(next.size());
    std::copy_n(next.data(), next.size(), row_ptr_.data());
    for (Index e = 0; e < nnz; ++e) place_[At(e)] = next[At(csr.col_idx[e])]++;
  }

  Array<Index>  row_ptr_, place_, col_idx_;
  Array<Scalar> val_;
  std::uint64_t pattern_ = 0;
};

} // namespace petscspmv
