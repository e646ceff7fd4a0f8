// 64-bit builds of PETSc: layouts use 32-bit indices wherever a matrix allows it.
#include "mat/format/methods.hpp"

#include "host_formats.hpp"
#include "kernels/conformance.hpp"

namespace petscspmv::test {

namespace {

TEST(Narrow, LimitsAreThoseOf32Bits)
{
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  EXPECT_TRUE(FitsNarrow(most, most));
  EXPECT_FALSE(FitsNarrow(most + 1, 1));
  EXPECT_FALSE(FitsNarrow(1, most + 1));
  EXPECT_FALSE(FitsNarrow(1, std::int64_t{1} << 32)); // 0 in 32 bits
}

template <class F>
class NarrowLayout : public ::testing::Test {
};
TYPED_TEST_SUITE(NarrowLayout, AllFormats);

/// Products, also after values have changed, in formats with layouts of their own and in those without.
TYPED_TEST(NarrowLayout, ProductsOf64BitMatrices)
{
  OptionValues options;
  for (const OptionSpec &option : TypeParam::options) options.push_back(option.initial);
  for (std::uint64_t seed = 1; seed < 30; ++seed) {
    const TestMatrix                                    a = Random(seed);
    Arrays<double, std::int64_t>                        arrays(a);
    LayoutOf<TypeParam, double, std::int64_t, HostExec> layout;
    SCOPED_TRACE(a.name);
    layout.Build(*OwnExec<HostExec>(), arrays.csr, options);
    const OwnExec<HostExec> exec(layout.MakeWorkspace(false).bytes());
    EXPECT_EQ(kBorrows<TypeParam> ? 32 : Figure(layout.Statistics(*exec), "index_bits"), 32);
    for (int round = 0; round < 2; ++round) {
      const auto          x = RandomVector<double>(static_cast<std::size_t>(a.cols), 1);
      std::vector<double> y(static_cast<std::size_t>(a.rows));
      layout.Apply(*exec, Op::N, x.data(), {.y = y.data()});
      const auto reference = Reference<double>(arrays.csr, Op::N, x, nullptr);
      for (std::size_t i = 0; i < y.size(); ++i) ASSERT_TRUE(reference[i].Matches(y[i])) << i;
      for (double &v : arrays.val) v = 2 - v;
      layout.Refresh(*exec, arrays.csr);
    }
  }
}

TEST(Narrow, IndicesTakeHalfTheMemory)
{
  const TestMatrix                                           a = Random(3);
  const Arrays<double, std::int64_t>                         arrays(a);
  LayoutOf<csrcopy::Csrcopy, double, std::int64_t, HostExec> layout;
  layout.Build(*OwnExec<HostExec>(), arrays.csr, {0, 7});
  EXPECT_EQ(layout.Bytes(),
            12u * static_cast<std::size_t>(a.nnz()) + 8u * static_cast<std::size_t>(a.rows + 1)); // row pointers count entries
}

} // namespace

} // namespace petscspmv::test
