// Arithmetic on float, double and their complex forms that the kernels need.
#pragma once

#include "mat/exec/function.hpp"

#include <complex>

// Whether the target being compiled has FMA.
#if !defined(PETSCSPMV_FUSED)
  #define PETSCSPMV_FUSED 0
#endif

namespace petscspmv {

/// The real type and the number of parts of a scalar: complex numbers can be summed as twice as many real ones.
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

/// a * b, rounded before anything is added to it. Left to itself, nvcc fuses a product with an addition where it sees both, so that
/// kernels that store the same numbers in different ways would give different bits. Complex numbers use the textbook formula:
/// std::complex's operator follows C99 Annex G (a library call for each NaN product), which keeps loops scalar.
template <class Real>
KOKKOS_INLINE_FUNCTION Real Multiply(Real a, Real b)
{
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Real) == sizeof(double)) return __dmul_rn(a, b);
  else return __fmul_rn(a, b);
#else
  return a * b;
#endif
}

template <class Real>
KOKKOS_INLINE_FUNCTION std::complex<Real> Multiply(const std::complex<Real> &a, const std::complex<Real> &b)
{
  return {Multiply(a.real(), b.real()) - Multiply(a.imag(), b.imag()), Multiply(a.real(), b.imag()) + Multiply(a.imag(), b.real())};
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

/// a + b. The operators of std::complex do not work on devices: nvcc drops the standard library's use of __complex__.
template <class T>
KOKKOS_INLINE_FUNCTION T Plus(const T &a, const T &b)
{
  if constexpr (Parts<T>::count == 2) return {a.real() + b.real(), a.imag() + b.imag()};
  else return a + b;
}

/// sum + a b, with the bits of Lanes::PlusProduct(). Each part adds one real product after the other, fused on targets with FMA.
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

/// y = sum, or y += sum.
template <bool add, class Scalar>
KOKKOS_INLINE_FUNCTION void Store(Scalar &y, const Scalar &sum)
{
  if constexpr (add) y = Plus(y, sum);
  else y = sum;
}

} // namespace petscspmv
