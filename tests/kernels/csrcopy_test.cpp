#include "kernels/csrcopy.hpp"

#include "formats/csrcopy/host.hpp"
#include "kernels/conformance.hpp"

namespace petscspmv::test {

INSTANTIATE_TYPED_TEST_SUITE_P(Csrcopy, Conformance, ConformanceTypes<csrcopy::Csrcopy>);

} // namespace petscspmv::test
