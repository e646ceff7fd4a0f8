// The device mappings of all formats, played by the calling thread or, with PETSCSPMV_ON_DEVICE, on Kokkos' device.
#include "kernels/conformance.hpp"
#include "mat/impls/csr5/csr5.hpp"
#include "mat/impls/ipcsr/ipcsr.hpp"
#include "mat/impls/sellcs/sellcs.hpp"
#include "mat/impls/speculative/speculative.hpp"

namespace petscspmv::test {

#if defined(PETSCSPMV_ON_DEVICE)
using TestedDevice = DeviceExec;
static_assert(kHasDevice);
#else
using TestedDevice = EmulatedDevice;
#endif

struct Csr5OnDevice {
  using Format = csr5::Csr5;
  using Exec   = TestedDevice;
  static std::vector<OptionValues> Options()
  {
    return {{kDecide, kDecide, 0, 1}, {kDecide, kDecide, 1, 0}, {32, 4, 0, 1}, {32, 7, 0, 0}, {32, 32, 0, 1}, {16, 16, 1, 1}, {1, 1, 0, 1}, {5, 3, 0, 1}, {31, 1, 0, 0}};
  }
  static int Unit(const OptionValues &options)
  {
    const std::int64_t omega = options[0] == kDecide ? csr5::DefaultOmega<Exec>() : options[0], sigma = options[1] == kDecide ? csr5::DefaultSigma<Exec>(0) : options[1];
    return static_cast<int>(omega * sigma);
  }
  static bool KeepsRowsApart(const OptionValues &options) { return options[2] == 0; }
};

struct SellcsOnDevice {
  using Format = sellcs::Sellcs;
  using Exec   = TestedDevice;
  static std::vector<OptionValues> Options()
  {
    return {{kDecide, kDecide, 0, kDecide, 1}, {kDecide, kDecide, 0, kDecide, 0}, {kDecide, kDecide, 1, kDecide, 1}, {32, 1, 0, 3, 1}, {32, 1024, 0, 1 << 20, 1}, {64, 128, 0, 0, 0}, {7, 3, 0, kDecide, 1}, {1, 1, 1, 5, 0}, {1 << 20, 1, 0, kDecide, 1}};
  }
  static int  Unit(const OptionValues &options) { return options[0] == kDecide ? kWarp : static_cast<int>(std::min<std::int64_t>(options[0], 64)); }
  static bool KeepsRowsApart(const OptionValues &) { return true; }
};

struct IpcsrOnDevice {
  using Format = ipcsr::Ipcsr;
  using Exec   = TestedDevice;
  static std::vector<OptionValues> Options()
  {
    return {{kDecide, kDecide, 0}, {kDecide, kDecide, 1}, {1, 1, 0}, {3, 7, 0}, {31, 500, 0}, {64, 256, 0}, {1024, 2000, 0}, {7, 5, 1}, {64, 100, 1}};
  }
  static int  Unit(const OptionValues &options) { return static_cast<int>(options[1] == kDecide ? ipcsr::SharedSize(ipcsr::kDeviceMultiprocessor, ipcsr::kDeviceBlockSize, sizeof(double)) : options[1]); }
  static bool KeepsRowsApart(const OptionValues &) { return true; }
};

struct SpeculativeOnDevice {
  using Format = speculative::Speculative;
  using Exec   = TestedDevice;
  static std::vector<OptionValues> Options()
  {
    return {{kDecide, kDecide, kDecide, kDecide, 1}, {1, 1, 1, 1, 1}, {2, 4, 2, 2, 1}, {3, 5, 4, 7, 1}, {32, 8, 4, 1, 1}, {31, 16, 1, 64, 1}};
  }
  static int Unit(const OptionValues &options)
  {
    constexpr speculative::Defaults defaults = speculative::DefaultsFor<Exec, double>();
    return static_cast<int>((options[0] == kDecide ? defaults.width : options[0]) * (options[1] == kDecide ? defaults.height : options[1]));
  }
  static bool KeepsRowsApart(const OptionValues &) { return true; }
};

/// Of a format's options, and of the numbers that a layout may be made of.
template <class C>
using DeviceTypes = ::testing::Types<Instance<C, double, std::int32_t>, Instance<C, std::complex<float>, std::int64_t>>;

INSTANTIATE_TYPED_TEST_SUITE_P(Csr5OnDevice, Conformance, DeviceTypes<Csr5OnDevice>);
INSTANTIATE_TYPED_TEST_SUITE_P(SellcsOnDevice, Conformance, DeviceTypes<SellcsOnDevice>);
INSTANTIATE_TYPED_TEST_SUITE_P(IpcsrOnDevice, Conformance, DeviceTypes<IpcsrOnDevice>);
INSTANTIATE_TYPED_TEST_SUITE_P(SpeculativeOnDevice, Conformance, DeviceTypes<SpeculativeOnDevice>);

template <class Config>
class OnDevice : public ::testing::Test {
};
using DeviceConfigs = ::testing::Types<Csr5OnDevice, SellcsOnDevice, IpcsrOnDevice, SpeculativeOnDevice>;
TYPED_TEST_SUITE(OnDevice, DeviceConfigs);

/// An off-diagonal block: a few rows, thousands of empty ones between, before and behind them.
TYPED_TEST(OnDevice, WideGapsOfEmptyRows)
{
  using Suite = Conformance<Instance<TypeParam, double, std::int32_t>>;
  for (const int gap : {900, 1500, 5000}) {
    const TestMatrix          a = FromRowLengths("gaps", 30000, 64, [&](int i) { return i % gap == gap / 2 ? 1 + i % 60 : 0; });
    const Arrays<double, int> arrays(a);
    const OptionValues        options = TypeParam::Options().front();
    typename Suite::Layout    layout;
    layout.Build(arrays.csr, options);
    Suite::template CheckProducts<Op::N>(layout, arrays.csr, options);
    ASSERT_FALSE(this->HasFatalFailure()) << gap;
  }
}

#if !defined(PETSCSPMV_ON_DEVICE)

/// Products whatever the order of items, warps and lanes: none looks at what another is about to write.
TYPED_TEST(OnDevice, SameBitsInReverse)
{
  using Format = typename TypeParam::Format;
  for (const OptionValues &options : TypeParam::Options()) {
    for (const TestMatrix &a : AllShapes(TypeParam::Unit(options))) {
      SCOPED_TRACE(a.name);
      const Arrays<double, int>        arrays(a);
      const auto                       x = RandomVector<double>(static_cast<std::size_t>(a.cols), 5);
      std::vector<std::vector<double>> y;
      for (const bool backwards : {false, true}) {
        EmulatedDevice::backwards = backwards;
        typename Format::template Layout<double, int, EmulatedDevice> layout;
        Format::Build(arrays.csr, options, layout);
        y.emplace_back(static_cast<std::size_t>(a.rows), std::nan(""));
        Format::template Apply<Op::N, false>(layout, x.data(), y.back().data());
        Format::template Apply<Op::N, true>(layout, x.data(), y.back().data());
      }
      EmulatedDevice::backwards = false;
      for (std::size_t i = 0; i < y[0].size(); ++i) ASSERT_EQ(std::memcmp(&y[0][i], &y[1][i], sizeof(double)), 0) << "row " << i;
    }
  }
}

#endif

} // namespace petscspmv::test
