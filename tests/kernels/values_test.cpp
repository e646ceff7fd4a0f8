// Values in fewer bytes are the same numbers, and products with them have the same bits; rounded ones err within a bound.
#include "device_formats.hpp"
#include "host_formats.hpp"

#include "kernels/conformance.hpp"
#include "mat/arithmetic/value_lanes.hpp"
#include "support/emulated_device.hpp"

#include <bit>
#include <cfenv>

namespace petscspmv::test {

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double FromBits(std::uint64_t bits)
{
  return std::bit_cast<double>(bits);
}

/// Around everything that a float is not.
const std::vector<double> kEdges{0.0,
                                 -0.0,
                                 1.0,
                                 -1.0,
                                 0.1,
                                 1 + 0x1p-23,
                                 1 + 0x1p-24,
                                 1 + 0x1p-52,
                                 0x1.fffffep127,
                                 0x1.fffffe0000001p127,
                                 0x1.ffffffp127,
                                 0x1p128,
                                 0x1p1023,
                                 0x1p-126,
                                 0x1.fffffcp-127,
                                 0x1p-127,
                                 0x1p-149,
                                 0x1p-150,
                                 std::numeric_limits<double>::denorm_min(),
                                 0x1p-1022,
                                 FromBits(0x20000000),
                                 kInf,
                                 -kInf,
                                 FromBits(0x7ff8000000000000),
                                 FromBits(0xfff8000020000000),
                                 FromBits(0x7ff4000000000000),
                                 FromBits(0x7ff0000000000001)};

template <class Scalar>
ValueBits<Scalar> BitsOf(const std::vector<Scalar> &values, ValueStorage storage = ValueStorage::Auto)
{
  ValueBits<Scalar> bits(values.front(), storage);
  AddValues(values.data(), static_cast<std::int64_t>(values.size()), bits);
  return bits;
}

/// Whether a number is one of single precision, no NaN and no denormal one.
bool IsSingle(double v)
{
  const float  single = std::isnan(v) || (std::isfinite(v) && std::abs(v) > 0x1p127 * 2) ? 0 : static_cast<float>(v);
  const double back   = single;
  return std::memcmp(&back, &v, sizeof(v)) == 0 && (single == 0 || !(std::abs(single) < std::numeric_limits<float>::min()));
}

TEST(ValueBits, KindsOfNumbersAtTheEdges)
{
  for (const double edge : kEdges) {
    SCOPED_TRACE(edge);
    for (const std::size_t n : {2u, 3u, 31u, 32u, 33u, 40u, 64u, 255u, 256u}) {
      EXPECT_EQ(BitsOf(std::vector<double>(n, edge)).Kind(), ValueKind::One);
      for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
        std::vector<double> values(n, 2.5);
        values[at]      = edge;
        const auto bits = BitsOf(values);
        ASSERT_EQ(bits.Kind(), IsSingle(edge) ? ValueKind::Single : ValueKind::Full) << at << " of " << n;
        EXPECT_EQ(bits.Fit(ValueKind::One), false);
        EXPECT_EQ(BitsOf(std::vector<std::complex<double>>{{1, 2}, {edge, 2}, {3, 4}}).Kind(), bits.Kind());
        EXPECT_EQ(BitsOf(std::vector<std::complex<double>>{{1, 2}, {3, edge}, {3, 4}}).Kind(), bits.Kind());
        // Rounded, what has a sensible neighbour in single precision.
        const bool rounds = edge == 0 || std::isinf(edge) || (std::abs(edge) >= 0x1p-126 && std::abs(edge) <= 0x1.fffffep127);
        EXPECT_EQ(BitsOf(values, ValueStorage::Single).Kind(), rounds ? ValueKind::Single : ValueKind::Full);
        EXPECT_EQ(BitsOf(std::vector<float>(n, static_cast<float>(at))).Kind(), ValueKind::One);
      }
    }
  }
  EXPECT_EQ(BitsOf(std::vector<std::complex<double>>(100, {1, 0.1})).Kind(), ValueKind::One);
  EXPECT_EQ(BitsOf(std::vector<std::complex<double>>{{1, 0.1}, {0.1, 1}}).Kind(), ValueKind::Full);
  EXPECT_EQ(BitsOf(std::vector<float>{1, 2}).Kind(), ValueKind::Full);
  EXPECT_EQ(BitsOf(std::vector<double>{0.0, -0.0}).Kind(), ValueKind::Single);
}

