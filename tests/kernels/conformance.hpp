// What every format must do, on plain arrays: INSTANTIATE_TYPED_TEST_SUITE_P(My, Conformance, ConformanceTypes<my::My>) gives a
// format all of these tests (kernels/config.hpp). Include its mapping, <format>/host.hpp or device.hpp, before.
#pragma once

#include "kernels/config.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/format/methods.hpp"
#include "mat/format/upload.hpp"
#include "reference/accuracy.hpp"
#include "support/execution.hpp"
#include "support/matrices.hpp"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <tuple>
#include <utility>

namespace petscspmv::test {

template <class C, class S, class I>
struct Instance {
  using Config = C;
  using Scalar = S;
  using Index  = I;
};

/// A layout; if its kernels run on a device, with copies of the matrix and of a product's vectors there.
template <class Format, class Scalar, class Index, class Exec>
class LayoutThere {
public:
  void Build(const Csr<Scalar, Index> &csr, const OptionValues &options) { WithExec<Format>::Build(There(csr), options, layout_); }
  void Refresh(const Csr<Scalar, Index> &csr) { WithExec<Format>::Refresh(There(csr), layout_); }

  /// y, of n values, becomes op(A) x, or op(A) x is added to it.
  template <Op op, bool add>
  void Apply(const std::vector<Scalar> &x, Scalar *y, std::size_t n) const
  {
    if constexpr (kHostMemory<Space>) {
      WithExec<Format>::template Apply<op, add>(layout_, x.data(), y);
    } else {
      const OwnExec<Exec>  exec;
      Array<Scalar, Space> x_there(x.size()), y_there(n);
      (*exec).CopyIn(x_there.data(), x.data(), x.size());
      (*exec).CopyIn(y_there.data(), y, n);
      WithExec<Format>::template Apply<op, add>(layout_, x_there.data(), y_there.data());
      (*exec).CopyOut(y, y_there.data(), n);
    }
  }

  /// The same for several vectors, on hosts.
  template <bool add>
  void ApplyMany(Vectors<const Scalar> x, Vectors<Scalar> y) const
  {
    const OwnExec<Exec> exec(Format::ManyWorkspaceBytes(layout_));
    Format::template ApplyMany<add>(*exec, layout_, x, y);
  }

  Stats       Statistics() const { return WithExec<Format>::Statistics(layout_); }
  std::size_t Bytes() const { return Format::Bytes(layout_); }

private:
  using Space = typename Exec::memory_space;

  Csr<Scalar, Index> There(const Csr<Scalar, Index> &csr)
  {
    if constexpr (kHostMemory<Space>) return csr;
    else return upload_.Take(*OwnExec<Exec>(), csr, true);
  }

  typename Format::template Layout<Scalar, Index, Exec> layout_;
  Upload<Scalar, Index, Exec>                           upload_;
};

template <class F>
using OnProcessors = Config<F, HostExec>;
template <class F>
using ConformanceTuple =
  std::tuple<Instance<OnProcessors<F>, double, std::int32_t>, Instance<OnProcessors<F>, float, std::int32_t>,
             Instance<OnProcessors<F>, std::complex<double>, std::int32_t>,
             Instance<OnProcessors<F>, std::complex<float>, std::int64_t>, Instance<OnProcessors<F>, double, std::int64_t>,
             Instance<OnProcessors<F>, std::complex<double>, std::int64_t>>;
template <class... T>
::testing::Types<T...> AsTypes(const std::tuple<T...> &);
template <class F>
using ConformanceTypes = decltype(AsTypes(std::declval<ConformanceTuple<F>>()));

/// Copies of a TestMatrix in the types of a test.
template <class Scalar, class Index>
struct Arrays {
  std::vector<Index>  row_ptr, col_idx;
  std::vector<Scalar> val;
  Csr<Scalar, Index>  csr;

