// How kernels store sums: to scalars, to rows of packs (packs.hpp), or, with `add`, to a Result, whose v may be another array than
// y.
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/result.hpp"

#include <cstdint>
#include <type_traits>

namespace petscspmv {

/// Whether kernels of a format can store to Y: on hosts also to a Result.
template <class Exec, class Scalar, class Y>
inline constexpr bool kCanStore = std::is_same_v<Y, Scalar *> || (kOnHost<Exec> && std::is_same_v<Y, Result<Scalar>>);

/// y as kernels for single vectors have it from the library: so they are compiled once.
template <bool add, class T>
auto SingleY(T *y)
{
  if constexpr (add) return Result<T>{y, y};
  else return y;
}

template <bool add, class T>
KOKKOS_FORCEINLINE_FUNCTION void Store(const ResultRow<T> &row, const T &sum)
{
  static_assert(add);
  *row.y = row.minus ? Minus(*row.v, sum) : Plus(*row.v, sum);
}

/// Adds to what is stored already, as where a row is summed in pieces.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void AddToStored(T &y, const T &sum)
{
  Store<true>(y, sum);
}
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void AddToStored(const ResultRow<T> &row, const T &sum)
{
  Store<true>(ResultRow<T>{row.y, row.y, row.minus}, sum);
}

/// Whether rows without entries need a store of their own: not where they keep what is in y.
template <bool add, class Y>
KOKKOS_FORCEINLINE_FUNCTION bool StoresEmpty(const Y &)
{
  return !add;
}
template <bool add, class T>
KOKKOS_FORCEINLINE_FUNCTION bool StoresEmpty(const Result<T> &result)
{
  return result.v != result.y;
}

/// Stores the sum of no products, X{}.
template <bool add, class X, class Y>
KOKKOS_FORCEINLINE_FUNCTION void StoreEmpty(const Y &y, std::int64_t row)
{
  if constexpr (!add) Store<false>(y[row], X{});
}
template <bool add, class X, class T>
KOKKOS_FORCEINLINE_FUNCTION void StoreEmpty(const Result<T> &result, std::int64_t row)
{
  result.y[row] = result.v[row];
}

/// Stores sum(0), ..., sum(n - 1) to consecutive rows.
template <bool add, class Y, class Sum>
KOKKOS_FORCEINLINE_FUNCTION void StoreRows(const Y &y, std::int64_t row, std::int64_t n, const Sum &sum)
{
  for (std::int64_t i = 0; i < n; ++i) Store<add>(y[row + i], sum(i));
}

} // namespace petscspmv