/// Values by a rule, of entry e of n.
struct Pattern {
  const char *name;
  double (*value)(int e, int n);
};

double Digits(int e)
{
  return std::sin(1 + e); // NOLINT
}

const std::vector<Pattern> kPatterns{
  {"ones", [](int, int) { return 1.0; }},
  {"one number of all digits", [](int, int) { return -0.1; }},
  {"negative zeros", [](int, int) { return -0.0; }},
  {"an infinity", [](int, int) { return kInf; }},
  {"integers", [](int e, int) { return e % 17 - 8.0; }},
  {"all digits", [](int e, int) { return Digits(e); }},
  {"a stretch of each", [](int e, int n) { return 3 * e < n       ? 1.0
                                                  : 3 * e < 2 * n ? e % 5 + 0.5
                                                                  : Digits(e); }},
  {"integers, and a few of all digits", [](int e, int n) { return e == n / 3 || e == n / 2 ? Digits(e) : e % 7 - 3.0; }},
  {"integers and edges",
   [](int e, int n) {
     return e > 0 && e % (n / 40 + 40) == 0 ? kEdges[static_cast<std::size_t>(e) % kEdges.size()] : e % 3 - 1.0;
   }},
};

TestMatrix WithValues(const TestMatrix &a, const Pattern &pattern)
{
  TestMatrix b = a;
  b.name += std::string(", ") + pattern.name;
  for (int e = 0; e < a.nnz(); ++e) {
    b.real[static_cast<std::size_t>(e)] = pattern.value(e, a.nnz());
    b.imag[static_cast<std::size_t>(e)] = pattern.value(a.nnz() - 1 - e, a.nnz());
  }
  return b;
}

/// Layouts with an option "values".
template <class T>
class Kinds : public ::testing::Test {
public:
  using Config = typename T::Config;
  using Format = typename Config::Format;
  using Scalar = typename T::Scalar;
  using Index  = typename T::Index;
  using Layout = LayoutThere<Format, Scalar, Index, typename Config::Exec>;
  using Suite  = Conformance<T>;

  /// The same option values with another way to store the matrix'.
  static OptionValues Stored(OptionValues options, ValueStorage storage)
  {
    options.at(Format::kValues) = static_cast<std::int64_t>(storage);
    return options;
  }

  static std::vector<Scalar> Product(const Layout &layout, const Csr<Scalar, Index> &csr, bool add)
  {
    auto x = RandomVector<Scalar>(static_cast<std::size_t>(csr.cols), 3),
         y = RandomVector<Scalar>(static_cast<std::size_t>(csr.rows), 4);
    for (std::size_t i = 0; i < x.size(); i += 5) x[i] = MakeScalar<Scalar>(i % 2 ? -0.0 : -1e-300, -0.0);
    if (add) layout.template Apply<Op::N, true>(x, y.data(), y.size());
    else layout.template Apply<Op::N, false>(x, y.data(), y.size());
    return y;
  }

  /// Products with the layout have the same bits as with one whose values are full.
  static void CheckBits(const Layout &layout, const Csr<Scalar, Index> &csr, const OptionValues &options)
  {
    Layout full;
    full.Build(csr, Stored(options, ValueStorage::Full));
    for (const bool add : {false, true}) {
      const auto y = Product(layout, csr, add), of_full = Product(full, csr, add);
      for (std::size_t i = 0; i < y.size(); ++i) {
        ASSERT_EQ(std::memcmp(&y[i], &of_full[i], sizeof(Scalar)), 0) << "row " << i << ", " << y[i] << " for " << of_full[i];
      }
    }
    if (layout.Bytes() > full.Bytes()) ADD_FAILURE() << layout.Bytes() << " bytes for " << full.Bytes();
  }

  /// The shapes of the sweep, and one with blocks enough for samples.
  static std::vector<TestMatrix> Shapes(const OptionValues &options)
  {
    std::vector<TestMatrix> shapes = AllShapes(Config::Unit(options));
    shapes.push_back(FromRowLengths("many blocks", 40 * Config::Unit(options), 300, [](int i) { return 2 + i * 7 % 9; }));
    return shapes;
  }
};

