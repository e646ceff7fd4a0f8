// The seam between formats and everything else. A format fulfils the concept Format below, over
// plain arrays and without PETSc; the rest of the library sees it as a FormatInfo.
#pragma once

#include "mat/format/csr.hpp"
#include "mat/format/launch.hpp"
#include "mat/format/upload.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace petscspmv {

/// Value of an option whose choice is left to the format (PETSC_DECIDE in the options database).
inline constexpr std::int64_t kDecide = -1;

/// An option of a format, as data. Its database key is -mat_<alias>_<key>.
struct OptionSpec {
  const char                  *key;
  const char                  *help;
  std::int64_t                 lower;     // smallest value allowed
  std::int64_t                 upper;     // largest value allowed
  std::int64_t                 initial;   // the default; kDecide where the format chooses
  std::span<const char *const> names = {}; // of the values 0, 1, ... where the option is a choice
};

/// The names of an option that is a flag.
inline constexpr std::array<const char *, 2> kFlag{"false", "true"};

using OptionValues = std::vector<std::int64_t>; // one for each OptionSpec, in their order

/// A figure about a layout, for viewers, tests and benchmarks. Over several processes counts add up, as those of a
/// histogram, which are told where they are not 0; of ratios both terms add up; a parameter is told where it is the
/// same everywhere; of others the least or the most counts, infinity being that of nothing.
struct Stat {
  enum Kind { Parameter, Count, Histogram, Ratio, Least, Most };
  const char *key; // e.g. "tiles_with_empty_rows"
  double      value;
  Kind        kind = Count;
  double      over = 1; // what a ratio's value is divided by

  double Figure() const { return over != 0 && !std::isinf(value) ? value / over : 0; }
};

using Stats = std::vector<Stat>;

template <class F>
inline constexpr bool kBorrows = requires { requires F::borrows; };

/// What a format supplies: names, options, a layout and the functions on it.
///
/// Apply<Op::N> is required; Apply<Op::T> and Apply<Op::H> are optional, and where they are
/// absent a matrix keeps AIJ's own methods. With add the product is added to y, without it y is
/// never read. x and y do not overlap. Bytes is the layout's own memory. Statistics are about a current
/// layout and tell the value in effect of every option under its key; what has to be measured, for the length of
/// a few products, is left to Measure, which is optional.
///
/// A layout numbers rows and columns by its own Index, which is narrower than the lender's where FitsNarrow(), unless
/// the format borrows. Entries are more: it counts them in 64 bits.
///
/// The arrays are lent for the call, and to Refresh only row pointers and values. A format that multiplies with
/// the arrays themselves, and keeps nothing made from columns or values, says so by `borrows`: they then
/// stay until the next Build or Refresh or the end of the layout, whose destructor must not read
/// them, and only row pointers are watched for changes.
template <class F>
concept Format = requires(const Csr<double, int> &csr, const OptionValues &options, typename F::template Layout<double, int, HostExec> &layout, const double *x, double *y) {
  { F::alias } -> std::convertible_to<const char *>;
  { F::root } -> std::convertible_to<const char *>;
  { F::symbol } -> std::convertible_to<const char *>;
  { F::title } -> std::convertible_to<const char *>;
  std::span<const OptionSpec>(F::options);
  F::Build(csr, options, layout);
  F::Refresh(csr, layout);
  F::template Apply<Op::N, false>(layout, x, y);
  F::template Apply<Op::N, true>(layout, x, y);
  { F::Bytes(layout) } -> std::same_as<std::size_t>;
  { F::Statistics(layout) } -> std::same_as<Stats>;
} && (kBorrows<F> || requires(const Csr<double, std::int64_t> &wide, const OptionValues &options, typename F::template Layout<double, std::int32_t, HostExec> &narrow) {
  F::Build(wide, options, narrow);
  F::Refresh(wide, narrow);
});

/// Whether 32 bits number the rows and columns of a matrix, and so the entries of each row.
constexpr bool FitsNarrow(std::int64_t rows, std::int64_t cols)
{
  return std::max(rows, cols) <= std::numeric_limits<std::int32_t>::max();
}

template <class F>
inline constexpr bool kMeasures = requires(const typename F::template Layout<double, int, HostExec> &layout) { F::Measure(layout); };

template <class F, Op op>
concept Applies = requires(const typename F::template Layout<double, int, HostExec> &layout, const double *x, double *y) {
  F::template Apply<op, false>(layout, x, y);
  F::template Apply<op, true>(layout, x, y);
};

/// A layout whose format is known at run time only. It is built from arrays on the host; x and y are where its kernels run.
template <class Scalar, class Index>
class AnyLayout {
public:
  virtual ~AnyLayout()                                                                        = default;
  virtual void        Build(const Csr<Scalar, Index> &csr, const OptionValues &options)       = 0;
  virtual void        Refresh(const Csr<Scalar, Index> &csr)                                  = 0;
  virtual void        Apply(Op op, bool add, const Scalar *x, Scalar *y) const                = 0;
  virtual std::size_t Bytes() const                                                           = 0;
  virtual Stats       Statistics() const                                                      = 0;
  virtual Stats       Measure() const                                                         = 0;
};

