// 64-bit indices as 32-bit ones, where a matrix allows it: a third less memory to read in products.
#pragma once

#include "mat/format/array.hpp"
#include "mat/format/csr.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace petscspmv {

/// Whether 32 bits are enough for the indices of a matrix.
constexpr bool FitsNarrow(std::int64_t rows, std::int64_t cols, std::int64_t nnz)
{
  return std::max({rows, cols, nnz}) < std::numeric_limits<std::int32_t>::max();
}

/// A copy of a matrix' row pointers and, for a build, its columns. The values stay with their owner.
template <class Scalar>
class NarrowCsr {
public:
  template <class Wide>
  NarrowCsr(const Csr<Scalar, Wide> &wide, bool columns) :
    row_ptr_(static_cast<std::size_t>(wide.rows) + 1), col_idx_(columns ? static_cast<std::size_t>(wide.nnz()) : 0)
  {
    std::transform(wide.row_ptr, wide.row_ptr + wide.rows + 1, row_ptr_.data(), Narrow<Wide>);
    if (columns) std::transform(wide.col_idx, wide.col_idx + wide.nnz(), col_idx_.data(), Narrow<Wide>);
    csr_ = {Narrow(wide.rows), Narrow(wide.cols), row_ptr_.data(), col_idx_.data(), wide.val};
  }

  const Csr<Scalar, std::int32_t> &csr() const { return csr_; }

private:
  template <class Wide>
  static std::int32_t Narrow(Wide index)
  {
    return static_cast<std::int32_t>(index);
  }

  Array<std::int32_t>       row_ptr_, col_idx_;
  Csr<Scalar, std::int32_t> csr_;
};

} // namespace petscspmv