template <class F, class E>
using WithDoubles = Instance<Config<F, E>, double, std::int32_t>;
template <class F>
using ValueTypes = ::testing::Types<
  WithDoubles<F, HostExec>, WithDoubles<F, EmulatedDevice>, Instance<Config<F, HostExec>, std::complex<double>, std::int64_t>,
  Instance<Config<F, HostExec>, float, std::int32_t>, Instance<Config<F, EmulatedDevice>, std::complex<double>, std::int32_t>>;

TYPED_TEST_SUITE_P(Kinds);

/// Of the patterns, two for each shape and each set of options, and with the default all.
TYPED_TEST_P(Kinds, ProductsHaveTheSameBits)
{
  std::size_t turn = 0;
  for (const OptionValues &options : TestFixture::Config::Options()) {
    const std::size_t patterns = turn == 0 ? kPatterns.size() : 2;
    for (const TestMatrix &shape : TestFixture::Shapes(options)) {
      for (std::size_t k = 0; k < patterns; ++k) {
        const TestMatrix a = WithValues(shape, kPatterns[turn++ % kPatterns.size()]);
        SCOPED_TRACE(TestFixture::Suite::Context(a, options));
        const Arrays<typename TestFixture::Scalar, typename TestFixture::Index> arrays(a);
        typename TestFixture::Layout                                            layout;
        layout.Build(arrays.csr, TestFixture::Stored(options, ValueStorage::Auto));
        TestFixture::CheckBits(layout, arrays.csr, options);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST_P(Kinds, NewValuesOfOtherKinds)
{
  const std::vector<OptionValues> sweep = TestFixture::Config::Options();
  for (std::size_t k = 0; k < sweep.size(); k += 4) {
    const OptionValues options = TestFixture::Stored(sweep[k], ValueStorage::Auto);
    for (const TestMatrix &shape : TestFixture::Shapes(options)) {
      typename TestFixture::Layout layout;
      for (std::size_t step = 0; step < 14; ++step) { // the last ones when kinds have been given up
        const TestMatrix a = WithValues(shape, kPatterns[(step * 5 + k) % kPatterns.size()]);
        SCOPED_TRACE(TestFixture::Suite::Context(a, options));
        const Arrays<typename TestFixture::Scalar, typename TestFixture::Index> arrays(a);
        if (step == 0) layout.Build(arrays.csr, options);
        else layout.Refresh(arrays.csr);
        TestFixture::CheckBits(layout, arrays.csr, options);
        if (this->HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST_P(Kinds, RoundedValuesErrWithinTheBound)
{
  using Scalar = typename TestFixture::Scalar;
  for (const OptionValues &each : TestFixture::Config::Options()) {
    const OptionValues options = TestFixture::Stored(each, ValueStorage::Single);
    for (const TestMatrix &shape : TestFixture::Shapes(options)) {
      TestMatrix a = shape;
      for (std::size_t e = 0; kHasSingle<Scalar> && e < a.real.size(); e += 97)
        a.real[e] *= e % 2 ? 1e-200 : 1e60; // what single precision has not
      SCOPED_TRACE(TestFixture::Suite::Context(a, options));
      const Arrays<Scalar, typename TestFixture::Index> arrays(a);
      typename TestFixture::Layout                      layout;
      layout.Build(arrays.csr, options);
      const auto          x = RandomVector<Scalar>(static_cast<std::size_t>(a.cols), 7);
      std::vector<Scalar> y(static_cast<std::size_t>(a.rows));
      layout.template Apply<Op::N, false>(x, y.data(), y.size());
      const auto sums = TestFixture::Suite::Bounds(Reference<Scalar>(arrays.csr, Op::N, x, nullptr), options);
      for (std::size_t i = 0; i < y.size(); ++i)
        ASSERT_LE(std::abs(Widen(y[i]) - sums[i].value), sums[i].Bound() + 0x1p-24L * sums[i].magnitude * 1.0001L) << "row " << i;
    }
  }
}

/// Programs may have floating-point exceptions trapped: of values that are looked at and stored there are none, whatever they are.
TYPED_TEST_P(Kinds, NoFloatingPointExceptions)
{
  if (!kOnHost<typename TestFixture::Config::Exec> || std::is_same_v<typename TestFixture::Scalar, float>) return;
  for (const ValueStorage storage : {ValueStorage::Auto, ValueStorage::Single}) {
    for (const OptionValues &each : TestFixture::Config::Options()) {
      const OptionValues                                                      options = TestFixture::Stored(each, storage);
      const TestMatrix                                                        shape   = TestFixture::Shapes(options).back();
      const Arrays<typename TestFixture::Scalar, typename TestFixture::Index> edges(WithValues(shape, kPatterns.back())),
        integers(WithValues(shape, kPatterns[4]));
      typename TestFixture::Layout layout;
      std::feclearexcept(FE_ALL_EXCEPT);
      layout.Build(edges.csr, options);
      layout.Build(integers.csr, options);
      layout.Refresh(edges.csr);
      layout.Refresh(integers.csr);
      ASSERT_EQ(std::fetestexcept(FE_INVALID | FE_OVERFLOW | FE_DIVBYZERO | FE_UNDERFLOW), 0)
        << TestFixture::Suite::Context(shape, options);
    }
  }
}

TYPED_TEST_P(Kinds, FewerBytesWhereThereAreKinds)
{
  using Scalar                   = typename TestFixture::Scalar;
  const OptionValues options     = TestFixture::Config::Options().front();
  const std::string  blocks      = std::is_same_v<typename TestFixture::Format, csr5::Csr5> ? "tiles" : "chunks";
  const TestMatrix   shape       = FromRowLengths("regular", 4096, 500, [](int) { return 8; });
  const auto         layout_with = [&](const Pattern &pattern, ValueStorage storage, const auto &check) {
    const Arrays<Scalar, typename TestFixture::Index> arrays(WithValues(shape, pattern));
    typename TestFixture::Layout                      layout;
    layout.Build(arrays.csr, TestFixture::Stored(options, storage));
    check(layout, layout.Statistics());
  };
  const double scalars = shape.nnz() * static_cast<double>(sizeof(Scalar));
  double       full    = 0;
  layout_with(kPatterns[0], ValueStorage::Full, [&](const auto &layout, const Stats &stats) {
    full = static_cast<double>(layout.Bytes());
    EXPECT_EQ(Figure(stats, "single_" + blocks), 0);
    EXPECT_EQ(Figure(stats, "one_value_" + blocks), 0);
  });
  layout_with(kPatterns[0], ValueStorage::Auto, [&](const auto &layout, const Stats &stats) {
    EXPECT_EQ(Figure(stats, "one_value_" + blocks), Figure(stats, blocks));
    EXPECT_LT(static_cast<double>(layout.Bytes()), full - 0.7 * scalars);
  });
  layout_with(kPatterns[4], ValueStorage::Auto, [&](const auto &layout, const Stats &stats) {
    EXPECT_EQ(Figure(stats, "single_" + blocks), kHasSingle<Scalar> ? Figure(stats, blocks) : 0);
    if (kHasSingle<Scalar>) {
      EXPECT_LT(static_cast<double>(layout.Bytes()), full - 0.3 * scalars);
    }
  });
  layout_with(kPatterns[5], ValueStorage::Auto,
              [&](const auto &layout, const Stats &) { EXPECT_EQ(static_cast<double>(layout.Bytes()), full); });
  layout_with(kPatterns[5], ValueStorage::Single, [&](const auto &layout, const Stats &) {
    if (kHasSingle<Scalar>) {
      EXPECT_LT(static_cast<double>(layout.Bytes()), full - 0.3 * scalars);
    }
  });
}

REGISTER_TYPED_TEST_SUITE_P(Kinds, ProductsHaveTheSameBits, NewValuesOfOtherKinds, RoundedValuesErrWithinTheBound,
                            NoFloatingPointExceptions, FewerBytesWhereThereAreKinds);

using Csr5Types   = ValueTypes<csr5::Csr5>;
using SellcsTypes = ValueTypes<sellcs::Sellcs>;
INSTANTIATE_TYPED_TEST_SUITE_P(Csr5, Kinds, Csr5Types);
INSTANTIATE_TYPED_TEST_SUITE_P(Sellcs, Kinds, SellcsTypes);

} // namespace

} // namespace petscspmv::test
