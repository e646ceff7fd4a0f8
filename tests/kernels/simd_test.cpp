// Which instructions kernels run with.
#include "mat/format/launch.hpp"
#include "mat/format/sum.hpp"

#include "mat/impls/csr5/csr5.hpp"
#include "mat/impls/ipcsr/ipcsr.hpp"
#include "mat/impls/sellcs/sellcs.hpp"
#include "mat/impls/speculative/speculative.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace petscspmv::test {
namespace {

/// While it lives, kernels use another instruction set.
class WithSimd {
public:
  explicit WithSimd(Simd simd) { SetSimd(simd); }
  ~WithSimd() { SetSimd(before_); }

private:
  Simd before_ = CurrentSimd();
};

/// All that this processor has.
std::vector<Simd> SimdHere()
{
  std::vector<Simd> all;
  for (Simd simd : {Simd::Baseline, Simd::Avx2, Simd::Avx512}) {
    if (simd <= LargestSimd()) all.push_back(simd);
  }
  return all;
}

/// Notes from where it is called. No compiler copies it into a loop.
__attribute__((noinline)) void NoteCaller(const void **caller)
{
  *caller = __builtin_return_address(0);
}

struct Witness {
  const void **caller;

  void operator()(std::int64_t) const { NoteCaller(caller); }
};

/// The loop in whose code an address is: of those that begin before it, the last.
Simd LoopOf(const void *address)
{
  using Function = void (*)(const Witness &, std::int64_t, std::int64_t);
  const std::array<std::pair<Function, Simd>, 3> loops{{{LoopBaseline<Witness>, Simd::Baseline}, {LoopAvx2<Witness>, Simd::Avx2}, {LoopAvx512<Witness>, Simd::Avx512}}};
  std::uintptr_t                                 best = 0;
  Simd                                           simd = Simd::Baseline;
  for (const auto &[function, of] : loops) {
    const auto begin = reinterpret_cast<std::uintptr_t>(function);
    if (begin <= reinterpret_cast<std::uintptr_t>(address) && begin > best) {
      best = begin;
      simd = of;
    }
  }
  return simd;
}

TEST(Simd, TheLoopThatWasChosenRuns)
{
  for (Simd simd : SimdHere()) {
    const WithSimd        with(simd);
    const void           *caller = nullptr;
    volatile std::int64_t end    = 1; // nothing that a loop of its own could be made for
    Loop(Witness{&caller}, 0, end);
    ASSERT_NE(caller, nullptr);
    EXPECT_EQ(LoopOf(caller), simd) << kSimdNames[static_cast<int>(simd)];
  }
}

/// (1 + e)^2 - (1 + 2e) is e^2 where product and sum are one operation, and 0 where the product is rounded by itself.
struct SquareLess {
  const double *a;
  double       *y;

  void operator()(std::int64_t i) const { y[i] = a[0] * a[0] - a[1]; }
};

TEST(Simd, KernelsAreCompiledForTheirInstructions)
{
  for (Simd simd : SimdHere()) {
    const WithSimd              with(simd);
    const double                e = std::ldexp(1.0, -30);
    const std::array<double, 2> a{1 + e, 1 + 2 * e};
    std::vector<double>         y(8, -1.0);
    ParallelFor<HostExec>("SquareLess", 8, 1 << 20, SquareLess{a.data(), y.data()});
    for (double v : y) EXPECT_EQ(v, simd == Simd::Baseline ? 0 : e * e) << kSimdNames[static_cast<int>(simd)];
  }
}

/// Random rows of 0 to 40 entries and one of 3000, with values whose sums are inexact.
struct RandomCsr {
  std::vector<int>    row_ptr{0}, col_idx;
  std::vector<double> val, x;

  RandomCsr()
  {
    std::mt19937                           random(5);
    std::uniform_real_distribution<double> value(-1, 1);
    for (int row = 0; row < kRows; ++row) {
      const int length = row == 200 ? 3000 : static_cast<int>(random() % 41);
      for (int k = 0; k < length; ++k) {
        col_idx.push_back(static_cast<int>(random() % kRows));
        val.push_back(value(random));
      }
      row_ptr.push_back(static_cast<int>(col_idx.size()));
    }
    for (int col = 0; col < kRows; ++col) x.push_back(value(random));
  }

  static constexpr int kRows = 700;

  template <class Format>
  std::vector<double> Product() const
  {
    typename Format::template Layout<double, int, HostExec> layout;
    const Csr<double, int>                                  csr{kRows, kRows, row_ptr.data(), col_idx.data(), val.data()};
    OptionValues                                            options;
    std::vector<double>                                     y(kRows);
    for (const OptionSpec &option : Format::options) options.push_back(option.initial);
    Format::Build(csr, options, layout);
    Format::template Apply<Op::N, false>(layout, x.data(), y.data());
    return y;
  }
};

template <class Format>
class SimdOfFormat : public ::testing::Test {
};
using AllFormats = ::testing::Types<csr5::Csr5, sellcs::Sellcs, speculative::Speculative, ipcsr::Ipcsr>;
TYPED_TEST_SUITE(SimdOfFormat, AllFormats);

/// With fused operations results have the same bits however wide the registers are.
TYPED_TEST(SimdOfFormat, WidthChangesNoBits)
{
  const RandomCsr     matrix;
  std::vector<double> first;
  for (Simd simd : SimdHere()) {
    if (simd == Simd::Baseline) continue;
    const WithSimd            with(simd);
    const std::vector<double> y = matrix.template Product<TypeParam>();
    if (first.empty()) first = y;
    EXPECT_EQ(std::memcmp(y.data(), first.data(), y.size() * sizeof(double)), 0) << kSimdNames[static_cast<int>(simd)];
  }
}

} // namespace
} // namespace petscspmv::test
