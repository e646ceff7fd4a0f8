// Whether there is a device, for code that does not include Kokkos itself.
#pragma once

#include <Kokkos_Macros.hpp>

namespace petscspmv {

/// Whether Kokkos is recent enough, and its default execution space has its own memory (which device.hpp checks).
#if defined(KOKKOS_IF_ON_DEVICE) && (defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ENABLE_SYCL) ||   \
                                     defined(KOKKOS_ENABLE_OPENMPTARGET) || defined(KOKKOS_ENABLE_OPENACC))
inline constexpr bool kHasDevice = true;
#else
inline constexpr bool kHasDevice = false;
#endif

} // namespace petscspmv
