// What the makes of devices have, and Kokkos only in a form that costs more.
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

/// f(lane) for the lanes of a warp, and what they wrote is seen by all of them. To Kokkos the width of a warp is a variable.
template <class Member, class F>
KOKKOS_FORCEINLINE_FUNCTION void ForLanes(const Member &member, int lanes, const F &f)
{
#if defined(__CUDA_ARCH__)
  static_cast<void>(member), static_cast<void>(lanes);
  f(static_cast<int>(threadIdx.x));
  __syncwarp();
#else
  Kokkos::parallel_for(Kokkos::ThreadVectorRange(member, lanes), f);
#endif
}

} // namespace petscspmv