  explicit Arrays(const TestMatrix &a) : row_ptr(a.row_ptr.begin(), a.row_ptr.end()), col_idx(a.col_idx.begin(), a.col_idx.end())
  {
    for (std::size_t k = 0; k < a.real.size(); ++k) val.push_back(MakeScalar<Scalar>(a.real[k], a.imag[k]));
    csr = {static_cast<Index>(a.rows), static_cast<Index>(a.cols), row_ptr.data(), col_idx.data(), val.data()};
  }
};

template <class Scalar>
std::vector<Scalar> RandomVector(std::size_t n, std::uint64_t seed)
{
  std::mt19937_64     random(seed);
  std::vector<Scalar> x(n);
  for (Scalar &v : x) {
    const double re = RandomValue(random);
    v               = MakeScalar<Scalar>(re, RandomValue(random));
  }
  return x;
}

/// op(A) x (+ y) in long double.
template <class Scalar, class Index>
std::vector<Sum<Scalar>> Reference(const Csr<Scalar, Index> &csr, Op op, const std::vector<Scalar> &x, const std::vector<Scalar> *y)
{
  std::vector<Sum<Scalar>> sums(static_cast<std::size_t>(op == Op::N ? csr.rows : csr.cols));
  for (Index row = 0; row < csr.rows; ++row) {
    for (Index k = csr.row_ptr[row]; k < csr.row_ptr[row + 1]; ++k) {
      const Index target = op == Op::N ? row : csr.col_idx[k], source = op == Op::N ? csr.col_idx[k] : row;
      sums[static_cast<std::size_t>(target)].Add(Widen(op == Op::H ? Conjugate(csr.val[k]) : csr.val[k]),
                                                 Widen(x[static_cast<std::size_t>(source)]));
    }
  }
  for (std::size_t i = 0; y && i < sums.size(); ++i) sums[i].Add(1, Widen((*y)[i]));
  return sums;
}

/// A figure of a layout.
inline double Figure(const Stats &stats, const std::string &key)
{
  for (const Stat &stat : stats) {
    if (key == stat.key) return stat.Figure();
  }
  ADD_FAILURE() << "no " << key;
  return std::nan("");
}

template <class T>
class Conformance : public ::testing::Test {
public:
  using Config = typename T::Config;
  using Format = typename Config::Format;
  using Scalar = typename T::Scalar;
  using Index  = typename T::Index;
  using Exec   = typename Config::Exec;
  using Layout = LayoutThere<Format, Scalar, Index, Exec>;

  static constexpr bool kComplex = RealOf<Scalar>::complex;

  static std::string Context(const TestMatrix &a, const OptionValues &options)
  {
    std::string text = a.name + ", options";
    for (std::int64_t value : options) text += " " + std::to_string(value);
    return text;
  }

  /// If rows are not kept apart, each may err as much as all of them together.
  static std::vector<Sum<Scalar>> Bounds(std::vector<Sum<Scalar>> sums, const OptionValues &options)
  {
    if (Config::KeepsRowsApart(options)) return sums;
    Sum<Scalar> all;
    for (const auto &sum : sums) {
      all.magnitude += sum.magnitude;
      all.terms += sum.terms;
    }
    for (auto &sum : sums) {
      sum.magnitude = all.magnitude;
      sum.terms     = all.terms;
    }
    return sums;
  }

  /// All operations of the format on one matrix, against the reference.
  template <Op op>
  static void CheckProducts(const Layout &layout, const Csr<Scalar, Index> &csr, const OptionValues &options)
  {
    if constexpr (Applies<Format, op, Exec>) {
      Prefetching &prefetching    = TestExecution().prefetching;
      prefetching                 = prefetching == Prefetching::On ? Prefetching::Off : Prefetching::On; // alternate
      const std::size_t in        = static_cast<std::size_t>(op == Op::N ? csr.cols : csr.rows),
                        out       = static_cast<std::size_t>(op == Op::N ? csr.rows : csr.cols);
      const std::vector<Scalar> x = RandomVector<Scalar>(in, 3), y0 = RandomVector<Scalar>(out, 4);
      const Scalar              nan = MakeScalar<Scalar>(std::nan(""), std::nan(""));
      std::vector<Scalar>       y(out + 2, nan); // NaN if y must not be read, and guards at both ends
      layout.template Apply<op, false>(x, y.data() + 1, out);
      const auto set = Bounds(Reference<Scalar>(csr, op, x, nullptr), options);
      for (std::size_t i = 0; i < out; ++i)
        ASSERT_TRUE(set[i].Matches(y[i + 1]))
          << "op " << static_cast<int>(op) << ", row " << i << ": " << y[i + 1] << " for " << set[i].value;
      ASSERT_TRUE(std::isnan(std::real(y.front())) && std::isnan(std::real(y.back()))) << "wrote beyond y";

      std::vector<Scalar> z = y0;
      layout.template Apply<op, true>(x, z.data(), out);
      const auto added = Bounds(Reference(csr, op, x, &y0), options);
      for (std::size_t i = 0; i < out; ++i)
        ASSERT_TRUE(added[i].Matches(z[i])) << "op " << static_cast<int>(op) << " add, row " << i << ": " << z[i] << " for "
                                            << added[i].value;
    }
  }

