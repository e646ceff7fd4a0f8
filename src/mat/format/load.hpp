// Loads of what no kernel writes while it is read.
#pragma once

#include <Kokkos_Core.hpp>
#include <complex>
#include <type_traits>

namespace petscspmv {

/// *p, by way of the cache for data that are only read where a device has one, and complex numbers in one access: device memory
/// is aligned to them.
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

} // namespace petscspmv
