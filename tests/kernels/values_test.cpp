// Values in fewer bytes are exact, and products with them have the same bits; rounded ones err within a bound.
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

/// Around the limits of single precision.
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
BlockBits<Scalar> BitsOf(const std::vector<Scalar> &values, const ValueRule<Scalar> &rule = {.converts = true})
{
  BlockBits<Scalar> bits(values.front(), rule);
  AddValues(values.data(), static_cast<std::int64_t>(values.size()), rule, bits);
  return bits;
}

/// Whether a number is exact in single precision, and neither NaN nor denormal there.
bool IsSingle(double v)
{
  const float  single = std::isnan(v) || (std::isfinite(v) && std::abs(v) > 0x1p127 * 2) ? 0 : static_cast<float>(v);
  const double back   = single;
  return std::memcmp(&back, &v, sizeof(v)) == 0 && (single == 0 || !(std::abs(single) < std::numeric_limits<float>::min()));
}

TEST(BlockBits, KindsOfNumbersAtTheEdges)
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
        // Rounded if there is a sensible neighbour in single precision.
        const bool rounds = edge == 0 || std::isinf(edge) || (std::abs(edge) >= 0x1p-126 && std::abs(edge) <= 0x1.fffffep127);
        EXPECT_EQ(BitsOf(values, {.converts = true, .rounded = true}).Kind(), rounds ? ValueKind::Single : ValueKind::Full);
        EXPECT_EQ(BitsOf(std::vector<float>(n, static_cast<float>(at))).Kind(), ValueKind::One);
      }
    }
  }
  EXPECT_EQ(BitsOf(std::vector<std::complex<double>>(100, {1, 0.1})).Kind(), ValueKind::One);
  EXPECT_EQ(BitsOf(std::vector<std::complex<double>>{{1, 0.1}, {0.1, 1}}).Kind(), ValueKind::Full);
  EXPECT_EQ(BitsOf(std::vector<float>{1, 2}).Kind(), ValueKind::Full);
  EXPECT_EQ(BitsOf(std::vector<double>{0.0, -0.0}).Kind(), ValueKind::Single);
  EXPECT_EQ(BitsOf(std::vector<double>{0.0, -0.0}, {.converts = false}).Kind(), ValueKind::Full);
}

/// A rule with a table.
template <class Scalar>
ValueRule<Scalar> Table(const std::vector<Scalar> &numbers, bool few_first)
{
  ValueRule<Scalar> rule{.converts = true, .few_first = few_first, .numbers = static_cast<int>(numbers.size())};
  for (std::size_t k = 0; k < numbers.size(); ++k) rule.number[k] = NumberBits<Scalar>(numbers[k]);
  return rule;
}

TEST(BlockBits, NumbersOfATable)
{
  for (const bool few_first : {false, true}) {
    for (const double edge : kEdges) {
      SCOPED_TRACE(edge);
      for (const std::size_t n : {3u, 8u, 31u, 33u, 127u, 129u, 256u, 300u}) {
        std::vector<double>               values(n, 0.3);
        std::vector<std::complex<double>> pairs(n, {1, 0.3});
        for (const std::size_t at : {std::size_t{1}, n - 1}) {
          values[at] = edge;
          pairs[at]  = {1, edge};
          // 0.3 is not exact in single precision, so that no block is of kind Single.
          EXPECT_EQ(BitsOf(values, Table<double>({0.3, edge}, few_first)).Kind(), ValueKind::Few);
          EXPECT_EQ(BitsOf(values, Table<double>({0.3, 2}, few_first)).Kind(), ValueKind::Full);
          EXPECT_EQ(BitsOf(pairs, Table<std::complex<double>>({{2, edge}, {1, edge}, {1, 0.3}}, few_first)).Kind(), ValueKind::Few);
          EXPECT_EQ(BitsOf(pairs, Table<std::complex<double>>({{edge, 7}, {2, edge}, {1, 0.3}}, few_first)).Kind(),
                    ValueKind::Full);
          values[at] = 0.3;
          pairs[at]  = {1, 0.3};
        }
      }
    }
    const std::vector<double> integers{1, 2, 1, 2, 2, 1, 1, 2, 1};
    EXPECT_EQ(BitsOf(integers, Table<double>({1, 2}, few_first)).Kind(), few_first ? ValueKind::Few : ValueKind::Single);
    EXPECT_EQ(BitsOf(std::vector<float>{0.1F, 2, 0.1F}, Table<float>({0.1F, 2}, few_first)).Kind(), ValueKind::Few);
  }
}

