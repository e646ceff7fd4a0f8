// Every operation of lanes, for the target that this file is compiled for, against the same operation written out number by
// number. Bits must agree, and those of fused operations must agree with std::fma.
#include "mat/arithmetic/lanes.hpp"

#include "mat/arithmetic/column_lanes.hpp"
#include "mat/arithmetic/mask_lanes.hpp"
#include "reference/accuracy.hpp"
#include "support/vast.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>

namespace petscspmv::test {
namespace {

/// Volatile, to call the library's fma and not what the compiler emits for this target.
double (*volatile fused_double)(double, double, double) = std::fma;
float (*volatile fused_float)(float, float, float)      = std::fma;

/// sum + a b.
double Add(double sum, double a, double b)
{
  return PETSCSPMV_FUSED ? fused_double(a, b, sum) : sum + a * b;
}
float Add(float sum, float a, float b)
{
  return PETSCSPMV_FUSED ? fused_float(a, b, sum) : sum + a * b;
}
template <class T>
std::complex<T> Add(std::complex<T> sum, std::complex<T> a, std::complex<T> b)
{
  return {Add(Add(sum.real(), a.real(), b.real()), -a.imag(), b.imag()),
          Add(Add(sum.imag(), a.real(), b.imag()), a.imag(), b.real())};
}

template <class S, int count>
struct Numbers {
  using Scalar           = S;
  static constexpr int n = count;
};

template <class Case>
class LanesOf : public ::testing::Test {
public:
  using Scalar               = typename Case::Scalar;
  using Real                 = typename Parts<Scalar>::Real;
  static constexpr int  n    = Case::n;
  static constexpr bool real = Parts<Scalar>::count == 1;
  using Values               = Lanes<Scalar, n>;
  using Array                = std::array<Scalar, static_cast<std::size_t>(n)>;

  Real   RandomPart() { return std::uniform_real_distribution<Real>(-1, 1)(random_); }
  Scalar RandomNumber()
  {
    if constexpr (real) return RandomPart();
    else return {RandomPart(), RandomPart()};
  }
  Array RandomArray()
  {
    Array all;
    for (Scalar &v : all) v = RandomNumber();
    return all;
  }
  int RandomBelow(int end) { return static_cast<int>(random_() % static_cast<unsigned>(end)); }

  /// Stored at any alignment, without writing outside.
  template <int count>
  static void Expect(const Lanes<Scalar, count> &lanes, const std::array<Scalar, static_cast<std::size_t>(count)> &expected,
                     const char *what)
  {
    std::array<Scalar, static_cast<std::size_t>(count) + 2> stored;
    stored.fill(Scalar(42));
    lanes.Store(stored.data() + 1);
    EXPECT_EQ(stored.front(), Scalar(42)) << what;
    EXPECT_EQ(stored.back(), Scalar(42)) << what;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(std::memcmp(&stored[i + 1], &expected[i], sizeof(Scalar)), 0)
        << what << ", lane " << i << ": " << stored[i + 1] << " for " << expected[i];
    }
  }

