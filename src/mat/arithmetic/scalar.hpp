// Arithmetic that the kernels need on float, double and their complex forms.
#pragma once

#include "mat/exec/function.hpp"

#include <complex>

// Whether the target that this is compiled for has fused operations.
#if !defined(PETSCSPMV_FUSED)
  #define PETSCSPMV_FUSED 0
#endif

namespace petscspmv {

/// The real numbers that a scalar is made of. Sums of complex numbers are sums of pairs of real ones, in
/// loops like all others.
template <class Scalar>
struct Parts {
  using Real                 = Scalar;
  static constexpr int count = 1;
};
template <class T>
struct Parts<std::complex<T>> {
  using Real                 = T;
  static constexpr int count = 2;
};

/// a * b. For complex numbers by the school formula: the C++ operator's detour through
/// C99 Annex G (a library call for each product with a NaN in it) would keep loops scalar.
template <class Real>
KOKKOS_INLINE_FUNCTION Real Multiply(Real a, Real b)
{
  return a * b;
}

template <class Real>
KOKKOS_INLINE_FUNCTION std::complex<Real> Multiply(const std::complex<Real> &a, const std::complex<Real> &b)
{
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class Real>
KOKKOS_INLINE_FUNCTION Real Conjugate(Real a)
{
  return a;
}

template <class Real>
KOKKOS_INLINE_FUNCTION std::complex<Real> Conjugate(const std::complex<Real> &a)
{
  return {a.real(), -a.imag()};
}

/// a + b. The operators of std::complex do nothing on devices: nvcc drops what the standard library does with __complex__.
template <class T>
KOKKOS_INLINE_FUNCTION T Plus(const T &a, const T &b)
{
  if constexpr (Parts<T>::count == 2) return {a.real() + b.real(), a.imag() + b.imag()};
  else return a + b;
}

/// sum + a b, as lanes do it: each operation of a part is one product and one sum, rounded once where a target has fused ones.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION Real PlusProduct(Real sum, Real a, Real b)
{
#if PETSCSPMV_FUSED
  if constexpr (sizeof(Real) == sizeof(float)) return __builtin_fmaf(a, b, sum);
  else return __builtin_fma(a, b, sum);
#else
  return sum + a * b;
#endif
}

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION std::complex<Real> PlusProduct(const std::complex<Real> &sum, const std::complex<Real> &a,
                                                           const std::complex<Real> &b)
{
  return {PlusProduct(PlusProduct(sum.real(), a.real(), b.real()), -a.imag(), b.imag()),
          PlusProduct(PlusProduct(sum.imag(), a.real(), b.imag()), a.imag(), b.real())};
}

template <class T>
KOKKOS_INLINE_FUNCTION T Minus(const T &a, const T &b)
{
  if constexpr (Parts<T>::count == 2) return {a.real() - b.real(), a.imag() - b.imag()};
  else return a - b;
}

/// y = sum, or y += sum: the two halves that a product with and without add differ in.
template <bool add, class Scalar>
KOKKOS_INLINE_FUNCTION void Store(Scalar &y, const Scalar &sum)
{
  if constexpr (add) y = Plus(y, sum);
  else y = sum;
}

} // namespace petscspmv
