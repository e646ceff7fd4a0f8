// What functions of kernels are marked with. Kokkos says how, for all that may run them; objects of kernels that the processor
// alone runs (PETSCSPMV_HOST_ONLY) are compiled without Kokkos, by the host's own compiler: nvcc has no vector types.
#pragma once

#if defined(PETSCSPMV_HOST_ONLY)
  #define KOKKOS_FUNCTION
  #define KOKKOS_INLINE_FUNCTION      inline
  #define KOKKOS_FORCEINLINE_FUNCTION inline __attribute__((always_inline))
#else
  #include <Kokkos_Macros.hpp>
#endif