  /// v + op(A) x and v - op(A) x as the library has them computed, where y is v and where it is not, against the reference.
  template <Op op>
  static void CheckResults(const Csr<Scalar, Index> &csr, const OptionValues &options)
  {
    if constexpr (kOnHost<Exec> && Applies<Format, op, Exec>) {
      const std::size_t in        = static_cast<std::size_t>(op == Op::N ? csr.cols : csr.rows),
                        out       = static_cast<std::size_t>(op == Op::N ? csr.rows : csr.cols);
      const std::vector<Scalar> x = RandomVector<Scalar>(in, 3), v = RandomVector<Scalar>(out, 4);
      const Scalar              nan = MakeScalar<Scalar>(std::nan(""), std::nan(""));
      std::vector<Scalar>       minus_x(in);
      std::transform(x.begin(), x.end(), minus_x.begin(), [](const Scalar &number) { return -number; });
      LayoutOf<Format, Scalar, Index, Exec> layout;
      layout.Build(*OwnExec<Exec>(), csr, options);
      const OwnExec<Exec> exec(layout.MakeWorkspace(false).bytes());
      for (const bool minus : {false, true}) {
        const auto          right = Bounds(Reference(csr, op, minus ? minus_x : x, &v), options);
        std::vector<Scalar> apart(out + 2, nan), in_place = v; // NaN if y must not be read, and guards at both ends
        layout.Apply(*exec, op, x.data(), {.y = apart.data() + 1, .v = v.data(), .minus = minus});
        layout.Apply(*exec, op, x.data(), {.y = in_place.data(), .v = in_place.data(), .minus = minus});
        for (std::size_t i = 0; i < out; ++i) {
          ASSERT_TRUE(right[i].Matches(apart[i + 1])) << (minus ? "minus" : "plus") << ", row " << i << ": " << apart[i + 1];
          ASSERT_TRUE(right[i].Matches(in_place[i])) << (minus ? "minus" : "plus") << " in place, row " << i << ": " << in_place[i];
        }
        ASSERT_TRUE(std::isnan(std::real(apart.front())) && std::isnan(std::real(apart.back()))) << "wrote beyond y";
      }
    }
  }

  /// Several vectors, each compared bit by bit with its single product, and the gaps between them.
  static void CheckMany(const Layout &layout, const Csr<Scalar, Index> &csr, std::size_t count)
  {
    if constexpr (AppliesMany<Format, Exec>) {
      const std::size_t         in = static_cast<std::size_t>(csr.cols), out = static_cast<std::size_t>(csr.rows), ld = out + 3;
      const std::vector<Scalar> x = RandomVector<Scalar>((in + 2) * count, 5), y0 = RandomVector<Scalar>(ld * count, 6);
      const auto                columns = [&](std::vector<Scalar> &y) {
        return Vectors<Scalar>{y.data(), static_cast<std::int64_t>(ld), static_cast<std::int64_t>(count)};
      };
      const Vectors<const Scalar> all{x.data(), static_cast<std::int64_t>(in + 2), static_cast<std::int64_t>(count)};
      std::vector<Scalar>         set = y0, added = y0, alone = y0, added_alone = y0;
      layout.template ApplyMany<false>(all, columns(set));
      layout.template ApplyMany<true>(all, columns(added));
      for (std::size_t k = 0; k < count; ++k) {
        const std::vector<Scalar> one(all[static_cast<std::int64_t>(k)], all[static_cast<std::int64_t>(k)] + in);
        layout.template Apply<Op::N, false>(one, alone.data() + k * ld, out);
        layout.template Apply<Op::N, true>(one, added_alone.data() + k * ld, out);
      }
      ASSERT_EQ(std::memcmp(set.data(), alone.data(), ld * count * sizeof(Scalar)), 0) << count << " vectors";
      ASSERT_EQ(std::memcmp(added.data(), added_alone.data(), ld * count * sizeof(Scalar)), 0) << count << " vectors, added";
    }
  }