/// Values by a rule, for entry e of n.
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
  {"five numbers of all digits", [](int e, int) { return Digits(e % 7 * (e % 11) % 5); }},
  {"zeros of both signs, an infinity and a NaN",
   [](int e, int) {
     return e % 3 == 0 ? -0.0 : e % 41 == 0 ? kInf : e % 101 == 0 ? std::nan("7") : 0.0;
   }},
  {"a stretch of each", [](int e, int n) { return 3 * e < n       ? 1.0
                                                  : 3 * e < 2 * n ? e % 5 + 0.5
                                                                  : Digits(e); }},
  {"integers, and a few of all digits", [](int e, int n) { return e == n / 3 || e == n / 2 ? Digits(e) : e % 7 - 3.0; }},
  {"integers and edges",
   [](int e, int n) { return e % (n / 40 + 40) == 0 ? kEdges[static_cast<std::size_t>(e + 25) % kEdges.size()] : e % 3 - 1.0; }},
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

/// The compiler chooses which NaN a sum of several becomes.
template <class Scalar>
bool SameBits(const Scalar &a, const Scalar &b)
{
  const auto same = [](auto x, auto y) { return std::memcmp(&x, &y, sizeof(x)) == 0 || (std::isnan(x) && std::isnan(y)); };
  return same(std::real(a), std::real(b)) && same(std::imag(a), std::imag(b));
}

/// Layouts with an option "values".
template <class T>
class Kinds : public ::testing::Test {
public:
  /// Treats matrices of any size as larger than the caches.
  void SetUp() override { TestExecution().own_cache = 0; }
  void TearDown() override { TestExecution().own_cache = Execution().own_cache; }

  using Config = typename T::Config;
  using Format = typename Config::Format;
  using Scalar = typename T::Scalar;
  using Index  = typename T::Index;
  using Layout = LayoutThere<Format, Scalar, Index, typename Config::Exec>;
  using Suite  = Conformance<T>;

  /// The same option values with another storage of values.
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

  /// Products with the layout have the same bits as with full values.
  static void CheckBits(const Layout &layout, const Csr<Scalar, Index> &csr, const OptionValues &options)
  {
    Layout full;
    full.Build(csr, Stored(options, ValueStorage::Full));
    for (const bool add : {false, true}) {
      const auto y = Product(layout, csr, add), of_full = Product(full, csr, add);
      for (std::size_t i = 0; i < y.size(); ++i) {
        ASSERT_TRUE(SameBits(y[i], of_full[i])) << "row " << i << ", " << y[i] << " for " << of_full[i];
      }
    }
    if (layout.Bytes() > full.Bytes()) ADD_FAILURE() << layout.Bytes() << " bytes for " << full.Bytes();
  }

