// The interface between formats and everything else. A format satisfies the concept Format below, on plain arrays and without
// PETSc; the rest of the library sees it as a FormatInfo.
#pragma once

#include "mat/exec/execution.hpp"
#include "mat/exec/workspace.hpp"
#include "mat/format/csr.hpp"
#include "mat/format/features.hpp"
#include "mat/format/options.hpp"
#include "mat/format/result.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace petscspmv {

template <class F>
inline constexpr bool kBorrows = requires
{
  requires F::borrows;
};

template <class F>
inline constexpr bool kByNameOnly = requires
{
  requires F::by_name_only;
};

/// What a format supplies: names, options, a layout and functions on it. Functions with an Exec run on the host (exec/host.hpp) or
/// on a device (exec/device.hpp); the format's host.hpp and device.hpp include what its functions need there.
///
/// Expect(features, csr) is optional and forecasts what the format costs for a matrix on the host. Without it the format is
/// expected to read what CSR reads. A format declares `by_name_only` if the type spmv need not try it, since another format is as
/// fast and no slower to build.
///
/// Apply<Op::N> is required. Apply<Op::T> and Apply<Op::H> are optional; without them a layout of A^T is used. With `add` the
/// product is added to y, otherwise y is never read. Apply with `add` may take a Result in place of y, to add the product to
/// another vector v or to subtract it from v; for other formats this takes further passes over the vectors. x and y do not overlap.
/// A product does not change the layout: its workers exchange results in a workspace of WorkspaceBytes (optional; none if absent)
/// that the caller lends. Bytes is the layout's own memory. Statistics describe a current layout and show the effective value of
/// every option under its key.
///
/// ApplyMany (optional, hosts only) multiplies with several vectors at a time, in a workspace of ManyWorkspaceBytes. Each vector
/// gets the same bits as from Apply. Without ApplyMany, AIJ does these products.
///
/// A layout numbers rows and columns by its own Index, which is 32-bit if FitsNarrow(), and the caller's otherwise or if the format
/// borrows. Entries may be more than such an Index can count, and are counted in 64 bits.
///
/// Build and Refresh may read the caller's arrays only during the call; Refresh gets row pointers and values. A format declares
/// `borrows` if it multiplies with these arrays and keeps nothing derived from columns or values. The arrays then stay valid until
/// the next Build or Refresh or the end of the layout, whose destructor must not read them, and only row pointers are watched for
/// changes.
template <class F, class Exec>
concept Format = requires(const Exec &exec, const Csr<double, int> &csr, const OptionValues &options,
                          typename F::template Layout<double, int, Exec> &layout, const double *x, double *y)
{
  {
    F::alias
    } -> std::convertible_to<const char *>;
  {
    F::root
    } -> std::convertible_to<const char *>;
  {
    F::symbol
    } -> std::convertible_to<const char *>;
  {
    F::title
    } -> std::convertible_to<const char *>;
  std::span<const OptionSpec>(F::options);
  F::Build(exec, csr, options, layout);
  F::Refresh(exec, csr, layout);
  F::template Apply<Op::N, false>(exec, layout, x, y);
  F::template Apply<Op::N, true>(exec, layout, x, y);
  {
    F::Bytes(layout)
    } -> std::same_as<std::size_t>;
  {
    F::Statistics(exec, layout)
    } -> std::same_as<Stats>;
}
&&(kBorrows<F> || requires(const Exec &exec, const Csr<double, std::int64_t> &wide, const OptionValues &options,
                           typename F::template Layout<double, std::int32_t, Exec> &narrow) {
  F::Build(exec, wide, options, narrow);
  F::Refresh(exec, wide, narrow);
});

/// The functions of a format for one host target, or for a device, on layouts that are opaque to callers. A layout is the same for
/// all targets.
template <class Scalar, class Index>
struct Methods {
  void *(*make)();
  void (*destroy)(void *layout);
  void (*build)(void *layout, const Execution &execution, const Csr<Scalar, Index> &csr, const OptionValues &options);
  void (*refresh)(void *layout, const Execution &execution, const Csr<Scalar, Index> &csr);
  void (*apply)(const void *layout, const Execution &execution, Op op, const Scalar *x, const Result<Scalar> &result);
  void (*apply_many)(const void *layout, const Execution &execution, bool add, Vectors<const Scalar> x, Vectors<Scalar> y);
  Forecast (*forecast)(const Features &features, const Csr<Scalar, Index> &csr); // null for devices
  std::size_t (*bytes)(const void *layout);
  Workspace (*make_workspace)(const void *layout, bool many);
  Stats (*statistics)(const void *layout, const Execution &execution);
};

