// A format for tests only: a copy of the CSR arrays, multiplied row by row. It shows what a format
// needs (this folder and its name in the list of formats), and has the transposed products that the
// machinery around it must handle and that not every format has.
#pragma once

#include "mat/format/array.hpp"
#include "mat/format/format.hpp"
#include "mat/format/scalar.hpp"

#include <array>
#include <cstring>

namespace petscspmv::csrcopy {

struct Csrcopy {
  static constexpr const char *alias  = "csrcopy";
  static constexpr const char *root   = "aijcsrcopy";
  static constexpr const char *symbol = "CSRCopy";
  static constexpr const char *title  = "CSRCopy";

  static constexpr std::array<const char *, 2> orders{"forward", "backward"};
  static constexpr std::array<OptionSpec, 2>   options{{
      {"order", "in which rows are multiplied", 0, 1, 0, orders},
      {"number", "a number without effect", 1, 100, 7},
  }};

  template <class Scalar, class Index, class Exec>
  struct Layout {
    Index         rows = 0, cols = 0;
    bool          backward = false;
    std::int64_t  number   = 0;
    Array<Index>  row_ptr, col_idx;
    Array<Scalar> val;
  };

  template <class Scalar, class Index, class Exec>
  static void Build(const Csr<Scalar, Index> &csr, const OptionValues &values, Layout<Scalar, Index, Exec> &layout)
  {
    layout.rows     = csr.rows;
    layout.cols     = csr.cols;
    layout.backward = values[0] == 1;
    layout.number   = values[1];
    layout.row_ptr  = Copy(csr.row_ptr, csr.rows + 1);
    layout.col_idx  = Copy(csr.col_idx, csr.nnz());
    layout.val      = Copy(csr.val, csr.nnz());
  }

  template <class Scalar, class Index, class Exec>
  static void Refresh(const Csr<Scalar, Index> &csr, Layout<Scalar, Index, Exec> &layout)
  {
    layout.val = Copy(csr.val, csr.nnz());
  }

  template <Op op, bool add, class Scalar, class Index, class Exec>
  static void Apply(const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
  {
    if constexpr (op == Op::N) {
      for (Index k = 0; k < layout.rows; ++k) {
        const Index row = layout.backward ? layout.rows - 1 - k : k;
        Scalar      sum = Scalar(0);
        for (Index e = layout.row_ptr[row]; e < layout.row_ptr[row + 1]; ++e) sum += Multiply(layout.val[e], x[layout.col_idx[e]]);
        Store<add>(y[row], sum);
      }
    } else {
      if constexpr (!add) {
        for (Index col = 0; col < layout.cols; ++col) y[col] = Scalar(0);
      }
      for (Index row = 0; row < layout.rows; ++row) {
        for (Index e = layout.row_ptr[row]; e < layout.row_ptr[row + 1]; ++e) y[layout.col_idx[e]] += Multiply(op == Op::H ? Conjugate(layout.val[e]) : layout.val[e], x[row]);
      }
    }
  }

  template <class Scalar, class Index, class Exec>
  static std::size_t Bytes(const Layout<Scalar, Index, Exec> &layout)
  {
    return layout.row_ptr.bytes() + layout.col_idx.bytes() + layout.val.bytes();
  }

  template <class Scalar, class Index, class Exec>
  static Stats Statistics(const Layout<Scalar, Index, Exec> &layout)
  {
    return {
      {"order", static_cast<double>(layout.backward), Stat::Parameter},
      {"number", static_cast<double>(layout.number), Stat::Parameter},
    };
  }

private:
  template <class T, class Index>
  static Array<T> Copy(const T *source, Index n)
  {
    Array<T> copy(static_cast<std::size_t>(n));
    if (n > 0) std::memcpy(copy.data(), source, copy.bytes());
    return copy;
  }
};

} // namespace petscspmv::csrcopy
