// The fewest bytes in which the values of a block (a chunk, a tile) can be stored exactly.
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/format/by_enumerator.hpp"

#include <complex>
#include <cstdint>
#include <type_traits>

namespace petscspmv {

/// How values are to be stored (option values).
enum class ValueStorage {
  Auto,   // in fewer bytes where this is exact
  Full,   // as they are
  Single, // in single precision, rounded
};
inline constexpr auto kValueStorages = ByEnumerator<ValueStorage::Single, const char *>(
  {{ValueStorage::Auto, "auto"}, {ValueStorage::Full, "full"}, {ValueStorage::Single, "single"}});

/// How the values of a block (a chunk, a tile) are stored.
enum class ValueKind {
  Full,
  Single, // in single precision, both parts of complex numbers
  Few,    // by their positions in a table of the layout, one byte each
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
/// exceptions, which programs trap.
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

/// Size of a table: as many numbers as a wide register holds.
inline constexpr int kTableNumbers = 8;

/// Which kinds a layout's blocks may have besides Full and One.
template <class Scalar>
struct ValueRule {
  bool               converts              = false; // single precision and a table are worth the conversions
  bool               rounded               = false; // round to single precision, whatever is lost
  bool               few_first             = false; // prefer Few to Single where both fit
  int                numbers               = 0;     // in the table; 0: no block is of kind Few
  NumberBits<Scalar> number[kTableNumbers] = {};

  /// The position of a number in the table; `numbers` if it is not there.
  KOKKOS_FORCEINLINE_FUNCTION int Place(const Scalar &value) const
  {
    int place = 0;
    while (place < numbers && !(number[place] == NumberBits<Scalar>(value))) ++place;
    return place;
  }

  /// The bits that a conversion to single precision may not drop: the last 29.
  KOKKOS_FORCEINLINE_FUNCTION typename NumberBits<Scalar>::Bits Lost() const { return rounded ? 0 : 0x1fffffff; }
};

/// Nonzero if the bits of a part (or of several in a vector) are not exactly a single-precision number. Denormal singles are
/// excluded, since a processor may flush them to zero; so are NaNs, since a conversion may change them.
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

/// Which kinds the bits of a block's values allow, so far.
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
  /// Nonzero if some value differs from the first, is not exact in single precision, is not in the table.
  KOKKOS_FORCEINLINE_FUNCTION void Add(Bits differ, Bits unfit, Bits foreign)
  {
    differ_ |= differ;
    unfit_ |= unfit;
    foreign_ |= foreign;
  }
  KOKKOS_FORCEINLINE_FUNCTION void Add(const BlockBits &other) { Add(other.differ_, other.unfit_, other.foreign_); }

  /// Whether the block may be of a kind, and the kind to prefer.
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