  /// Calls check(matrix, arrays, layout, options) for all shapes and all options of the sweep.
  template <class Check>
  static void ForAll(const Check &check)
  {
    for (const OptionValues &options : Config::Options()) {
      for (const TestMatrix &a : AllShapes(Config::Unit(options))) {
        SCOPED_TRACE(Context(a, options));
        const Arrays<Scalar, Index> arrays(a);
        Layout                      layout;
        layout.Build(arrays.csr, options);
        check(a, arrays, layout, options);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
};

TYPED_TEST_SUITE_P(Conformance);

TYPED_TEST_P(Conformance, Products)
{
  TestFixture::ForAll([](const TestMatrix &, const auto &arrays, const auto &layout, const OptionValues &options) {
    TestFixture::template CheckProducts<Op::N>(layout, arrays.csr, options);
    TestFixture::template CheckProducts<Op::T>(layout, arrays.csr, options);
    TestFixture::template CheckProducts<Op::H>(layout, arrays.csr, options);
  });
}

TYPED_TEST_P(Conformance, AddsToAnotherVectorAndSubtracts)
{
  TestFixture::ForAll([](const TestMatrix &, const auto &arrays, const auto &, const OptionValues &options) {
    TestFixture::template CheckResults<Op::N>(arrays.csr, options);
    TestFixture::template CheckResults<Op::T>(arrays.csr, options);
    TestFixture::template CheckResults<Op::H>(arrays.csr, options);
  });
}

TYPED_TEST_P(Conformance, SeveralVectors)
{
  TestFixture::ForAll([](const TestMatrix &a, const auto &arrays, auto &layout, const OptionValues &options) {
    TestFixture::CheckMany(layout, arrays.csr, 7);
    if (options != TestFixture::Config::Options().front()) return;
    for (const std::size_t count : {0u, 1u, 3u, 8u, 9u, 17u}) TestFixture::CheckMany(layout, arrays.csr, count);
    TestMatrix ones = a; // may be stored differently
    std::fill(ones.real.begin(), ones.real.end(), 1.0);
    std::fill(ones.imag.begin(), ones.imag.end(), 0.0);
    const Arrays<typename TypeParam::Scalar, typename TypeParam::Index> of_ones(ones);
    layout.Build(of_ones.csr, options);
    TestFixture::CheckMany(layout, of_ones.csr, 7);
  });
}

TYPED_TEST_P(Conformance, RefreshTakesNewValues)
{
  TestFixture::ForAll([](const TestMatrix &a, const auto &, auto &layout, const OptionValues &options) {
    TestMatrix b = a;
    for (double &v : b.real) v = 3 - 2 * v;
    const Arrays<typename TypeParam::Scalar, typename TypeParam::Index> arrays(b);
    layout.Refresh(arrays.csr);
    TestFixture::template CheckProducts<Op::N>(layout, arrays.csr, options);
  });
}

TYPED_TEST_P(Conformance, RebuildForgetsTheOldMatrix)
{
  const OptionValues           options = TestFixture::Config::Options().front();
  typename TestFixture::Layout layout;
  for (const TestMatrix &a : AllShapes(TestFixture::Config::Unit(options))) {
    SCOPED_TRACE(a.name);
    const Arrays<typename TypeParam::Scalar, typename TypeParam::Index> arrays(a);
    layout.Build(arrays.csr, options);
    TestFixture::template CheckProducts<Op::N>(layout, arrays.csr, options);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST_P(Conformance, SameBitsEveryTime)
{
  using Scalar = typename TypeParam::Scalar;
  TestFixture::ForAll([](const TestMatrix &a, const auto &arrays, const auto &layout, const OptionValues &options) {
    const auto                   x = RandomVector<Scalar>(static_cast<std::size_t>(a.cols), 5);
    std::vector<Scalar>          first(static_cast<std::size_t>(a.rows)), again(first);
    typename TestFixture::Layout other;
    other.Build(arrays.csr, options);
    layout.template Apply<Op::N, false>(x, first.data(), first.size());
    other.template Apply<Op::N, false>(x, again.data(), again.size());
    for (std::size_t i = 0; i < first.size(); ++i) ASSERT_EQ(std::memcmp(&first[i], &again[i], sizeof(Scalar)), 0) << "row " << i;
  });
}

/// An Inf or a NaN in x reaches the rows that have an entry in that column, and no others.
TYPED_TEST_P(Conformance, InfAndNaNReachTheirRowsOnly)
{
  using Scalar = typename TypeParam::Scalar;
  TestFixture::ForAll([](const TestMatrix &a, const auto &, const auto &layout, const OptionValues &options) {
    if (a.cols == 0 || a.nnz() == 0 || !TestFixture::Config::KeepsRowsApart(options)) return;
    for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
      const int column                    = a.col_idx[static_cast<std::size_t>(a.nnz() / 2)];
      auto      x                         = RandomVector<Scalar>(static_cast<std::size_t>(a.cols), 6);
      x[static_cast<std::size_t>(column)] = MakeScalar<Scalar>(bad, 0);
      std::vector<Scalar> y(static_cast<std::size_t>(a.rows));
      layout.template Apply<Op::N, false>(x, y.data(), y.size());
      for (int row = 0; row < a.rows; ++row) {
        const auto begin      = a.col_idx.begin() + a.row_ptr[static_cast<std::size_t>(row)],
                   end        = a.col_idx.begin() + a.row_ptr[static_cast<std::size_t>(row) + 1];
        const bool    reached = std::find(begin, end, column) != end;
        const Scalar &v       = y[static_cast<std::size_t>(row)];
        ASSERT_EQ(!std::isfinite(std::real(v)) || !std::isfinite(std::imag(v)), reached) << "row " << row;
      }
    }
  });
}

/// An explicit zero times an Inf is NaN, as in AIJ: it is an entry like any other.
TYPED_TEST_P(Conformance, ExplicitZerosAreEntries)
{
  using Scalar = typename TypeParam::Scalar;
  for (const OptionValues &options : TestFixture::Config::Options()) {
    if (!TestFixture::Config::KeepsRowsApart(options)) continue;
    TestMatrix a = FromRowLengths("zeros", 300, 20, [](int i) { return 1 + i % 6; });
    std::fill(a.real.begin(), a.real.end(), 0.0);
    std::fill(a.imag.begin(), a.imag.end(), 0.0);
    const Arrays<Scalar, typename TypeParam::Index> arrays(a);
    typename TestFixture::Layout                    layout;
    layout.Build(arrays.csr, options);
    std::vector<Scalar> x(20, Scalar(1)), y(300, Scalar(9));
    x[7] = MakeScalar<Scalar>(std::numeric_limits<double>::infinity(), 0);
    layout.template Apply<Op::N, false>(x, y.data(), y.size());
    for (std::size_t row = 0; row < 300; ++row) {
      const bool has = std::find(a.col_idx.begin() + a.row_ptr[row], a.col_idx.begin() + a.row_ptr[row + 1], 7) !=
                       a.col_idx.begin() + a.row_ptr[row + 1];
      ASSERT_TRUE(has ? std::isnan(std::real(y[row])) : y[row] == Scalar(0)) << row;
    }
  }
}

TYPED_TEST_P(Conformance, RandomMatrices)
{
  std::vector<OptionValues> sweep = TestFixture::Config::Options();
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const TestMatrix   a       = Random(seed);
    const OptionValues options = sweep[seed % sweep.size()];
    SCOPED_TRACE(TestFixture::Context(a, options));
    const Arrays<typename TypeParam::Scalar, typename TypeParam::Index> arrays(a);
    typename TestFixture::Layout                                        layout;
    layout.Build(arrays.csr, options);
    TestFixture::template CheckProducts<Op::N>(layout, arrays.csr, options);
    TestFixture::template CheckProducts<Op::T>(layout, arrays.csr, options);
    TestFixture::template CheckProducts<Op::H>(layout, arrays.csr, options);
    if (this->HasFatalFailure()) return;
  }
}

/// Every figure is sensible, those of options equal the options, and the memory is proportionate.
TYPED_TEST_P(Conformance, Statistics)
{
  using Format = typename TestFixture::Format;
  TestFixture::ForAll([](const TestMatrix &a, const auto &, const auto &layout, const OptionValues &options) {
    const Stats stats = layout.Statistics();
    for (const Stat &stat : stats) ASSERT_TRUE(stat.Figure() >= 0) << stat.key;
    for (std::size_t k = 0; k < options.size(); ++k) {
      const auto shown =
        std::find_if(stats.begin(), stats.end(), [&](const Stat &stat) { return !std::strcmp(stat.key, Format::options[k].key); });
      ASSERT_TRUE(shown != stats.end()) << Format::options[k].key;
      if (options[k] != kDecide) {
        ASSERT_EQ(shown->value, static_cast<double>(options[k])) << shown->key;
      }
    }
    ASSERT_LE(static_cast<double>(layout.Bytes()), 1e6 + 100.0 * (a.nnz() + a.rows)); // no blow-up
  });
}

REGISTER_TYPED_TEST_SUITE_P(Conformance, Products, AddsToAnotherVectorAndSubtracts, SeveralVectors, RefreshTakesNewValues,
                            RebuildForgetsTheOldMatrix, SameBitsEveryTime, InfAndNaNReachTheirRowsOnly, ExplicitZerosAreEntries,
                            RandomMatrices, Statistics);

} // namespace petscspmv::test
