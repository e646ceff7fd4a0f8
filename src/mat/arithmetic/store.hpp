// How kernels store sums: to scalars, to rows of packs (packs.hpp), or, with `add`, to a Result, whose v may be an array other than
// its y.
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/result.hpp"

#include <cstdint>
#include <type_traits>

namespace petscspmv {

/// Whether a format's kernels can store to Y: to a Scalar * or, on hosts, a Result.
template <class Exec, class Scalar, class Y>
inline constexpr bool kCanStore = std::is_same_v<Y, Scalar *> || (kOnHost<Exec> && std::is_same_v<Y, Result<Scalar>>);

/// y in the type that products with a single vector pass to kernels, so that these are not compiled again for another type.
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

/// Adds to (with `minus`, subtracts from) the y of a row that was stored before: a row is summed in pieces.
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

/// Whether rows without entries must be stored too. They need not if they keep what is in y.
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

/// Stores a row without entries: y = X{} (zero), or y = v.
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
