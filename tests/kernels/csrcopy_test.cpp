#include "formats/csrcopy/csrcopy.hpp"
#include "kernels/conformance.hpp"

namespace petscspmv::test {

struct CsrcopyConfig {
  using Format = csrcopy::Csrcopy;
  static std::vector<OptionValues> Options() { return {{0, 7}, {1, 7}}; }
  static int                       Unit(const OptionValues &) { return 16; }
  static bool                      KeepsRowsApart(const OptionValues &) { return true; }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Csrcopy, Conformance, ConformanceTypes<CsrcopyConfig>);

} // namespace petscspmv::test
