// A format for tests only: a copy of the CSR arrays, multiplied row by row. It shows what a format
// needs (this folder and its name in the list of formats), and has the transposed products that the
// machinery around it must handle and that not every format has.
#pragma once

#include "mat/format/array.hpp"
#include "mat/format/format.hpp"
#include "mat/format/scalar.hpp"

#include <algorithm>
#include <array>

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
    Index               rows = 0, cols = 0;
    bool                backward = false;
    std::int64_t        number   = 0;
    Array<std::int64_t> row_ptr;
    Array<Index>        col_idx;
    Array<Scalar>       val;
  };

  template <class Scalar, class CsrIndex, class Index, class Exec>
  static void Build(const Csr<Scalar, CsrIndex> &csr, const OptionValues &values, Layout<Scalar, Index, Exec> &layout)
  {
    layout.rows     = static_cast<Index>(csr.rows);
    layout.cols     = static_cast<Index>(csr.cols);
    layout.backward = values[0] == 1;
    layout.number   = values[1];
    Copy(csr.row_ptr, std::int64_t{csr.rows} + 1, layout.row_ptr);
    Copy(csr.col_idx, csr.nnz(), layout.col_idx);
    Copy(csr.val, csr.nnz(), layout.val);
  }

  template <class Scalar, class CsrIndex, class Index, class Exec>
  static void Refresh(const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
  {
    Copy(csr.val, csr.nnz(), layout.val);
  }

  template <Op op, bool add, class Scalar, class Index, class Exec>
  static void Apply(const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
  {
    const std::int64_t *row_ptr = layout.row_ptr.data();
    const Index        *col_idx = layout.col_idx.data();
    const Scalar       *val     = layout.val.data();
    if constexpr (op == Op::N) {
      for (Index k = 0; k < layout.rows; ++k) {
        const Index row = layout.backward ? layout.rows - 1 - k : k;
        Scalar      sum = Scalar(0);
        for (std::int64_t e = row_ptr[row]; e < row_ptr[row + 1]; ++e) sum += Multiply(val[e], x[col_idx[e]]);
        Store<add>(y[row], sum);
      }
    } else {
      if constexpr (!add) {
        for (Index col = 0; col < layout.cols; ++col) y[col] = Scalar(0);
      }
      for (Index row = 0; row < layout.rows; ++row) {
        for (std::int64_t e = row_ptr[row]; e < row_ptr[row + 1]; ++e) y[col_idx[e]] += Multiply(op == Op::H ? Conjugate(val[e]) : val[e], x[row]);
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
  template <class From, class To>
  static void Copy(const From *source, std::int64_t n, Array<To> &copy)
  {
    copy.Allocate(static_cast<std::size_t>(n));
    std::transform(source, source + n, copy.data(), [](const From &from) { return static_cast<To>(from); });
  }
};

} // namespace petscspmv::csrcopy
