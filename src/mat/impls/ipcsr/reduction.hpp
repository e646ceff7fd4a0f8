// From the products of a row block, in the worker's shared memory, to the sums of its rows (paper,
// Algorithm 3, lines 11-20, and Algorithm 5). Host mapping: SIMD lanes do the work of a row's threads.
#pragma once

#include "mat/format/scalar.hpp"
#include "mat/format/sum.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>

namespace petscspmv::ipcsr {

/// temp_s of the paper: the products of the entries first, first + 1, ... of the matrix. Behind them
/// stand kPadding values that may be read but count for nothing.
template <class Scalar>
struct Products {
  std::int64_t  first;
  const Scalar *temp_s;
};

inline constexpr int kPadding = 8;

/// Longest rows that have a loop of their own where rows are equal.
inline constexpr int kShortRow = 8;

/// Rows whose sums over the lanes are finished together.
inline constexpr int kRowsTogether = 8;

/// Rows of `length` entries from `row` on, and the first row that has another length.
template <int length, bool add, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION Index RowsOfLength(const Index *row_ptr, Index row, Index end, Products<Scalar> products, Scalar *y)
{
  const Scalar *value = products.temp_s + (row_ptr[row] - products.first);
  for (; row < end && row_ptr[row + 1] - row_ptr[row] == length; ++row, value += length) {
    Scalar sum = value[0];
    for (int i = 1; i < length; ++i) sum += value[i];
    Store<add>(y[row], sum);
  }
  return row;
}

/// The same where the length, 1 to `most`, is known at run time.
template <int most, bool add, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION Index RowsOfShortLength(Index length, const Index *row_ptr, Index row, Index end, Products<Scalar> products, Scalar *y)
{
  if (length == most) return RowsOfLength<most, add>(row_ptr, row, end, products, y);
  if constexpr (most > 1) return RowsOfShortLength<most - 1, add>(length, row_ptr, row, end, products, y);
  else return row;
}

/// Scalar-style: a thread a row, for rows that are nearly equal. On hosts one row comes after another, and short ones
/// of the same length run without an inner loop.
template <bool add, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION void ScalarReduction(const Index *row_ptr, Index start, Index end, Products<Scalar> products, Scalar *y)
{
  for (Index row = start; row < end;) {
    const Index length = row_ptr[row + 1] - row_ptr[row];
    if (length >= 1 && length <= kShortRow) {
      row = RowsOfShortLength<kShortRow, add>(length, row_ptr, row, end, products, y);
    } else {
      const Scalar *value = products.temp_s + (row_ptr[row] - products.first);
      Scalar        sum   = Scalar(0);
      for (Index i = 0; i < length; ++i) sum += value[i];
      Store<add>(y[row++], sum);
    }
  }
}

/// Partial reduction of one row (Algorithm 5, lines 5-12): lane t adds the values t, t + lanes, ... of `n`. The
/// short step comes first and masks its end: a row of up to `lanes` values takes no branch.
template <int lanes, class Real, class Count>
KOKKOS_FORCEINLINE_FUNCTION void PartialReduction(const Real *value, Count n, Real *lane)
{
  const Count first = n <= lanes ? n : n & (lanes - 1);
#pragma omp simd
  for (Count t = 0; t < lanes; ++t) {
    const Real v = value[t];
    lane[t]      = t < first ? v : Real(0);
  }
  for (Count i = first; i < n; i += lanes) {
#pragma omp simd
    for (Count t = 0; t < lanes; ++t) lane[t] += value[i + t];
  }
}

/// Warp reduction (Algorithm 5, lines 13-24) of several rows side by side, from the four lanes that are left of each.
/// Neighbours are added instead of halves: the same tree with lanes renamed.
template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void WarpReduction(std::complex<Real> *sum, const Real *lane)
{
  for (int k = 0; k < kRowsTogether; ++k) sum[k] = {lane[4 * k] + lane[4 * k + 2], lane[4 * k + 1] + lane[4 * k + 3]};
}

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void WarpReduction(Real *sum, const Real *lane)
{
  Real pair[2 * kRowsTogether];
#pragma omp simd
  for (int k = 0; k < 2 * kRowsTogether; ++k) pair[k] = lane[2 * k] + lane[2 * k + 1];
#pragma omp simd
  for (int k = 0; k < kRowsTogether; ++k) sum[k] = pair[2 * k] + pair[2 * k + 1];
}

/// Multiple scalar-style: `lanes` real numbers of a row at a time (of complex ones, half as many).
template <int lanes, bool add, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION void MultipleScalarReduction(const Index *row_ptr, Index start, Index end, Products<Scalar> products, Scalar *y)
{
  using Real          = typename Parts<Scalar>::Real;
  using Count         = std::conditional_t<sizeof(Real) == 8, std::int64_t, std::int32_t>; // as wide as the lanes: masks need no conversion
  constexpr int parts = Parts<Scalar>::count;
  const Real   *value = reinterpret_cast<const Real *>(products.temp_s);
  Count         begin = 0;
  for (std::int64_t row = start; row < end; row += kRowsTogether) {
    const int n = static_cast<int>(std::min<std::int64_t>(kRowsTogether, end - row));
    Real      together[4 * kRowsTogether];
    for (int k = 0; k < n; ++k) {
      const Count              row_e = static_cast<Count>(row_ptr[row + k + 1] - products.first) * parts;
      alignas(kStackLine) Real lane[lanes];
      PartialReduction<lanes>(value + begin, row_e - begin, lane);
      TreeSum<lanes, 4>(lane);
      for (int t = 0; t < 4; ++t) together[4 * k + t] = lane[t];
      begin = row_e;
    }
    for (int k = 4 * n; k < 4 * kRowsTogether; ++k) together[k] = Real(0);
    Scalar sum[kRowsTogether];
    WarpReduction(sum, together);
    for (int k = 0; k < n; ++k) Store<add>(y[row + k], sum[k]);
  }
}

} // namespace petscspmv::ipcsr
