// Values in lanes: the bits of many, and those of a block as kernels load them. For the processor alone (lanes.hpp).
#pragma once

#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/values.hpp"

#include <cstdint>

namespace petscspmv {

/// Adds n values, until they are known to be full.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void AddValues(const Scalar *val, std::int64_t n, ValueBits<Scalar> &found)
{
  using Found          = ValueBits<Scalar>;
  using Bits           = typename Found::Bits;
  constexpr int kWidth = kRegisterBytes / sizeof(Bits), kTogether = 32; // numbers between two looks
  using Vector               = lanes::Vector<Bits, kWidth>;
  const char        *number  = reinterpret_cast<const char *>(val); // their parts in turn
  const std::int64_t numbers = n * Found::kParts;
  const Vector first = lanes::Generate<Bits, kWidth>([&](int i) PETSCSPMV_INLINE_LAMBDA { return found.first(i % Found::kParts); }),
               lost  = lanes::All<Bits, kWidth>(found.lost());
  std::int64_t k     = 0;
  for (; k + kTogether <= numbers && found.Kind() != ValueKind::Full; k += kTogether) {
    Vector differ{}, unfit{};
    Prefetch<true>()(val, kTogether / Found::kParts, k / Found::kParts);
    lanes::Unroll<kTogether / kWidth>([&](auto v) PETSCSPMV_INLINE_LAMBDA {
      const Vector bits = lanes::LoadVector<Vector>(number + (k + v * kWidth) * static_cast<std::int64_t>(sizeof(Bits)));
      Found::AddParts(bits, first, lost, differ, unfit);
    });
    for (int i = 0; i < kWidth; ++i) found.AddFound(differ[i], unfit[i]);
  }
  for (k /= Found::kParts; k < n && found.Kind() != ValueKind::Full; ++k) found.Add(val[k]);
}

/// Values k .. k + n - 1 of a block.
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
KOKKOS_FORCEINLINE_FUNCTION Lanes<Scalar, n> LoadValues(const OneValue<Scalar> &values, std::int64_t)
{
  return Lanes<Scalar, n>::All(values.value);
}

template <bool ahead, class Values>
KOKKOS_FORCEINLINE_FUNCTION void PrefetchValues(const Prefetch<ahead> &prefetch, const Values &values, std::int64_t k,
                                                std::int64_t n)
{
  if constexpr (Values::kStored) prefetch(values.val + k, n);
}

} // namespace petscspmv