  /// The shapes of the sweep, and one with enough blocks for samples.
  static std::vector<TestMatrix> Shapes(const OptionValues &options)
  {
    std::vector<TestMatrix> shapes = AllShapes(Config::Unit(options));
    shapes.push_back(
      FromRowLengths("many blocks", 40 * Config::Unit(options), 300, [](int i) { return i % 7 == 3 ? 0 : 2 + i * 7 % 9; }));
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

/// Two of the patterns for each shape and each set of options, and all with the defaults.
TYPED_TEST_P(Kinds, ProductsHaveTheSameBits)
{
  std::size_t turn = 0, with_kinds = 0;
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
    const Arrays<typename TestFixture::Scalar, typename TestFixture::Index> ones(
      WithValues(TestFixture::Shapes(options).back(), kPatterns.front()));
    typename TestFixture::Layout layout;
    layout.Build(ones.csr, TestFixture::Stored(options, ValueStorage::Auto));
    for (const Stat &stat : layout.Statistics()) with_kinds += std::string(stat.key).starts_with("one_value_") && stat.value > 0;
  }
  EXPECT_GT(2 * with_kinds, TestFixture::Config::Options().size()); // not for blocks of single entries
}

TYPED_TEST_P(Kinds, NewValuesOfOtherKinds)
{
  const std::vector<OptionValues> sweep = TestFixture::Config::Options();
  for (std::size_t k = 0; k < sweep.size(); k += 5) {
    const OptionValues options = TestFixture::Stored(sweep[k], ValueStorage::Auto);
    for (const TestMatrix &shape : TestFixture::Shapes(options)) {
      typename TestFixture::Layout layout;
      for (std::size_t step = 0; step < 9; ++step) { // the last ones after kinds have been given up
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
  using Scalar                          = typename TestFixture::Scalar;
  const std::vector<OptionValues> sweep = TestFixture::Config::Options();
  for (std::size_t k = 0; k < sweep.size(); k += 5) {
    const OptionValues options = TestFixture::Stored(sweep[k], ValueStorage::Single);
    for (const TestMatrix &shape : TestFixture::Shapes(options)) {
      TestMatrix a = shape;
      for (std::size_t e = 0; kHasSingle<Scalar> && e < a.real.size(); e += 97)
        a.real[e] *= e % 2 ? 1e-200 : 1e60; // not exact in single precision
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

/// Programs may trap floating-point exceptions: examining and storing values raises none, whatever they are.
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
      TestFixture::Product(layout, integers.csr, false);
      ASSERT_EQ(std::fetestexcept(FE_INVALID | FE_OVERFLOW | FE_DIVBYZERO | FE_UNDERFLOW), 0)
        << TestFixture::Suite::Context(shape, options);
    }
  }
}

TYPED_TEST_P(Kinds, FewerBytesWhereThereAreKinds)
{
  using Scalar               = typename TestFixture::Scalar;
  const OptionValues options = TestFixture::Config::Options().front();
  const std::string  blocks  = std::is_same_v<typename TestFixture::Format, csr5::Csr5> ? "tiles" : "chunks";
  const TestMatrix   shape   = FromRowLengths("regular", 4096, 500, [](int) { return 8; });
  const auto         build   = [&](double (*value)(int, int), ValueStorage storage, const auto &check) {
    const Arrays<Scalar, typename TestFixture::Index> arrays(WithValues(shape, {"", value}));
    typename TestFixture::Layout                      layout;
    layout.Build(arrays.csr, TestFixture::Stored(options, storage));
    const Stats stats = layout.Statistics();
    check(static_cast<double>(layout.Bytes()), Figure(stats, "single_" + blocks) / Figure(stats, blocks),
                    Figure(stats, "few_values_" + blocks) / Figure(stats, blocks),
                    Figure(stats, "one_value_" + blocks) / Figure(stats, blocks));
  };
  const auto   ones     = [](int, int) { return 1.0; };
  const auto   integers = [](int e, int) { return e % 70 - 8.0; };
  const auto   all      = [](int e, int) { return Digits(e); };
  const auto   seven    = [](int e, int) { return Digits(e * e % 7); };
  const double scalars  = shape.nnz() * static_cast<double>(sizeof(Scalar));
  double       full     = 0;
  const auto   expect   = [&](double least_saved, double of_single, double of_few, double of_one) {
    return [=, &full](double bytes, double single, double few, double one) {
      EXPECT_LE(bytes, full - least_saved * scalars);
      EXPECT_EQ(single, of_single);
      EXPECT_EQ(few, of_few);
      EXPECT_EQ(one, of_one);
    };
  };
  const double share = kHasSingle<Scalar> ? 1 : 0; // of blocks in single precision, if that is narrower
  build(ones, ValueStorage::Full, [&](double bytes, double single, double few, double one) {
    full = bytes;
    EXPECT_EQ(single + few + one, 0);
  });
  build(ones, ValueStorage::Auto, expect(0.7, 0, 0, 1));
  build(integers, ValueStorage::Auto, expect(0.3 * share, share, 0, 0));
  build(seven, ValueStorage::Auto, expect(0.6, 0, 1, 0));
  build(all, ValueStorage::Auto, [&](double bytes, double single, double few, double one) {
    EXPECT_EQ(bytes, full);
    EXPECT_EQ(single + few + one, 0);
  });
  build(all, ValueStorage::Single, expect(0.3 * share, share, 0, 0));
  if (!kOnHost<typename TestFixture::Config::Exec>) return;
  // In cache, conversions do not pay; a single number for all does.
  TestExecution().own_cache = Execution().own_cache;
  build(ones, ValueStorage::Auto, expect(0.7, 0, 0, 1));
  build(integers, ValueStorage::Auto, expect(0, 0, 0, 0));
  build(seven, ValueStorage::Auto, expect(0, 0, 0, 0));
  build(all, ValueStorage::Single, expect(0.3 * share, share, 0, 0));
}

/// New values that fit leave kinds as they are; for others kinds are chosen again, three times.
TYPED_TEST_P(Kinds, AreChosenAgainWhereValuesNoLongerFit)
{
  using Scalar               = typename TestFixture::Scalar;
  const std::string  blocks  = std::is_same_v<typename TestFixture::Format, csr5::Csr5> ? "tiles" : "chunks";
  const OptionValues options = TestFixture::Config::Options().front();
  const TestMatrix   shape   = FromRowLengths("regular", 4096, 500, [](int) { return 8; });
  const auto         values  = [&](double (*value)(int, int)) {
    return Arrays<Scalar, typename TestFixture::Index>(WithValues(shape, {"", value}));
  };
  const auto ones = values([](int, int) { return 1.0; }), twos = values([](int, int) { return 2.0; }),
             three = values([](int e, int) { return Digits(e * e % 3); }), digits = values([](int e, int) { return Digits(e); });
  typename TestFixture::Layout layout;
  const auto                   expect = [&](const auto &arrays, double of_few, double of_one) {
    TestFixture::CheckBits(layout, arrays.csr, options);
    EXPECT_EQ(Figure(layout.Statistics(), "few_values_" + blocks) / Figure(layout.Statistics(), blocks), of_few);
    EXPECT_EQ(Figure(layout.Statistics(), "one_value_" + blocks) / Figure(layout.Statistics(), blocks), of_one);
  };
  layout.Build(ones.csr, options);
  for (int k = 0; k < 10; ++k) { // any number of times
    layout.Refresh(k % 2 ? ones.csr : twos.csr);
    expect(k % 2 ? ones : twos, 0, 1);
  }
  layout.Refresh(three.csr);
  expect(three, 1, 0);
  layout.Refresh(ones.csr); // not in the table
  expect(ones, 0, 1);
  layout.Refresh(digits.csr);
  expect(digits, 0, 0);
  layout.Refresh(ones.csr); // once too often
  expect(ones, 0, 0);

  layout.Build(digits.csr, options);
  expect(digits, 0, 0);
  layout.Refresh(three.csr);
  expect(three, 1, 0);

  // Rounded values stay rounded.
  if (!kHasSingle<Scalar>) return;
  layout.Build(digits.csr, TestFixture::Stored(options, ValueStorage::Single));
  for (int k = 0; k < 6; ++k) {
    layout.Refresh(k % 2 ? ones.csr : digits.csr);
    EXPECT_GT(Figure(layout.Statistics(), "single_" + blocks) + Figure(layout.Statistics(), "one_value_" + blocks), 0);
  }
}

/// All blocks are of one kind but for a number in the first, a middle or the last one, which leaves the others as they are. Some
/// rows are moved in chunks of the second shape.
TYPED_TEST_P(Kinds, OneNumberOfAnotherKind)
{
  using Arrays_              = Arrays<typename TestFixture::Scalar, typename TestFixture::Index>;
  const std::string  blocks  = std::is_same_v<typename TestFixture::Format, csr5::Csr5> ? "tiles" : "chunks";
  const OptionValues options = TestFixture::Config::Options().front();
  const auto         kinds   = [&](const typename TestFixture::Layout &layout) {
    const Stats stats = layout.Statistics();
    return Figure(stats, "single_" + blocks) + Figure(stats, "few_values_" + blocks) + Figure(stats, "one_value_" + blocks);
  };
  for (const TestMatrix &shape : {FromRowLengths("regular", 4096, 500, [](int) { return 8; }),
                                  FromRowLengths("uneven", 4096, 500, [](int i) { return 2 + i * 7 % 9 + i % 2 * 5; })}) {
    for (const std::size_t of_pattern : {0, 4, 6}) {
      const TestMatrix             base = WithValues(shape, kPatterns[of_pattern]);
      typename TestFixture::Layout layout;
      layout.Build(Arrays_(base).csr, options);
      const double of_base = kinds(layout);
      for (const int at : {0, base.nnz() / 2, base.nnz() - 1}) {
        for (const double odd : {Digits(1), std::nan("7"), -0.0, -kInf, 1e-310}) {
          if (!kOnHost<typename TestFixture::Config::Exec> && odd != Digits(1)) continue; // emulation takes long
          TestMatrix a                         = base;
          a.real[static_cast<std::size_t>(at)] = odd;
          SCOPED_TRACE(TestFixture::Suite::Context(a, options) + ", " + std::to_string(odd) + " at " + std::to_string(at));
          const Arrays_                arrays(a);
          typename TestFixture::Layout made, refreshed;
          made.Build(arrays.csr, options);
          TestFixture::CheckBits(made, arrays.csr, options);
          EXPECT_GE(kinds(made), of_base - 1);
          refreshed.Build(Arrays_(base).csr, options);
          refreshed.Refresh(arrays.csr);
          TestFixture::CheckBits(refreshed, arrays.csr, options);
          if (this->HasFatalFailure()) return;
        }
      }
    }
  }
}

REGISTER_TYPED_TEST_SUITE_P(Kinds, OneNumberOfAnotherKind, ProductsHaveTheSameBits, NewValuesOfOtherKinds,
                            RoundedValuesErrWithinTheBound, NoFloatingPointExceptions, FewerBytesWhereThereAreKinds,
                            AreChosenAgainWhereValuesNoLongerFit);

using Csr5Types   = ValueTypes<csr5::Csr5>;
using SellcsTypes = ValueTypes<sellcs::Sellcs>;
INSTANTIATE_TYPED_TEST_SUITE_P(Csr5, Kinds, Csr5Types);
INSTANTIATE_TYPED_TEST_SUITE_P(Sellcs, Kinds, SellcsTypes);

} // namespace

} // namespace petscspmv::test
