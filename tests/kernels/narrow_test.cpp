// 64-bit builds of PETSc: layouts with 32-bit indices wherever a matrix allows it.
#include "mat/format/format.hpp"

#include "formats/csrcopy/csrcopy.hpp"
#include "kernels/conformance.hpp"

namespace petscspmv::test {

namespace {

double IndexBits(const AnyLayout<double, std::int64_t> &layout)
{
  for (const Stat &stat : layout.Statistics()) {
    if (!std::strcmp(stat.key, "index_bits")) return stat.Figure();
  }
  return 0;
}

TEST(Narrow, LimitsAreThoseOf32Bits)
{
  const std::int64_t most = 2147483646;
  EXPECT_TRUE(FitsNarrow(most, most, most));
  EXPECT_FALSE(FitsNarrow(most + 1, 1, 1));
  EXPECT_FALSE(FitsNarrow(1, most + 1, 1));
  EXPECT_FALSE(FitsNarrow(1, 1, most + 1));
  EXPECT_FALSE(FitsNarrow(1, 1, std::int64_t{1} << 32)); // 0 in 32 bits
}

TEST(Narrow, LayoutsOf64BitMatricesHave32BitIndices)
{
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    const TestMatrix                                 a = Random(seed);
    Arrays<double, std::int64_t>                     arrays(a);
    LayoutOf<csrcopy::Csrcopy, double, std::int64_t> layout;
    SCOPED_TRACE(a.name);
    layout.Build(arrays.csr, {0, 7});
    EXPECT_EQ(IndexBits(layout), 32);
    EXPECT_EQ(layout.Bytes(), 12u * static_cast<std::size_t>(a.nnz()) + 4u * static_cast<std::size_t>(a.rows + 1));
    for (int round = 0; round < 2; ++round) {
      const auto          x = RandomVector<double>(static_cast<std::size_t>(a.cols), 1);
      std::vector<double> y(static_cast<std::size_t>(a.rows));
      layout.Apply(Op::N, false, x.data(), y.data());
      const auto reference = Reference<double>(arrays.csr, Op::N, x, nullptr);
      for (std::size_t i = 0; i < y.size(); ++i) ASSERT_TRUE(reference[i].Matches(y[i])) << i;
      for (double &v : arrays.val) v = 2 - v;
      layout.Refresh(arrays.csr);
    }
  }
}

} // namespace

} // namespace petscspmv::test