/// The layout of a format that has been chosen at run time. Its indices are 32-bit wherever the matrix allows it,
/// unless it has none of its own. On a device a format borrows from a copy of the matrix' arrays.
template <Format F, class Scalar, class Index, class Exec>
class LayoutOf final : public AnyLayout<Scalar, Index> {
public:
  void Build(const Csr<Scalar, Index> &csr, const OptionValues &options) override
  {
    WithArrays(csr, true, [&](const Csr<Scalar, Index> &arrays) {
      if constexpr (kNarrows) {
        if (FitsNarrow(csr.rows, csr.cols)) return F::Build(arrays, options, layout_.template emplace<Narrow>());
      }
      F::Build(arrays, options, layout_.template emplace<Wide>());
    });
  }
  void Refresh(const Csr<Scalar, Index> &csr) override
  {
    WithArrays(csr, false, [&](const Csr<Scalar, Index> &arrays) { std::visit([&](auto &layout) { F::Refresh(arrays, layout); }, layout_); });
  }
  std::size_t Bytes() const override
  {
    return upload_.Bytes() + std::visit([](const auto &layout) { return F::Bytes(layout); }, layout_);
  }
  Stats Statistics() const override
  {
    Stats stats = std::visit([](const auto &layout) { return F::Statistics(layout); }, layout_);
    if constexpr (kNarrows) stats.push_back({"index_bits", std::holds_alternative<Narrow>(layout_) ? 32.0 : 64.0, Stat::Parameter});
    return stats;
  }
  Stats Measure() const override
  {
    if constexpr (kMeasures<F>) return std::visit([](const auto &layout) { return F::Measure(layout); }, layout_);
    else return {};
  }
  void Apply(Op op, bool add, const Scalar *x, Scalar *y) const override
  {
    std::visit(
      [&](const auto &layout) {
        switch (op) {
        case Op::N:
          return Apply<Op::N>(layout, add, x, y);
        case Op::T:
          return Apply<Op::T>(layout, add, x, y);
        case Op::H:
          return Apply<Op::H>(layout, add, x, y);
        }
      },
      layout_);
  }

private:
  static constexpr bool kNarrows = sizeof(Index) > sizeof(std::int32_t) && !kBorrows<F>;
  using Wide                     = typename F::template Layout<Scalar, Index, Exec>;
  using Narrow                   = typename F::template Layout<Scalar, std::int32_t, Exec>;

  /// Calls f with the matrix where the kernels are.
  template <class Function>
  void WithArrays(const Csr<Scalar, Index> &csr, bool columns, const Function &f)
  {
    if constexpr (kOnHost<Exec>) {
      f(csr);
    } else {
      f(upload_.Take(csr, columns));
      Fence<Exec>(); // before the arrays go
      if (columns && !kBorrows<F>) upload_.Free(); // the room for values stays where they change again and again
    }
  }

  template <Op op, class Layout>
  static void Apply(const Layout &layout, bool add, const Scalar *x, Scalar *y)
  {
    if constexpr (Applies<F, op>) {
      if (add) F::template Apply<op, true>(layout, x, y);
      else F::template Apply<op, false>(layout, x, y);
    }
  }

  std::conditional_t<kNarrows, std::variant<Wide, Narrow>, std::variant<Wide>> layout_;
  Upload<Scalar, Index, Exec>                                                  upload_; // empty on hosts
};

/// Where the arrays of a product are.
enum class Place { Host,
                   Device };

/// A format as data: what registration, options, viewers and tests need to know of it.
template <class Scalar, class Index>
struct FormatInfo {
  const char                 *alias;  // csr5
  std::string                 root;   // aijcsr5
  std::string                 seq;    // seqaijcsr5
  std::string                 mpi;    // mpiaijcsr5
  const char                 *symbol; // SELLCS, as in the names of functions and events
  const char                 *title;  // SELL-C-sigma
  std::span<const OptionSpec> options;
  bool                        borrows;   // multiplies with the AIJ arrays themselves
  bool                        transpose; // has its own A^T x
  bool                        hermitian; // has its own A^H x
  std::unique_ptr<AnyLayout<Scalar, Index>> (*make[2])(); // by Place; null for a device that there is not
};

template <Format F, class Scalar, class Index, class Exec>
std::unique_ptr<AnyLayout<Scalar, Index>> MakeLayoutOf()
{
  return std::make_unique<LayoutOf<F, Scalar, Index, Exec>>();
}

template <Format F, class Scalar, class Index>
FormatInfo<Scalar, Index> DescribeFormat()
{
  std::unique_ptr<AnyLayout<Scalar, Index>> (*make_on_device)() = nullptr;
  if constexpr (kHasDevice) make_on_device = MakeLayoutOf<F, Scalar, Index, DeviceExec>;
  return {F::alias,
          F::root,
          std::string("seq") + F::root,
          std::string("mpi") + F::root,
          F::symbol,
          F::title,
          F::options,
          kBorrows<F>,
          Applies<F, Op::T>,
          Applies<F, Op::H>,
          {MakeLayoutOf<F, Scalar, Index, HostExec>, make_on_device}};
}

} // namespace petscspmv
