// Markers of kernel functions. Kokkos defines them for everything that may run a kernel; host-only kernels (PETSCSPMV_HOST_ONLY)
// are compiled without Kokkos, by the host compiler: nvcc has no vector types.
#pragma once

#if defined(PETSCSPMV_HOST_ONLY)
  #define KOKKOS_FUNCTION
  #define KOKKOS_INLINE_FUNCTION      inline
  #define KOKKOS_FORCEINLINE_FUNCTION inline __attribute__((always_inline))
#else
  #include <Kokkos_Macros.hpp>
#endif
