// A format for tests only: a copy of the CSR arrays, multiplied row by row. It shows what a format needs (this folder and its name
// in the list of formats), and has transposed products, which the shadow machinery must handle and not every format has.
#pragma once

#include "mat/arithmetic/load.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/exec/array.hpp"
#include "mat/format/csr.hpp"
#include "mat/format/options.hpp"

#include <array>
#include <cstdint>

namespace petscspmv::csrcopy {

template <class From, class To>
struct CopyItems {
  const From *from;
  To         *to;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to[i] = static_cast<To>(from[i]); }
};

/// The whole product, by one worker.
template <Op op, bool add, class Scalar, class Index>
struct MultiplyAll {
  Index               rows, cols;
  bool                backward;
  const std::int64_t *row_ptr;
  const Index        *col_idx;
  const Scalar       *val, *x;
  Scalar             *y;

  KOKKOS_FUNCTION void operator()(std::int64_t) const
  {
    for (Index col = 0; op != Op::N && !add && col < cols; ++col) y[col] = Scalar(0);
    for (Index k = 0; k < rows; ++k) {
      const Index row = backward ? rows - 1 - k : k;
      Scalar      sum = Scalar(0);
      for (std::int64_t e = row_ptr[row]; e < row_ptr[row + 1]; ++e) {
        if constexpr (op == Op::N) sum = PlusProduct(sum, val[e], x[col_idx[e]]);
        else y[col_idx[e]] = PlusProduct(y[col_idx[e]], op == Op::H ? Conjugate(val[e]) : val[e], x[row]);
      }
      if constexpr (op == Op::N) Store<add>(y[row], sum);
    }
  }
};

struct Csrcopy {
  static constexpr const char *alias  = "csrcopy";
  static constexpr const char *root   = "aijcsrcopy";
  static constexpr const char *symbol = "CSRCopy";
  static constexpr const char *title  = "CSRCopy";

  static constexpr std::array<const char *, 2> orders{"forward", "backward"};
  enum Option { kOrder, kNumber };
  static constexpr auto options = ByEnumerator<kNumber, OptionSpec>({
    {kOrder, {.key = "order", .help = "in which rows are multiplied", .initial = 0, .names = orders}},
    {kNumber, {.key = "number", .help = "a number without effect", .lower = 1, .upper = 100, .initial = 7}},
  });

  template <class Scalar, class Index, class Exec>
  struct Layout {
    using Space = typename Exec::memory_space;

    Index                      rows = 0, cols = 0;
    bool                       backward = false;
    std::int64_t               number   = 0;
    Array<std::int64_t, Space> row_ptr;
    Array<Index, Space>        col_idx;
    Array<Scalar, Space>       val;
  };

  template <class Exec, class Scalar, class CsrIndex, class Index>
  static void Build(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, const OptionValues &values,
                    Layout<Scalar, Index, Exec> &layout)
  {
    layout.rows     = static_cast<Index>(csr.rows);
    layout.cols     = static_cast<Index>(csr.cols);
    layout.backward = values[kOrder] == 1;
    layout.number   = values[kNumber];
    Copy(exec, csr.row_ptr, std::int64_t{csr.rows} + 1, layout.row_ptr);
    Copy(exec, csr.col_idx, csr.nnz(), layout.col_idx);
    Copy(exec, csr.val, csr.nnz(), layout.val);
  }

  template <class Exec, class Scalar, class CsrIndex, class Index>
  static void Refresh(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
  {
    Copy(exec, csr.val, csr.nnz(), layout.val);
  }

  template <Op op, bool add, class Exec, class Scalar, class Index>
  static void Apply(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
  {
    exec.For("CSRCopyMult", 1, 0,
             MultiplyAll<op, add, Scalar, Index>{layout.rows, layout.cols, layout.backward, layout.row_ptr.data(),
                                                 layout.col_idx.data(), layout.val.data(), x, y});
  }

  template <class Scalar, class Index, class Exec>
  static std::size_t Bytes(const Layout<Scalar, Index, Exec> &layout)
  {
    return layout.row_ptr.bytes() + layout.col_idx.bytes() + layout.val.bytes();
  }

  template <class Exec, class Scalar, class Index>
  static Stats Statistics(const Exec &, const Layout<Scalar, Index, Exec> &layout)
  {
    return {
      {"order", static_cast<double>(layout.backward), Stat::Parameter},
      {"number", static_cast<double>(layout.number), Stat::Parameter},
    };
  }

private:
  template <class Exec, class From, class To, class Space>
  static void Copy(const Exec &exec, const From *source, std::int64_t n, Array<To, Space> &copy)
  {
    copy.Allocate(static_cast<std::size_t>(n));
    exec.For("CSRCopy", n, static_cast<std::size_t>(n), CopyItems<From, To>{source, copy.data()});
  }
};

} // namespace petscspmv::csrcopy
