// References in long double, and the error bound for all results.
#pragma once

#include <cmath>
#include <complex>
#include <limits>

namespace petscspmv {

template <class Scalar>
struct RealOf {
  using type                    = Scalar;
  using wide                    = long double;
  static constexpr bool complex = false;
};
template <class Real>
struct RealOf<std::complex<Real>> {
  using type                    = Real;
  using wide                    = std::complex<long double>;
  static constexpr bool complex = true;
};

template <class Scalar>
Scalar MakeScalar(long double real, long double imag)
{
  if constexpr (RealOf<Scalar>::complex)
    return {static_cast<typename RealOf<Scalar>::type>(real), static_cast<typename RealOf<Scalar>::type>(imag)};
  else return static_cast<Scalar>(real);
}

/// The long double counterpart of Scalar.
template <class Scalar>
using Wide = typename RealOf<Scalar>::wide;

template <class Scalar>
Wide<Scalar> Widen(const Scalar &a)
{
  return Wide<Scalar>(a);
}

/// A sum of products in long double, and how far the same sum in Scalar may be off: summed in any order, n products err by at most
/// n eps sum |a||x| to first order. A complex product is four real ones and errs by at most twice a real one's eps. One more eps
/// is for the store into y.
template <class Scalar>
struct Sum {
  Wide<Scalar> value{0};
  long double  magnitude = 0;
  int          terms     = 0;

  // Written out for complex numbers: operator* is slow, because it also handles infinities.
  void Add(const Wide<Scalar> &a, const Wide<Scalar> &x)
  {
    if constexpr (RealOf<Scalar>::complex)
      value += Wide<Scalar>(a.real() * x.real() - a.imag() * x.imag(), a.real() * x.imag() + a.imag() * x.real());
    else value += a * x;
    magnitude += std::abs(a) * std::abs(x);
    ++terms;
  }

  long double Bound() const
  {
    const long double eps = std::numeric_limits<typename RealOf<Scalar>::type>::epsilon();
    return (terms + 1) * (RealOf<Scalar>::complex ? 2 : 1) * eps * magnitude * 1.01L;
  }

  /// Written so that a NaN fails.
  bool Matches(const Scalar &y) const { return std::abs(Widen(y) - value) <= Bound(); }
};

} // namespace petscspmv