  /// f(i) in every lane.
  template <class F>
  static Array Each(const F &f)
  {
    Array all;
    for (int i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = f(static_cast<std::size_t>(i));
    return all;
  }

private:
  std::mt19937 random_{7};
};

// Less than a register of any target, and several registers.
using Cases = ::testing::Types<Numbers<double, 2>, Numbers<double, 8>, Numbers<double, 32>, Numbers<float, 4>, Numbers<float, 16>,
                               Numbers<float, 32>, Numbers<std::complex<double>, 4>, Numbers<std::complex<double>, 16>,
                               Numbers<std::complex<float>, 8>, Numbers<std::complex<float>, 16>>;
TYPED_TEST_SUITE(LanesOf, Cases);

TYPED_TEST(LanesOf, LoadAndStore)
{
  using Scalar = typename TestFixture::Scalar;
  std::vector<Scalar> from;
  for (int i = 0; i < TestFixture::n + 3; ++i) from.push_back(this->RandomNumber());
  for (std::size_t first = 0; first <= 3; ++first) { // aligned to a number and no more
    TestFixture::Expect(TestFixture::Values::Load(from.data() + first),
                        TestFixture::Each([&](std::size_t i) { return from[first + i]; }), "Load");
  }
  TestFixture::Expect(TestFixture::Values::Zero(), TestFixture::Each([](std::size_t) { return Scalar(0); }), "Zero");
}

template <class Suite, class Index>
void CheckPlaces(Suite &suite)
{
  using Scalar = typename Suite::Scalar;
  std::vector<Scalar> x;
  for (int i = 0; i < 5000; ++i) x.push_back(suite.RandomNumber());
  for (int round = 0; round < 20; ++round) {
    std::array<Index, Suite::n + 1> column{}; // aligned to an index and no more
    for (Index &c : column) c = suite.RandomBelow(5000);
    Suite::Expect(Suite::Values::LoadAt(x.data(), Places<Index>{column.data() + 1}),
                  Suite::Each([&](std::size_t i) { return x[static_cast<std::size_t>(column[i + 1])]; }), "Places");
  }
}

TYPED_TEST(LanesOf, LoadAtPlaces)
{
  CheckPlaces<TestFixture, std::int32_t>(*this);
  CheckPlaces<TestFixture, std::int64_t>(*this);
}

/// The last columns that 32-bit indices can number, and with 64 bits those beyond.
TYPED_TEST(LanesOf, LoadAtTheLastPlaces)
{
  using Scalar            = typename TestFixture::Scalar;
  constexpr std::size_t k = std::size_t{1} << 31;
  Vast<Scalar>          x(k + 10);
  for (std::size_t c = k - 40; c < k + 10; ++c) x[c] = this->RandomNumber();
  std::array<std::int32_t, TestFixture::n> narrow;
  std::array<std::int64_t, TestFixture::n> wide;
  for (std::size_t i = 0; i < TestFixture::n; ++i) {
    narrow[i] = std::numeric_limits<std::int32_t>::max() - static_cast<std::int32_t>(i);
    wide[i]   = static_cast<std::int64_t>(k + 9 - i);
  }
  TestFixture::Expect(TestFixture::Values::LoadAt(x.data(), Places<std::int32_t>{narrow.data()}),
                      TestFixture::Each([&](std::size_t i) { return x[k - 1 - i]; }), "32 bits");
  TestFixture::Expect(TestFixture::Values::LoadAt(x.data(), Places<std::int64_t>{wide.data()}),
                      TestFixture::Each([&](std::size_t i) { return x[k + 9 - i]; }), "64 bits");
}

TYPED_TEST(LanesOf, LoadAtOffsets)
{
  using Scalar = typename TestFixture::Scalar;
  std::vector<Scalar> x;
  for (int i = 0; i < 65536; ++i) x.push_back(this->RandomNumber());
  for (int round = 0; round < 20; ++round) {
    std::array<std::uint16_t, TestFixture::n> offset;
    for (std::size_t i = 0; i < TestFixture::n; ++i)
      offset[i] = i == 1 ? std::uint16_t{65535} : static_cast<std::uint16_t>(this->RandomBelow(65536));
    TestFixture::Expect(TestFixture::Values::LoadAt(x.data(), Places<std::uint16_t>{offset.data()}),
                        TestFixture::Each([&](std::size_t i) { return x[offset[i]]; }), "offsets");
  }
}

TYPED_TEST(LanesOf, Arithmetic)
{
  using Values = typename TestFixture::Values;
  using Scalar = typename TestFixture::Scalar;
  for (int round = 0; round < 50; ++round) {
    const auto   a = this->RandomArray(), b = this->RandomArray(), c = this->RandomArray();
    const Values va = Values::Load(a.data()), vb = Values::Load(b.data()), vc = Values::Load(c.data());
    TestFixture::Expect(va + vb, TestFixture::Each([&](std::size_t i) { return a[i] + b[i]; }), "+");
    TestFixture::Expect(va - vb, TestFixture::Each([&](std::size_t i) { return a[i] - b[i]; }), "-");
    TestFixture::Expect(va.RoundedTimes(vb), TestFixture::Each([&](std::size_t i) { return Multiply(a[i], b[i]); }),
                        "RoundedTimes");
    TestFixture::Expect(vc.PlusProduct(va, vb), TestFixture::Each([&](std::size_t i) { return Add(c[i], a[i], b[i]); }),
                        "PlusProduct");
    for (std::size_t i = 0; i < a.size(); ++i) { // the scalar operations that match the lanes
      const Scalar one = PlusProduct(c[i], a[i], b[i]), expected = Add(c[i], a[i], b[i]);
      EXPECT_EQ(std::memcmp(&one, &expected, sizeof(one)), 0) << one << " for " << expected;
    }
    if constexpr (TestFixture::real) {
      TestFixture::Expect(va * vb, TestFixture::Each([&](std::size_t i) { return a[i] * b[i]; }), "*");
      TestFixture::Expect(vc.MinusProduct(va, vb), TestFixture::Each([&](std::size_t i) { return Add(c[i], -a[i], b[i]); }),
                          "MinusProduct");
    } else {
      TestFixture::Expect(va * vb, TestFixture::Each([&](std::size_t i) { return Add(Scalar(0), a[i], b[i]); }), "*");
    }
  }
}

/// (1 + e)^2 - (1 + 2 e) is e^2 if product and sum are rounded once, and 0 if the product is rounded separately.
TYPED_TEST(LanesOf, ProductsAreFusedWhereTheTargetSaysSo)
{
  using Scalar = typename TestFixture::Scalar;
  using Real   = typename TestFixture::Real;
  using Values = typename TestFixture::Values;
  const Real e = std::ldexp(Real(1), -std::numeric_limits<Real>::digits / 2 - 2);
  const auto a = TestFixture::Each([&](std::size_t) { return Scalar(1 + e); }),
             c = TestFixture::Each([&](std::size_t) { return Scalar(-1 - 2 * e); });
  std::array<Scalar, TestFixture::n> result;
  Values::Load(c.data()).PlusProduct(Values::Load(a.data()), Values::Load(a.data())).Store(result.data());
  for (const Scalar &v : result) EXPECT_EQ(std::real(v), PETSCSPMV_FUSED ? e * e : 0);
}

/// Masked lanes are zero, whatever they contained: also Inf and NaN.
TYPED_TEST(LanesOf, LanesAboveACount)
{
  using Values     = typename TestFixture::Values;
  using Scalar     = typename TestFixture::Scalar;
  using Real       = typename TestFixture::Real;
  const auto check = [&]<class Index>(Index) {
    for (int now = 0; now < 6; ++now) {
      std::array<Index, TestFixture::n + 1> count;
      for (Index &c : count) c = this->RandomBelow(6);
      const auto a = TestFixture::Each([&](std::size_t i) {
        return count[i + 1] > now ? this->RandomNumber()
                                  : Scalar(i % 2 ? std::numeric_limits<Real>::infinity() : std::numeric_limits<Real>::quiet_NaN());
      });
      TestFixture::Expect(
        Values::Load(a.data()).IfAbove(static_cast<typename Values::Count>(now), Values::Counts::Load(count.data() + 1)),
        TestFixture::Each([&](std::size_t i) { return count[i + 1] > now ? a[i] : Scalar(0); }), "IfAbove");
    }
  };
  check(std::int32_t{});
  check(std::int64_t{});
}

TYPED_TEST(LanesOf, LanesWithNoneOfSomeBits)
{
  using Values = typename TestFixture::Values;
  using Scalar = typename TestFixture::Scalar;
  using Real   = typename TestFixture::Real;
  for (const std::uint32_t some : {0u, 1u, 0x80u, 0x80000000u, 0x81u, 0xffffffffu}) {
    std::array<std::uint32_t, TestFixture::n> bits;
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = i % 3 ? 1u << (i * 7 % 32) : i % 2 ? 0x80000001u : 0u;
    const auto a = TestFixture::Each(
      [&](std::size_t i) { return bits[i] & some ? Scalar(std::numeric_limits<Real>::quiet_NaN()) : this->RandomNumber(); });
    TestFixture::Expect(Values::Load(a.data()).IfWithout(typename Values::Bit(some), Values::Bits::Load(bits.data())),
                        TestFixture::Each([&](std::size_t i) { return bits[i] & some ? Scalar(0) : a[i]; }), "IfWithout");
  }
}

/// What is missing may be anything.
TYPED_TEST(LanesOf, SomeLanes)
{
  using Values = typename TestFixture::Values;
  using Scalar = typename TestFixture::Scalar;
  using Real   = typename TestFixture::Real;
  for (const std::uint32_t mask : {0u, 1u, 2u, 0x80u, 0x5au, 0xa5u, 0x8001u, 0xffffu}) {
    const auto a = TestFixture::Each(
      [&](std::size_t i) { return mask >> i & 1 ? this->RandomNumber() : Scalar(std::numeric_limits<Real>::quiet_NaN()); });
    TestFixture::Expect(KeepSome(Values::Load(a.data()), mask),
                        TestFixture::Each([&](std::size_t i) { return mask >> i & 1 ? a[i] : Scalar(0); }), "KeepSome");
  }
}

TYPED_TEST(LanesOf, TheFirstLanes)
{
  using Values = typename TestFixture::Values;
  using Scalar = typename TestFixture::Scalar;
  for (int count = 0; TestFixture::real && count <= TestFixture::n + 1; ++count) { // complex lanes have no First()
    const auto a =
      TestFixture::Each([&](std::size_t i) { return static_cast<int>(i) < count ? this->RandomNumber() : Scalar(std::nanf("")); });
    if constexpr (TestFixture::real) {
      TestFixture::Expect(Values::Load(a.data()).First(count),
                          TestFixture::Each([&](std::size_t i) { return static_cast<int>(i) < count ? a[i] : Scalar(0); }),
                          "First");
    }
  }
}

/// By halving down to one number.
template <class Scalar>
Scalar SumByHalves(std::vector<Scalar> v)
{
  while (v.size() > 1) {
    const std::size_t half = v.size() / 2;
    for (std::size_t i = 0; i < half; ++i) v[i] = v[i] + v[half + i];
    v.resize(half);
  }
  return v[0];
}

TYPED_TEST(LanesOf, FoldAndSum)
{
  using Values = typename TestFixture::Values;
  using Scalar = typename TestFixture::Scalar;
  for (int round = 0; round < 20; ++round) {
    const auto   a   = this->RandomArray();
    const Scalar sum = Values::Load(a.data()).Sum(), expected = SumByHalves(std::vector<Scalar>(a.begin(), a.end()));
    EXPECT_EQ(std::memcmp(&sum, &expected, sizeof(sum)), 0) << sum << " for " << expected;
    if constexpr (TestFixture::n > 2) {
      std::array<Scalar, TestFixture::n / 2> halves;
      for (std::size_t i = 0; i < halves.size(); ++i) halves[i] = a[i] + a[halves.size() + i];
      TestFixture::template Expect<TestFixture::n / 2>(Values::Load(a.data()).Fold(), halves, "Fold");
    }
  }
}

template <class Real>
void CheckSumsOfFour()
{
  std::mt19937                         random(3);
  std::uniform_real_distribution<Real> value(-1, 1);
  for (int round = 0; round < 50; ++round) {
    Real           a[4][4], sum[6], expected[6] = {42, 0, 0, 0, 0, 42};
    Lanes<Real, 4> row[4];
    for (int r = 0; r < 4; ++r) {
      for (Real &v : a[r]) v = value(random);
      row[r]          = Lanes<Real, 4>::Load(a[r]);
      expected[r + 1] = (a[r][0] + a[r][1]) + (a[r][2] + a[r][3]);
    }
    sum[0] = sum[5] = 42;
    StoreSumsOfFour(row, sum + 1);
    EXPECT_EQ(std::memcmp(sum, expected, sizeof(sum)), 0);
  }
}

TEST(Lanes, SumsOfFourRows)
{
  CheckSumsOfFour<double>();
  CheckSumsOfFour<float>();
}

/// The range of a block's columns, for any number of them.
template <class Index>
void CheckColumnRange()
{
  std::mt19937 random(5);
  for (std::int64_t n = 0; n < 100; ++n) {
    std::vector<Index> column(static_cast<std::size_t>(n));
    const Index        width = static_cast<Index>(n % 2 ? 65535 : 65537);
    for (Index &c : column) c = static_cast<Index>(1000000 + static_cast<Index>(random() % static_cast<unsigned>(width + 1)));
    if (n > 1) {
      column[random() % column.size()] = 1000000;
      column.back()                    = static_cast<Index>(1000000 + width);
    }
    ColumnRange<Index> range;
    AddColumns(column.data(), n, range);
    const auto  least = std::min_element(column.begin(), column.end()), most = std::max_element(column.begin(), column.end());
    const Index expected = n == 0 ? 0 : *most - *least < 65536 ? *least : Index{kFar};
    EXPECT_EQ(range.Base(), expected) << n;
  }
}

TEST(Lanes, RangeOfColumns)
{
  CheckColumnRange<std::int32_t>();
  CheckColumnRange<std::int64_t>();
}

} // namespace
} // namespace petscspmv::test
