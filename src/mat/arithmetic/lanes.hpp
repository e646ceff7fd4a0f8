// SIMD lanes: what host kernels do with several numbers at a time, in one source for all targets (exec/targets.cmake).
//
// Lanes are registers of the compiler's vector types, never wider than the target's. The operations and their order depend neither
// on the register width nor on how x is loaded, and -ffp-contract=off keeps compilers from fusing on their own: all targets with
// FMA give the same bits. Everything here is force-inlined into the kernels. README.md gives the reasons.
#pragma once

#include "mat/arithmetic/real_lanes.hpp"

#include <complex>
#include <cstdint>

namespace petscspmv {

/// n complex numbers, as real and imaginary parts.
template <class T, int n>
class Lanes<std::complex<T>, n> {
public:
  using Scalar = std::complex<T>;
  using Parts_ = Lanes<T, n>;
  using Counts = typename Parts_::Counts;
  using Count  = typename Parts_::Count;
  using Bits   = typename Parts_::Bits;
  using Bit    = typename Parts_::Bit;

  static KOKKOS_FORCEINLINE_FUNCTION Lanes Zero() { return {Parts_::Zero(), Parts_::Zero()}; }

  /// Entries place[0], place[1], ... of a table of `size` real parts followed by as many imaginary parts.
  template <int size>
  static KOKKOS_FORCEINLINE_FUNCTION Lanes FromTable(const T *table, const std::uint8_t *place)
  {
    return {Parts_::template FromTable<size>(table, place), Parts_::template FromTable<size>(table + size, place)};
  }

  static KOKKOS_FORCEINLINE_FUNCTION Lanes All(const Scalar &number)
  {
    return {Parts_::All(number.real()), Parts_::All(number.imag())};
  }

  template <class From>
  static KOKKOS_FORCEINLINE_FUNCTION Lanes Load(const std::complex<From> *from)
  {
    constexpr int width = Parts_::kWidth;
    using Vector        = typename Parts_::Vector;
    const From *number  = reinterpret_cast<const From *>(from);
    Lanes       result;
    lanes::Unroll<Parts_::kCount>([&](auto k) PETSCSPMV_INLINE_LAMBDA {
      const Vector a = lanes::LoadAs<T, width>(number + 2 * k * width), b = lanes::LoadAs<T, width>(number + (2 * k + 1) * width);
      result.re.v[k] = lanes::EverySecond<0, T, width>(a, b);
      result.im.v[k] = lanes::EverySecond<1, T, width>(a, b);
    });
    return result;
  }

  template <class Places>
  static KOKKOS_FORCEINLINE_FUNCTION Lanes LoadAt(const Scalar *x, const Places &places)
  {
    constexpr int width  = Parts_::kWidth;
    const T      *number = reinterpret_cast<const T *>(x);
    if constexpr (lanes::kHasGather<T, width, std::int64_t> || sizeof(T) != 8 || width < 2 || width > 4) {
      return {Parts_::LoadAt(number, PartPlaces<Places, 0>{places}), Parts_::LoadAt(number, PartPlaces<Places, 1>{places})};
    } else { // loads whole complex numbers and unpacks them: half the loads
      const auto both = [&](int i) PETSCSPMV_INLINE_LAMBDA {
        return lanes::LoadVector<lanes::Vector<T, 2>>(number + 2 * std::int64_t{places[i]});
      };
      Lanes result;
      lanes::Unroll<Parts_::kCount>([&](auto k) PETSCSPMV_INLINE_LAMBDA {
        if constexpr (width == 2) {
          const auto a = both(2 * k), b = both(2 * k + 1);
          result.re.v[k] = lanes::EverySecond<0, T, 2>(a, b);
          result.im.v[k] = lanes::EverySecond<1, T, 2>(a, b);
        } else {
          const auto a   = __builtin_shufflevector(both(4 * k), both(4 * k + 2), 0, 1, 2, 3),
                     b   = __builtin_shufflevector(both(4 * k + 1), both(4 * k + 3), 0, 1, 2, 3);
          result.re.v[k] = __builtin_shufflevector(a, b, 0, 4, 2, 6);
          result.im.v[k] = __builtin_shufflevector(a, b, 1, 5, 3, 7);
        }
      });
      return result;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void Store(Scalar *to) const
  {
    constexpr int width  = Parts_::kWidth;
    T            *number = reinterpret_cast<T *>(to);
    lanes::Unroll<Parts_::kCount>([&](auto k) PETSCSPMV_INLINE_LAMBDA {
      if constexpr (width == 1) {
        number[2 * k]     = re.v[k][0];
        number[2 * k + 1] = im.v[k][0];
      } else {
        lanes::StoreVector(number + 2 * k * width, lanes::InTurn<0, T, width>(re.v[k], im.v[k]));
        lanes::StoreVector(number + (2 * k + 1) * width, lanes::InTurn<width / 2, T, width>(re.v[k], im.v[k]));
      }
    });
  }

  KOKKOS_FORCEINLINE_FUNCTION Lanes PlusProduct(const Lanes &a, const Lanes &b) const
  {
    return {re.PlusProduct(a.re, b.re).MinusProduct(a.im, b.im), im.PlusProduct(a.re, b.im).PlusProduct(a.im, b.re)};
  }
  /// The product, added to zero: PlusProduct() fixes which of the two real products of each part is fused.
  KOKKOS_FORCEINLINE_FUNCTION Lanes operator*(const Lanes &other) const { return Zero().PlusProduct(*this, other); }
  KOKKOS_FORCEINLINE_FUNCTION Lanes operator+(const Lanes &other) const { return {re + other.re, im + other.im}; }
  KOKKOS_FORCEINLINE_FUNCTION Lanes operator-(const Lanes &other) const { return {re - other.re, im - other.im}; }
  /// The product by the textbook formula, with nothing fused.
  KOKKOS_FORCEINLINE_FUNCTION Lanes RoundedTimes(const Lanes &other) const
  {
    return {re * other.re - im * other.im, re * other.im + im * other.re};
  }

  KOKKOS_FORCEINLINE_FUNCTION Lanes IfAbove(Count now, const Counts &counts) const
  {
    return {re.IfAbove(now, counts), im.IfAbove(now, counts)};
  }
  KOKKOS_FORCEINLINE_FUNCTION Lanes IfWithout(const Bit &bit, const Bits &bits) const
  {
    return {re.IfWithout(bit, bits), im.IfWithout(bit, bits)};
  }

  KOKKOS_FORCEINLINE_FUNCTION Lanes<Scalar, n / 2> Fold() const { return {re.Fold(), im.Fold()}; }
  KOKKOS_FORCEINLINE_FUNCTION Scalar               Sum() const { return {re.Sum(), im.Sum()}; }

  Parts_ re, im;

private:
  /// The positions of real (part 0) or imaginary parts (part 1) in an array of complex numbers.
  template <class Places, int part>
  struct PartPlaces {
    using Int = std::int64_t;
    const Places &places;

    KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator[](int i) const { return 2 * std::int64_t{places[i]} + part; }
    template <int count>
    KOKKOS_FORCEINLINE_FUNCTION lanes::Vector<Int, count> Load(int i) const
    {
      return lanes::Converted<Int, count, typename Places::Int>(places.template Load<count>(i)) * 2 + part;
    }
  };
};

} // namespace petscspmv
