// Sums of neighbouring rows, or segments, from products that stand side by side.
#pragma once

#include "mat/format/scalar.hpp"
#include "mat/format/sum.hpp"

#include <algorithm>
#include <complex>
#include <cstdint>
#include <type_traits>

namespace petscspmv {

/// The products of the entries first, first + 1, ... of the matrix. Behind them stand kReadBehind values that may be read but
/// count for nothing.
template <class Scalar>
struct EntryProducts {
  std::int64_t  first;
  const Scalar *value;
};

inline constexpr int kReadBehind = 8;

/// Rows whose sums over the lanes are finished together.
inline constexpr int kRowsTogether = 8;

/// Partial reduction of one row (IPCSR paper, Algorithm 5, lines 5-12): lane t adds the values t, t + lanes, ... of `n`. The
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
KOKKOS_FORCEINLINE_FUNCTION void SumLanes(std::complex<Real> *sum, const Real *lane)
{
  for (int k = 0; k < kRowsTogether; ++k) sum[k] = {lane[4 * k] + lane[4 * k + 2], lane[4 * k + 1] + lane[4 * k + 3]};
}

template <class Real>
KOKKOS_FORCEINLINE_FUNCTION void SumLanes(Real *sum, const Real *lane)
{
  Real pair[2 * kRowsTogether];
#pragma omp simd
  for (int k = 0; k < 2 * kRowsTogether; ++k) pair[k] = lane[2 * k] + lane[2 * k + 1];
#pragma omp simd
  for (int k = 0; k < kRowsTogether; ++k) sum[k] = pair[2 * k] + pair[2 * k + 1];
}

/// Multiple scalar-style, SIMD lanes being the threads of a row: `lanes` real numbers of a row at a time (of complex ones, half as many).
template <int lanes, bool add, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION void MultipleScalarReduction(const Index *row_ptr, Index start, Index end, EntryProducts<Scalar> products, Scalar *y)
{
  using Real          = typename Parts<Scalar>::Real;
  using Count         = std::conditional_t<sizeof(Real) == 8, std::int64_t, std::int32_t>; // as wide as the lanes: masks need no conversion
  constexpr int parts = Parts<Scalar>::count;
  const Real   *value = reinterpret_cast<const Real *>(products.value);
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
    SumLanes(sum, together);
    for (int k = 0; k < n; ++k) Store<add>(y[row + k], sum[k]);
  }
}

/// Sums of the rows start .. end-1, which have n entries together: by four lanes or, for longer rows, eight. Measured faster than one
/// lane a row (whose loads are gathers) and than more.
template <bool add, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION void SumRows(const Index *row_ptr, Index start, Index end, std::int64_t n, EntryProducts<Scalar> products, Scalar *y)
{
  if (n <= std::int64_t{4} * (end - start)) MultipleScalarReduction<4, add>(row_ptr, start, end, products, y);
  else MultipleScalarReduction<8, add>(row_ptr, start, end, products, y);
}

} // namespace petscspmv
