// Loads with the hints that processors and devices offer.
#pragma once

#include "mat/exec/function.hpp"

#include <complex>
#include <cstdint>
#include <type_traits>

namespace petscspmv {

/// *p, on a device through the read-only cache, complex numbers in one access: device memory is aligned for them.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T Load(const T *p)
{
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<T, std::complex<double>>) {
    const double2 parts = __ldg(reinterpret_cast<const double2 *>(p));
    return {parts.x, parts.y};
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    const float2 parts = __ldg(reinterpret_cast<const float2 *>(p));
    return {parts.x, parts.y};
  } else {
    return __ldg(p);
  }
#else
  return *p;
#endif
}

/// Prefetches the cache line of an address on hosts. An invalid address does no harm.
KOKKOS_FORCEINLINE_FUNCTION void PrefetchLine(std::uintptr_t address)
{
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  static_cast<void>(address);
#else
  __builtin_prefetch(reinterpret_cast<const void *>(address));
#endif
}

} // namespace petscspmv
