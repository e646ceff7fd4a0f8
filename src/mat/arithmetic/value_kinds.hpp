// In how few bytes the values of a block (a chunk, a tile) can be stored so that they stay the same numbers.
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/warp.hpp"
#include "mat/exec/by_place.hpp"

#include <complex>
#include <cstdint>
#include <type_traits>

namespace petscspmv {

/// How values are to be stored (option values).
enum class ValueStorage {
  Auto,   // in fewer bytes where they stay the same numbers
  Full,   // as they are
  Single, // in single precision, rounded
};
inline constexpr auto kValueStorages = ByPlace<ValueStorage::Single, const char *>(
  {{ValueStorage::Auto, "auto"}, {ValueStorage::Full, "full"}, {ValueStorage::Single, "single"}});

/// How those of a block (a chunk, a tile) are stored.
enum class ValueKind {
  Full,
  Single, // in single precision, of complex numbers both parts
  One,    // a number that all entries share
};
inline constexpr int kValueKinds = 3;

template <class Scalar>
struct InSingle {
  using Type = float;
};
template <class T>
struct InSingle<std::complex<T>> {
  using Type = std::complex<float>;
};
template <class Scalar>
using SingleOf = typename InSingle<Scalar>::Type;

/// Whether single precision is less than what the scalars have themselves.
template <class Scalar>
inline constexpr bool kHasSingle = sizeof(SingleOf<Scalar>) < sizeof(Scalar);

/// What the values of a block allow, as far as they have been added. Their bits are looked at as integers: to compare or convert
/// the numbers themselves might raise floating-point exceptions, which programs trap.
template <class Scalar>
class ValueBits {
public:
  static constexpr int kParts = Parts<Scalar>::count;
  using Bits                  = std::conditional_t<sizeof(Scalar) / kParts == 8, std::int64_t, std::int32_t>;

  ValueBits() = default;
  KOKKOS_FORCEINLINE_FUNCTION ValueBits(const Scalar &first, ValueStorage storage) :
    lost_(storage == ValueStorage::Single ? 0 : Bits{0x1fffffff})
  {
    __builtin_memcpy(first_, &first, sizeof(first));
  }

  KOKKOS_FORCEINLINE_FUNCTION void Add(const Scalar &value)
  {
    Bits bits[kParts];
    __builtin_memcpy(bits, &value, sizeof(value));
    for (int part = 0; part < kParts; ++part) AddParts(bits[part], first_[part], lost_, differ_, unfit_);
  }
  KOKKOS_FORCEINLINE_FUNCTION void Add(const ValueBits &other) { AddFound(other.differ_, other.unfit_); }
  KOKKOS_FORCEINLINE_FUNCTION void AddFound(Bits differ, Bits unfit)
  {
    differ_ |= differ;
    unfit_ |= unfit;
  }

  /// Adds what is found in the bits of some parts, V being Bits or a vector of them: where they differ from those of the first
  /// value, and whether single precision has no such number. Denormal ones of single precision do not count: a processor may be
  /// told to take them for zero. Nor do NaNs: to convert them may change them.
  template <class V>
  static KOKKOS_FORCEINLINE_FUNCTION void AddParts(const V &bits, const V &first, const V &lost, V &differ, V &unfit)
  {
    differ |= bits ^ first;
    if constexpr (kHasSingle<Scalar>) {
      constexpr Bits kLeast = 0x3810000000000000, kMost = 0x47efffffe0000000, kInfinity = 0x7ff0000000000000;
      const V        size  = bits & std::int64_t{0x7fffffffffffffff};
      const V        cut   = bits & lost;
      const auto     range = ((size < kLeast) | (size > kMost)) & (size != 0) & (size != kInfinity);
      unfit |= cut | V(range);
    }
  }

  /// The kind of the fewest bytes, and whether another one would do.
  KOKKOS_FORCEINLINE_FUNCTION ValueKind Kind() const
  {
    if (Fit(ValueKind::One)) return ValueKind::One;
    return Fit(ValueKind::Single) ? ValueKind::Single : ValueKind::Full;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool Fit(ValueKind kind) const
  {
    if (kind == ValueKind::Full) return true;
    return kind == ValueKind::One ? differ_ == 0 : kHasSingle<Scalar> && unfit_ == 0;
  }

  KOKKOS_FORCEINLINE_FUNCTION Bits first(int part) const { return first_[part]; }
  KOKKOS_FORCEINLINE_FUNCTION Bits lost() const { return lost_; } // the bits that single precision must not cut off

private:
  Bits first_[kParts] = {}, lost_ = 0, differ_ = 0, unfit_ = 0;
};

/// The bits of all lanes' values; lane 0 has them.
template <class Warp, class Bits>
KOKKOS_FORCEINLINE_FUNCTION void JoinBitsOfWarp(const Warp &warp, Bits &bits)
{
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    const auto other = warp.FromRight(bits, distance);
    warp.For([&](int lane) { bits[lane].Add(other[lane]); });
  }
}

} // namespace petscspmv
