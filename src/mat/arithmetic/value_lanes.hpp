// Values in lanes: which kinds many values allow, their conversion, and their loads in kernels. Host only (lanes.hpp).
#pragma once

#include "mat/arithmetic/conversion.hpp"
#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/values.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace petscspmv {

/// The bits of numbers in a vector; parts of complex numbers alternate.
template <class Scalar>
struct BitLanes {
  using Bits                  = typename NumberBits<Scalar>::Bits;
  static constexpr int kParts = Parts<Scalar>::count, kWidth = kRegisterBytes / sizeof(Bits);
  using Vector = lanes::Vector<Bits, kWidth>;

  static KOKKOS_FORCEINLINE_FUNCTION Vector Load(const Scalar *numbers, std::int64_t part)
  {
    return lanes::LoadVector<Vector>(reinterpret_cast<const char *>(numbers) + part * static_cast<std::int64_t>(sizeof(Bits)));
  }
  static KOKKOS_FORCEINLINE_FUNCTION Vector All(const NumberBits<Scalar> &number)
  {
    return lanes::Generate<Bits, kWidth>([&](int i) PETSCSPMV_INLINE_LAMBDA { return number.part[i % kParts]; });
  }
  /// All-ones where the numbers of a and b are equal in all their parts, zero elsewhere.
  static KOKKOS_FORCEINLINE_FUNCTION Vector Equal(const Vector &a, const Vector &b)
  {
    const Vector equal = a == b;
    if constexpr (kParts == 1) return equal;
    else return equal & lanes::Swapped<Bits, kWidth>(equal);
  }
};

/// Adds n values to `found`, until the block is known to be Full. If `ahead`, prefetches the values that follow.
template <bool ahead = true, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void AddValues(const Scalar *val, std::int64_t n, const ValueRule<Scalar> &rule,
                                           BlockBits<Scalar> &found)
{
  using In                     = BitLanes<Scalar>;
  using Vector                 = typename In::Vector;
  constexpr int      kTogether = 128; // parts from one check of what is found to the next
  const std::int64_t parts     = n * In::kParts;
  const Vector       first = In::All(found.first()), lost = lanes::All<typename In::Bits, In::kWidth>(rule.Lost());
  if (parts < In::kWidth) {
    for (std::int64_t k = 0; k < n; ++k) found.Add(val[k], rule);
    return;
  }
  for (std::int64_t k = 0, look = 0; k < parts && found.Kind() != ValueKind::Full; look = k) {
    Vector     differ{}, unfit{}, foreign{};
    const bool few = found.Fit(ValueKind::Few);
    Prefetch<ahead>()(val, kTogether / In::kParts, k / In::kParts);
    for (; k < parts && k < look + kTogether; k += In::kWidth) {
      const Vector bits = In::Load(val, std::min(k, parts - In::kWidth)); // the last step may overlap the one before
      differ |= bits ^ first;
      unfit |= NotInSingle<Scalar>(bits, lost);
      if (!few) continue;
      Vector in_table{};
      for (int t = 0; t < rule.numbers; ++t) in_table |= In::Equal(bits, In::All(rule.number[t]));
      foreign |= ~in_table;
    }
    found.Add(lanes::Any(differ), lanes::Any(unfit), lanes::Any(foreign));
  }
}

/// Writes n numbers by a conversion.
template <int n, class From, class To>
KOKKOS_FORCEINLINE_FUNCTION void ConvertLanes(const Convert<To> &conversion, const From *from, To *to)
{
  if constexpr (std::is_arithmetic_v<From> && std::is_arithmetic_v<To> && n > 1) lanes::StoreVector(to, lanes::LoadAs<To, n>(from));
  else
    for (int i = 0; i < n; ++i) to[i] = conversion(from[i]);
}
template <int n, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void ConvertLanes(const FindInTable<Scalar> &conversion, const Scalar *from, std::uint8_t *to)
{
  using In     = BitLanes<Scalar>;
  using Vector = typename In::Vector;
  if constexpr (n * In::kParts % In::kWidth == 0) {
    lanes::Unroll<n * In::kParts / In::kWidth>([&](auto v) PETSCSPMV_INLINE_LAMBDA {
      const Vector bits = In::Load(from, v * In::kWidth);
      Vector       place{};
      for (int t = 1; t < conversion.rule->numbers; ++t) place |= In::Equal(bits, In::All(conversion.rule->number[t])) & t;
      lanes::StoreBytes<In::kParts>(to + v * In::kWidth / In::kParts, place);
    });
  } else {
    for (int i = 0; i < n; ++i) to[i] = conversion(from[i]);
  }
}

/// Loads values k .. k + n - 1 of a block.
template <int n, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Lanes<Scalar, n> LoadValues(const FullValues<Scalar> &values, std::int64_t k)
{
  return Lanes<Scalar, n>::Load(values.val + k);
}
template <int n, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Lanes<Scalar, n> LoadValues(const SingleValues<Scalar> &values, std::int64_t k)
{
  return Lanes<Scalar, n>::Load(values.val + k);
}
template <int n, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Lanes<Scalar, n> LoadValues(const FewValues<Scalar> &values, std::int64_t k)
{
  return Lanes<Scalar, n>::template FromTable<kTableNumbers>(values.table, values.val + k);
}
template <int n, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Lanes<Scalar, n> LoadValues(const OneValue<Scalar> &values, std::int64_t)
{
  return Lanes<Scalar, n>::All(values.value);
}

template <bool ahead, class Values>
KOKKOS_FORCEINLINE_FUNCTION void PrefetchValues(const Prefetch<ahead> &prefetch, const Values &values, std::int64_t k,
                                                std::int64_t n)
{
  if constexpr (requires { values.val; }) prefetch(values.val + k, n);
}

} // namespace petscspmv
