// A format's functions for one Exec, scalar and index, as the interface needs them.
#pragma once

#include "mat/exec/host.hpp"
#include "mat/format/format.hpp"
#include "mat/format/upload.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>

namespace petscspmv {

template <class F, Op op, class Exec>
concept Applies = requires(const Exec &exec, const typename F::template Layout<double, int, Exec> &layout, const double *x,
                           double *y)
{
  F::template Apply<op, false>(exec, layout, x, y);
  F::template Apply<op, true>(exec, layout, x, y);
};

/// Whether a format's kernels can add the product to another vector than y, or subtract it.
template <class F, Op op, class Exec>
concept AppliesToResult = requires(const Exec &exec, const typename F::template Layout<double, int, Exec> &layout, const double *x,
                                   Result<double> y)
{
  F::template Apply<op, true>(exec, layout, x, y);
};

template <class F, class Exec>
concept AppliesMany = requires(const Exec &exec, const typename F::template Layout<double, int, Exec> &layout,
                               Vectors<const double> x, Vectors<double> y)
{
  F::template ApplyMany<true>(exec, layout, x, y);
};

/// Whether 32 bits suffice to number the rows and columns of a matrix, and so to count the entries of a row.
constexpr bool FitsNarrow(std::int64_t rows, std::int64_t cols)
{
  return std::max(rows, cols) <= std::numeric_limits<std::int32_t>::max();
}

/// The bytes of workspace that products with a layout need.
template <class F, class Layout>
std::size_t WorkspaceBytes(const Layout &layout)
{
  if constexpr (requires { F::WorkspaceBytes(layout); }) return F::WorkspaceBytes(layout);
  else return 0;
}

/// y = v + op(A) x or y = v - op(A) x, for y of length n, by a format that can only add to y.
template <class F, Op op, class Exec, class Layout, class Scalar>
void ApplyInPlace(const Exec &exec, const Layout &layout, std::int64_t n, const Scalar *x, const Result<Scalar> &result)
{
  Scalar *const y      = result.y;
  const auto    negate = [&] {
    for (std::int64_t i = 0; i < n; ++i) y[i] = -y[i];
  };
  if (!result.minus) {
    if (result.v != y) std::copy_n(result.v, n, y);
    F::template Apply<op, true>(exec, layout, x, y);
  } else if (result.v == y) {
    negate();
    F::template Apply<op, true>(exec, layout, x, y);
    negate();
  } else {
    F::template Apply<op, false>(exec, layout, x, y);
    for (std::int64_t i = 0; i < n; ++i) y[i] = result.v[i] - y[i];
  }
}

/// The layout of a format. Its indices are 32-bit wherever the matrix allows it, unless the format borrows. On a device, a format
/// that borrows multiplies with a device copy of the matrix's arrays.
template <class F, class Scalar, class Index, class Exec>
class LayoutOf {
public:
  void Build(const Exec &exec, const Csr<Scalar, Index> &csr, const OptionValues &options)
  {
    rows_ = csr.rows;
    cols_ = csr.cols;
    WithArrays(exec, csr, true, [&](const Csr<Scalar, Index> &arrays) {
      if constexpr (kNarrows) {
        if (FitsNarrow(csr.rows, csr.cols)) return F::Build(exec, arrays, options, layout_.template emplace<Narrow>());
      }
      F::Build(exec, arrays, options, layout_.template emplace<Wide>());
    });
  }
  void Refresh(const Exec &exec, const Csr<Scalar, Index> &csr)
  {
    WithArrays(exec, csr, false,
               [&](const Csr<Scalar, Index> &arrays) { Visit([&](auto &layout) { F::Refresh(exec, arrays, layout); }); });
  }
  std::size_t Bytes() const
  {
    return upload_.Bytes() + Visit([](const auto &layout) { return F::Bytes(layout); });
  }
  Workspace MakeWorkspace(bool many) const
  {
    using Space       = typename Exec::memory_space;
    std::size_t bytes = Visit([](const auto &layout) { return WorkspaceBytes<F>(layout); });
    if constexpr (AppliesMany<F, Exec>) {
      if (many) bytes = Visit([](const auto &layout) { return F::ManyWorkspaceBytes(layout); });
    }
    return bytes ? Workspace(Memory<Space>::Get(bytes), bytes, Memory<Space>::Free) : Workspace();
  }
  Stats Statistics(const Exec &exec) const
  {
    Stats stats = Visit([&](const auto &layout) { return F::Statistics(exec, layout); });
    if constexpr (kNarrows) stats.push_back({"index_bits", std::holds_alternative<Narrow>(layout_) ? 32.0 : 64.0, Stat::Parameter});
    return stats;
  }
  void Apply(const Exec &exec, Op op, const Scalar *x, const Result<Scalar> &result) const
  {
    Visit([&](const auto &layout) {
      if (op == Op::N) Apply<Op::N>(exec, layout, x, result);
      else if (op == Op::T) Apply<Op::T>(exec, layout, x, result);
      else Apply<Op::H>(exec, layout, x, result);
    });
  }

