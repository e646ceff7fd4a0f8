// Loads with the hints that processors and devices offer.
#pragma once

#include "mat/exec/function.hpp"

#include <complex>
#include <cstdint>
#include <type_traits>

namespace petscspmv {

/// *p, on a device through the read-only cache. A complex number takes one access, for which device memory is aligned.
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

/// *p of an array that a product reads once. On NVIDIA's devices, real numbers and 16- and 32-bit indices are not kept in the L1
/// cache, which is left to x.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T LoadOnce(const T *p)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700 // older devices have no such loads
  if constexpr (std::is_same_v<T, double>) {
    double value;
    asm("ld.global.nc.L1::no_allocate.f64 %0, [%1];" : "=d"(value) : "l"(p));
    return value;
  } else if constexpr (std::is_same_v<T, float>) {
    float value;
    asm("ld.global.nc.L1::no_allocate.f32 %0, [%1];" : "=f"(value) : "l"(p));
    return value;
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    std::uint16_t value;
    asm("ld.global.nc.L1::no_allocate.u16 %0, [%1];" : "=h"(value) : "l"(p));
    return value;
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    std::int32_t value;
    asm("ld.global.nc.L1::no_allocate.s32 %0, [%1];" : "=r"(value) : "l"(p));
    return value;
  }
#endif
  return Load(p);
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
