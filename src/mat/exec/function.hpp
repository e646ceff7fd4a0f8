// Markers of kernel functions, which Kokkos defines for code that may run on a device. Host-only kernels (PETSCSPMV_HOST_ONLY) are
// compiled without Kokkos by the host compiler, since nvcc lacks vector types.
#pragma once

#if defined(PETSCSPMV_HOST_ONLY)
  #define KOKKOS_FUNCTION
  #define KOKKOS_INLINE_FUNCTION      inline
  #define KOKKOS_FORCEINLINE_FUNCTION inline __attribute__((always_inline))
#else
  #include <Kokkos_Macros.hpp>
#endif
