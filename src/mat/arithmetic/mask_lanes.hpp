// Lanes of which some are missing: a mask has a bit set for each lane that is there. Host only (lanes.hpp).
#pragma once

#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/packs.hpp"

#include <complex>
#include <cstdint>

namespace petscspmv {

namespace lanes {

/// A register with lanes first .. first + n - 1: those in the mask, and zero in place of the others.
template <int first, class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Vector<T, n> KeepSome(const Vector<T, n> &v, std::uint32_t mask)
{
#if PETSCSPMV_REGISTER == 64
  if constexpr (n * sizeof(T) == 64 && sizeof(T) == 8)
    return (Vector<T, n>)_mm512_maskz_mov_pd(static_cast<__mmask8>(mask >> first), (__m512d)v);
  else if constexpr (n * sizeof(T) == 64)
    return (Vector<T, n>)_mm512_maskz_mov_ps(static_cast<__mmask16>(mask >> first), (__m512)v);
  else
#endif
  {
    constexpr int kPerLane = sizeof(T) / 4, kWords = n * kPerLane; // 32 bits at a time: not every target compares 64
    const auto    bit =
      Generate<std::uint32_t, kWords>([](int i) PETSCSPMV_INLINE_LAMBDA { return std::uint32_t{1} << (first + i / kPerLane); });
    const auto there = (All<std::uint32_t, kWords>(mask) & bit) == bit;
    return (Vector<T, n>)((decltype(there))v & there);
  }
}

} // namespace lanes

/// The lanes in the mask, and zero in place of the others.
template <class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Lanes<T, n> KeepSome(const Lanes<T, n> &all, std::uint32_t mask)
{
  constexpr int width = Lanes<T, n>::kWidth;
  Lanes<T, n>   result;
  lanes::Unroll<Lanes<T, n>::kCount>(
    [&](auto k) PETSCSPMV_INLINE_LAMBDA { result.v[k] = lanes::KeepSome<k * width, T, width>(all.v[k], mask); });
  return result;
}
template <class T, int n>
KOKKOS_FORCEINLINE_FUNCTION Lanes<std::complex<T>, n> KeepSome(const Lanes<std::complex<T>, n> &all, std::uint32_t mask)
{
  return {KeepSome(all.re, mask), KeepSome(all.im, mask)};
}
template <class T, int packed, int n>
KOKKOS_FORCEINLINE_FUNCTION Lanes<Lanes<T, packed>, n> KeepSome(const Lanes<Lanes<T, packed>, n> &all, std::uint32_t mask)
{
  using Pack = Lanes<T, packed>;
  return Lanes<Pack, n>::Generate([&](int i) PETSCSPMV_INLINE_LAMBDA { return mask >> i & 1 ? all.v[i] : Pack::Zero(); });
}

/// ValuesOfPacks with zero in place of values that are not in the mask.
template <class Values>
struct SomeValuesOfPacks {
  Values        values;
  std::uint32_t mask;

  KOKKOS_FORCEINLINE_FUNCTION auto operator[](int i) const
  {
    using Number = decltype(values[i]);
    return mask >> i & 1 ? values[i] : Number(0);
  }
};
template <class Values, int n>
KOKKOS_FORCEINLINE_FUNCTION SomeValuesOfPacks<ValuesOfPacks<Values, n>> KeepSome(const ValuesOfPacks<Values, n> &values,
                                                                                 std::uint32_t                   mask)
{
  return {values, mask};
}

} // namespace petscspmv