/// Where the arrays of a product are.
enum class Place { Host, Device };

/// A matrix type derived from AIJ, as data for registration, options, viewers and tests.
struct TypeInfo {
  const char                 *alias = nullptr;  // csr5
  std::string                 root;             // aijcsr5
  std::string                 seq;              // seqaijcsr5
  std::string                 mpi;              // mpiaijcsr5
  const char                 *symbol = nullptr; // SELLCS, as in the names of functions and events
  const char                 *title  = nullptr; // SELL-C-sigma
  std::span<const OptionSpec> options;
  bool                        transpose = false; // has its own A^T x
  bool                        hermitian = false; // has its own A^H x
};

/// A matrix type that multiplies in one format, and that format's functions.
template <class Scalar, class Index>
struct FormatInfo : TypeInfo {
  bool                                        many         = false; // multiplies with several vectors at a time
  bool                                        borrows      = false; // multiplies with the AIJ arrays themselves
  bool                                        by_name_only = false; // the type spmv uses this format if named, but does not try it
  std::vector<const Methods<Scalar, Index> *> host;                 // by target
  const Methods<Scalar, Index>               *device = nullptr;     // null without kernels for a device

  /// Of the cost, before there is a layout.
  Forecast Expect(const Features &features, const Csr<Scalar, Index> &csr) const { return host.front()->forecast(features, csr); }

  const Methods<Scalar, Index> &At(Place place, const Execution &execution) const
  {
    return place == Place::Host ? *host[execution.target] : *device;
  }
};

/// A layout whose format is known at run time only. It is built from host arrays; x and y are in the place where its kernels run.
template <class Scalar, class Index>
class AnyLayout {
public:
  AnyLayout() = default;
  AnyLayout(const FormatInfo<Scalar, Index> &format, Place place) :
    format_(&format), place_(place), methods_(&format.At(place, Execution())), layout_(methods_->make())
  {
  }
  AnyLayout(AnyLayout &&other) noexcept { *this = std::move(other); }
  AnyLayout &operator=(AnyLayout &&other) noexcept
  {
    std::swap(format_, other.format_);
    std::swap(place_, other.place_);
    std::swap(methods_, other.methods_);
    std::swap(layout_, other.layout_);
    return *this;
  }
  ~AnyLayout()
  {
    if (layout_) methods_->destroy(layout_);
  }

  void Build(const Execution &execution, const Csr<Scalar, Index> &csr, const OptionValues &options)
  {
    Of(execution).build(layout_, execution, csr, options);
  }
  void Refresh(const Execution &execution, const Csr<Scalar, Index> &csr) { Of(execution).refresh(layout_, execution, csr); }
  /// On devices, a result that adds must have v == y and `minus` false.
  void Apply(const Execution &execution, Op op, const Scalar *x, const Result<Scalar> &result) const
  {
    Of(execution).apply(layout_, execution, op, x, result);
  }
  /// Y = A X, or Y += A X, in a workspace made for many vectors.
  void ApplyMany(const Execution &execution, bool add, Vectors<const Scalar> x, Vectors<Scalar> y) const
  {
    Of(execution).apply_many(layout_, execution, add, x, y);
  }
  std::size_t Bytes() const { return methods_->bytes(layout_); }
  Workspace   MakeWorkspace(bool many) const { return methods_->make_workspace(layout_, many); } // for one product at a time
  Stats       Statistics(const Execution &execution) const { return methods_->statistics(layout_, execution); }

private:
  const Methods<Scalar, Index> &Of(const Execution &execution) const { return format_->At(place_, execution); }

  const FormatInfo<Scalar, Index> *format_  = nullptr;
  Place                            place_   = Place::Host;
  const Methods<Scalar, Index>    *methods_ = nullptr; // of the baseline target, for functions that are not time-critical
  void                            *layout_  = nullptr;
};

} // namespace petscspmv
