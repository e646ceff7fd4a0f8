// The kinds in which the values of a block (a chunk, a tile) can be stored, and which of them its values allow.
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/format/by_enumerator.hpp"

#include <complex>
#include <cstdint>
#include <type_traits>

namespace petscspmv {

/// How values are to be stored (option values).
enum class ValueStorage {
  Auto,   // in fewer bytes where no bit is lost
  Full,   // as scalars
  Single, // in single precision, rounded
};
inline constexpr auto kValueStorages = ByEnumerator<ValueStorage::Single, const char *>(
  {{ValueStorage::Auto, "auto"}, {ValueStorage::Full, "full"}, {ValueStorage::Single, "single"}});

/// How the values of a block (a chunk, a tile) are stored.
enum class ValueKind {
  Full,
  Single, // in single precision
  Few,    // as positions in the layout's table of a few numbers, one byte each
  One,    // one number that all entries share
};
inline constexpr int kValueKinds = 4;

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

/// Whether single precision is narrower than the scalars.
template <class Scalar>
inline constexpr bool kHasSingle = sizeof(SingleOf<Scalar>) < sizeof(Scalar);

/// The bits of a number's parts, handled as integers: comparing or converting the numbers themselves might raise floating-point
/// exceptions, which some programs trap.
template <class Scalar>
struct NumberBits {
  static constexpr int kParts = Parts<Scalar>::count;
  using Bits                  = std::conditional_t<sizeof(Scalar) / kParts == 8, std::int64_t, std::int32_t>;

  NumberBits() = default;
  KOKKOS_FORCEINLINE_FUNCTION explicit NumberBits(const Scalar &number) { __builtin_memcpy(part, &number, sizeof(number)); }

  KOKKOS_FORCEINLINE_FUNCTION bool operator==(const NumberBits &other) const
  {
    return part[0] == other.part[0] && part[kParts - 1] == other.part[kParts - 1];
  }

  Bits part[kParts] = {};
};

/// Size of the table: as many doubles as a 64-byte register holds.
inline constexpr int kTableNumbers = 8;

/// Which kinds a layout's blocks may have besides Full and One.
template <class Scalar>
struct ValueRule {
  bool               converts              = false; // whether Single and Few are allowed: they cost conversions
  bool               rounded               = false; // round to single precision, whatever is lost
  bool               few_first             = false; // prefer Few to Single where the values fit either
  int                numbers               = 0;     // in the table; 0: no block is of kind Few
  NumberBits<Scalar> number[kTableNumbers] = {};

  /// The position of a number in the table; `numbers` if it is not there.
  KOKKOS_FORCEINLINE_FUNCTION int Place(const Scalar &value) const
  {
    int place = 0;
    while (place < numbers && !(number[place] == NumberBits<Scalar>(value))) ++place;
    return place;
  }

  /// The bits that must be zero for Single: the last 29, which a conversion drops, or none if values are rounded.
  KOKKOS_FORCEINLINE_FUNCTION typename NumberBits<Scalar>::Bits Lost() const { return rounded ? 0 : 0x1fffffff; }
};

/// Nonzero if a part (in a vector: for each part) does not fit single precision: it has bits of `lost`, is too large, would be
/// denormal, which a processor may flush to zero, or is a NaN, which a conversion may change.
template <class Scalar, class V>
KOKKOS_FORCEINLINE_FUNCTION V NotInSingle(const V &bits, const V &lost)
{
  if constexpr (kHasSingle<Scalar>) {
    constexpr std::int64_t kSize     = 0x7fffffffffffffff; // all bits but the sign
    constexpr std::int64_t kLeast    = 0x3810000000000000; // 2^-126
    constexpr std::int64_t kMost     = 0x47efffffe0000000; // FLT_MAX
    constexpr std::int64_t kInfinity = 0x7ff0000000000000;
    const V                size      = bits & kSize;
    const auto             range     = ((size < kLeast) | (size > kMost)) & (size != 0) & (size != kInfinity);
    return (bits & lost) | V(range);
  } else {
    return V{};
  }
}

/// Which kinds are allowed by the values of a block that have been added so far.
template <class Scalar>
class BlockBits {
public:
  using Bits = typename NumberBits<Scalar>::Bits;

  BlockBits() = default;
  KOKKOS_FORCEINLINE_FUNCTION BlockBits(const Scalar &first, const ValueRule<Scalar> &rule) :
    first_(first), unfit_(!kHasSingle<Scalar> || !rule.converts), foreign_(!rule.converts || rule.numbers == 0),
    few_first_(rule.few_first)
  {
  }

  KOKKOS_FORCEINLINE_FUNCTION void Add(const Scalar &value, const ValueRule<Scalar> &rule)
  {
    const NumberBits<Scalar> number(value);
    Bits                     unfit = 0;
    for (const Bits &part : number.part) unfit |= NotInSingle<Scalar>(part, rule.Lost());
    Add(!(number == first_), unfit, Fit(ValueKind::Few) && rule.Place(value) == rule.numbers);
  }
  /// Adds values: `differ` is nonzero if some differ from the first, `unfit` if some do not fit single precision, `foreign` if some
  /// are not in the table.
  KOKKOS_FORCEINLINE_FUNCTION void Add(Bits differ, Bits unfit, Bits foreign)
  {
    differ_ |= differ;
    unfit_ |= unfit;
    foreign_ |= foreign;
  }
  KOKKOS_FORCEINLINE_FUNCTION void Add(const BlockBits &other) { Add(other.differ_, other.unfit_, other.foreign_); }

  /// Fit(): whether the values can be stored in a kind. Kind(): the best of these kinds.
  KOKKOS_FORCEINLINE_FUNCTION bool Fit(ValueKind kind) const
  {
    if (kind == ValueKind::Full) return true;
    return (kind == ValueKind::One ? differ_ : kind == ValueKind::Few ? foreign_ : unfit_) == 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION ValueKind Kind() const
  {
    if (Fit(ValueKind::One)) return ValueKind::One;
    if (Fit(ValueKind::Few) && (few_first_ || !Fit(ValueKind::Single))) return ValueKind::Few;
    return Fit(ValueKind::Single) ? ValueKind::Single : ValueKind::Full;
  }

  KOKKOS_FORCEINLINE_FUNCTION const NumberBits<Scalar> &first() const { return first_; }

private:
  NumberBits<Scalar> first_;
  Bits               differ_ = 0, unfit_ = 0, foreign_ = 0;
  bool               few_first_ = false;
};

} // namespace petscspmv
