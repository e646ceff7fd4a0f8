// The device mappings of all formats, emulated by the calling thread or, with PETSCSPMV_ON_DEVICE, on Kokkos' device.
#include "device_formats.hpp"

#include "kernels/conformance.hpp"
#include "mat/exec/settings.hpp"

#if defined(PETSCSPMV_ON_DEVICE)
  #include "mat/exec/device.hpp"
#else
  #include "support/emulated_device.hpp"
#endif

namespace petscspmv::test {

#if defined(PETSCSPMV_ON_DEVICE)
using TestedDevice = DeviceExec;
static_assert(kHasDevice);
#else
using TestedDevice = EmulatedDevice;
#endif

/// By a format's options, and the scalars and indices of a layout.
template <class Formats>
struct DeviceTypes;
template <class... F>
struct DeviceTypes<::testing::Types<F...>> {
  using Doubles   = ::testing::Types<Instance<Config<F, TestedDevice>, double, std::int32_t>...>;
  using Complexes = ::testing::Types<Instance<Config<F, TestedDevice>, std::complex<float>, std::int64_t>...>;
};

/// Names the tests after the formats.
struct NamesOfFormats {
  template <class T>
  static std::string GetName(int)
  {
    if constexpr (requires { typename T::Config; }) return T::Config::Format::alias;
    else return T::alias;
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(OnDevice, Conformance, DeviceTypes<AllFormats>::Doubles, NamesOfFormats);
INSTANTIATE_TYPED_TEST_SUITE_P(OnDeviceComplex, Conformance, DeviceTypes<AllFormats>::Complexes, NamesOfFormats);

template <class F>
class OnDevice : public ::testing::Test {
public:
  using Config = test::Config<F, TestedDevice>;
};
TYPED_TEST_SUITE(OnDevice, AllFormats, NamesOfFormats);

/// An off-diagonal matrix: a few rows, with thousands of empty ones between, before and after them.
TYPED_TEST(OnDevice, WideGapsOfEmptyRows)
{
  using Config = typename TestFixture::Config;
  using Suite  = Conformance<Instance<Config, double, std::int32_t>>;
  for (const int gap : {900, 1500, 5000}) {
    const TestMatrix          a = FromRowLengths("gaps", 30000, 64, [&](int i) { return i % gap == gap / 2 ? 1 + i % 60 : 0; });
    const Arrays<double, int> arrays(a);
    const OptionValues        options = Config::Options().front();
    typename Suite::Layout    layout;
    layout.Build(arrays.csr, options);
    Suite::template CheckProducts<Op::N>(layout, arrays.csr, options);
    ASSERT_FALSE(this->HasFatalFailure()) << gap;
  }
}

/// Copies of any length arrive whole, one after the other to the same place, by any number of threads, and come back.
TEST(Copies, ArriveWhole)
{
  const OwnExec<TestedDevice> exec;
  for (const std::size_t n : {0u, 1u, 1000u, (1u << 20) + 3, 17u << 20, (72u << 20) + 1}) {
    Array<unsigned char, TestedDevice::memory_space> there(n);
    for (const int threads : {1, 2, 3, 100}) {
      const std::size_t step = static_cast<std::size_t>(threads);
      SetUploadThreads(threads);
      std::vector<unsigned char> from(n), back(n);
      for (std::size_t i = 0; i < n; ++i) from[i] = static_cast<unsigned char>((i * step) % 251);
      (*exec).CopyIn(there.data(), from.data(), n);
      (*exec).CopyOut(back.data(), there.data(), n);
      EXPECT_TRUE(from == back) << n << " bytes, " << threads << " threads";
    }
  }
  SetUploadThreads(1);
}

#if !defined(PETSCSPMV_ON_DEVICE)

/// Products do not depend on the order of items, warps and lanes: none reads what another is about to write.
TYPED_TEST(OnDevice, SameBitsInReverse)
{
  using Config = typename TestFixture::Config;
  for (const OptionValues &options : Config::Options()) {
    for (const TestMatrix &a : AllShapes(Config::Unit(options))) {
      SCOPED_TRACE(a.name);
      const Arrays<double, int>        arrays(a);
      const auto                       x = RandomVector<double>(static_cast<std::size_t>(a.cols), 5);
      std::vector<std::vector<double>> y;
      for (const bool backwards : {false, true}) {
        EmulatedDevice::backwards = backwards;
        LayoutThere<TypeParam, double, int, EmulatedDevice> layout;
        layout.Build(arrays.csr, options);
        y.emplace_back(static_cast<std::size_t>(a.rows), std::nan(""));
        layout.template Apply<Op::N, false>(x, y.back().data(), y.back().size());
        layout.template Apply<Op::N, true>(x, y.back().data(), y.back().size());
      }
      EmulatedDevice::backwards = false;
      for (std::size_t i = 0; i < y[0].size(); ++i) ASSERT_EQ(std::memcmp(&y[0][i], &y[1][i], sizeof(double)), 0) << "row " << i;
    }
  }
}

/// What would crash with a device crashes with the emulated one.
TEST(EmulatedDeathTest, HostsCannotUseItsMemory)
{
  Array<double, ProtectedSpace> there(3);
  const volatile double        *value = there.data();
  EXPECT_DEATH(static_cast<void>(*value), "");
  const EmulatedDevice exec(TestExecution());
  exec.ForThreads("Set", 3, [data = there.data()](std::int64_t i) { data[i] = 7; });
  EXPECT_EQ(GetItem(exec, there.data() + 2), 7);
  EXPECT_DEATH(exec.ForThreads("Set", 1, [data = there.data()](std::int64_t) { data[8] = 7; }), ""); // beyond its cache line
}

#endif

} // namespace petscspmv::test