  void ApplyMany(const Exec &exec, bool add, Vectors<const Scalar> x, Vectors<Scalar> y) const
  {
    if constexpr (AppliesMany<F, Exec>) {
      Visit([&](const auto &layout) {
        if (add) F::template ApplyMany<true>(exec, layout, x, y);
        else F::template ApplyMany<false>(exec, layout, x, y);
      });
    }
  }

private:
  static constexpr bool kNarrows = sizeof(Index) > sizeof(std::int32_t) && !kBorrows<F>;
  using Wide                     = typename F::template Layout<Scalar, Index, Exec>;
  using Narrow                   = typename F::template Layout<Scalar, std::int32_t, Exec>;

  template <class Function>
  auto Visit(const Function &f)
  {
    return std::visit(f, layout_);
  }
  template <class Function>
  auto Visit(const Function &f) const
  {
    return std::visit(f, layout_);
  }

  /// Calls f with the matrix, whose arrays are where the kernels run.
  template <class Function>
  void WithArrays(const Exec &exec, const Csr<Scalar, Index> &csr, bool columns, const Function &f)
  {
    if constexpr (kOnHost<Exec>) {
      f(csr);
    } else {
      f(upload_.Take(exec, csr, columns));
      exec.Fence();                                // kernels still read the arrays
      if (columns && !kBorrows<F>) upload_.Free(); // kept after Refresh(), which is called again and again
    }
  }

  template <Op op, class Layout>
  void Apply(const Exec &exec, const Layout &layout, const Scalar *x, const Result<Scalar> &result) const
  {
    if constexpr (Applies<F, op, Exec>) {
      if (!result.Adds()) F::template Apply<op, false>(exec, layout, x, result.y);
      else if constexpr (AppliesToResult<F, op, Exec>) F::template Apply<op, true>(exec, layout, x, result);
      else if constexpr (kOnHost<Exec>) ApplyInPlace<F, op>(exec, layout, op == Op::N ? rows_ : cols_, x, result);
      else F::template Apply<op, true>(exec, layout, x, result.y);
    }
  }

  Index rows_ = 0, cols_ = 0;

  std::conditional_t<kNarrows, std::variant<Wide, Narrow>, std::variant<Wide>> layout_;
  Upload<Scalar, Index, Exec>                                                  upload_; // empty on hosts
};

/// A format as data, without its functions.
template <class F, class Scalar, class Index>
FormatInfo<Scalar, Index> InfoOf()
{
  FormatInfo<Scalar, Index> info;
  info.alias        = F::alias;
  info.root         = F::root;
  info.seq          = std::string("seq") + F::root;
  info.mpi          = std::string("mpi") + F::root;
  info.symbol       = F::symbol;
  info.title        = F::title;
  info.options      = F::options;
  info.transpose    = Applies<F, Op::T, HostExec>;
  info.hermitian    = Applies<F, Op::H, HostExec>;
  info.many         = AppliesMany<F, HostExec>;
  info.borrows      = kBorrows<F>;
  info.by_name_only = kByNameOnly<F>;
  return info;
}

/// The forecast by the format, or that of CSR. For devices there is none, and what it needs is not compiled.
template <class F, class Scalar, class Index, class Exec>
constexpr auto ForecastOf() -> Forecast (*)(const Features &, const Csr<Scalar, Index> &)
{
  if constexpr (!OnProcessor<Exec>) return nullptr;
  else
    return [](const Features &features, const Csr<Scalar, Index> &csr) {
      if constexpr (requires { F::Expect(features, csr); }) return F::Expect(features, csr);
      else return Forecast{.bytes = sizeof(Scalar) + sizeof(Index)};
    };
}

/// The functions of a format.
template <class F, class Scalar, class Index, class Exec>
requires Format<F, Exec>
constexpr Methods<Scalar, Index> MethodsOf()
{
  using Layout = LayoutOf<F, Scalar, Index, Exec>;
  return {
    .make           = []() -> void           *{ return new Layout(); },
    .destroy        = [](void *layout) { delete static_cast<Layout *>(layout); },
    .build          = [](void *layout, const Execution &execution, const Csr<Scalar, Index> &csr,
                const OptionValues &options) { static_cast<Layout *>(layout)->Build(Exec(execution), csr, options); },
    .refresh        = [](void *layout, const Execution &execution,
                  const Csr<Scalar, Index> &csr) { static_cast<Layout *>(layout)->Refresh(Exec(execution), csr); },
    .apply          = [](const void *layout, const Execution &execution, Op op, const Scalar *x,
                const Result<Scalar> &result) { static_cast<const Layout *>(layout)->Apply(Exec(execution), op, x, result); },
    .apply_many     = [](const void *layout, const Execution &execution, bool add, Vectors<const Scalar> x,
                     Vectors<Scalar> y) { static_cast<const Layout *>(layout)->ApplyMany(Exec(execution), add, x, y); },
    .forecast       = ForecastOf<F, Scalar, Index, Exec>(),
    .bytes          = [](const void *layout) { return static_cast<const Layout *>(layout)->Bytes(); },
    .make_workspace = [](const void *layout, bool many) { return static_cast<const Layout *>(layout)->MakeWorkspace(many); },
    .statistics     = [](const void      *layout,
                     const Execution &execution) { return static_cast<const Layout *>(layout)->Statistics(Exec(execution)); },
  };
}

} // namespace petscspmv
