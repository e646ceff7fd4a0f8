// Atomic operations of a kernel's workers on one word.
#pragma once

#include "mat/exec/function.hpp"

#if !defined(PETSCSPMV_HOST_ONLY)
  #include <Kokkos_Core.hpp>
#endif

namespace petscspmv {

/// *to |= bits
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void AtomicOr(T *to, T bits)
{
#if defined(PETSCSPMV_HOST_ONLY)
  __atomic_fetch_or(to, bits, __ATOMIC_RELAXED);
#else
  Kokkos::atomic_or(to, bits);
#endif
}

/// *to += n; returns the old value.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T AtomicFetchAdd(T *to, T n)
{
#if defined(PETSCSPMV_HOST_ONLY)
  return __atomic_fetch_add(to, n, __ATOMIC_RELAXED);
#else
  return Kokkos::atomic_fetch_add(to, n);
#endif
}

} // namespace petscspmv
