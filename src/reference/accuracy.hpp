// References in long double, and the error bound for all results.
#pragma once

#include <cmath>
#include <complex>
#include <limits>

namespace petscspmv {

template <class Scalar>
struct RealOf {
  using type                    = Scalar;
  static constexpr bool complex = false;
};
template <class Real>
struct RealOf<std::complex<Real>> {
  using type                    = Real;
  static constexpr bool complex = true;
};

template <class Scalar>
Scalar MakeScalar(double real, double imag)
{
  if constexpr (RealOf<Scalar>::complex)
    return {static_cast<typename RealOf<Scalar>::type>(real), static_cast<typename RealOf<Scalar>::type>(imag)};
  else return static_cast<Scalar>(real);
}

using Wide = std::complex<long double>;

template <class Scalar>
Wide Widen(const Scalar &a)
{
  return Wide(a);
}

/// A sum of products in long double, and how far the same sum in Scalar may be off: summed in any order, n products err by at most
/// n eps sum |a||x| to first order. A complex product is four real ones and errs by at most twice a real one's eps. One more eps
/// is for the store into y.
template <class Scalar>
struct Sum {
  Wide        value{0, 0};
  long double magnitude = 0;
  int         terms     = 0;

  void Add(const Wide &a, const Wide &x)
  {
    value += Wide(a.real() * x.real() - a.imag() * x.imag(), a.real() * x.imag() + a.imag() * x.real());
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
