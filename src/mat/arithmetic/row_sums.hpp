// Sums of consecutive rows, or segments, from products that are contiguous in memory.
#pragma once

#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/store_lanes.hpp"

#include <cstdint>
#include <type_traits>

namespace petscspmv {

/// The products of the matrix entries first, first + 1, ... with x. Behind the last product are kReadBehind values that may be read
/// but have no effect.
template <class Scalar>
struct EntryProducts {
  std::int64_t  first;
  const Scalar *value;
};

inline constexpr int kReadBehind = 8;

/// Partial reduction of one row of n values (IPCSR paper, Algorithm 5, lines 5-12), in steps of one value per lane; then the warp
/// reduction (lines 13-24) down to four lanes. The step that does not fill all lanes comes first and is masked, so that a row of up
/// to `lanes` values takes no branch.
template <int lanes, class Real>
KOKKOS_FORCEINLINE_FUNCTION Lanes<Real, 4> PartialReduction(const Real *value, std::int64_t n)
{
  using Values             = Lanes<Real, lanes>;
  const std::int64_t first = n <= lanes ? n : n & (lanes - 1);
  Values             sum   = Values::Load(value).First(first);
  for (std::int64_t i = first; i < n; i += lanes) sum = sum + Values::Load(value + i);
  if constexpr (lanes == 8) return sum.Fold();
  else return sum;
}

/// The rest of the warp reduction, for four rows at once. Adding neighbouring lanes instead of halves is the same tree with the
/// lanes renamed. Complex numbers take two lanes each: even lanes hold real parts.
template <bool add, class Scalar, class Real, class Y>
KOKKOS_FORCEINLINE_FUNCTION void StoreFourSums(const Lanes<Real, 4> *of_row, std::int64_t rows, const Y &y, std::int64_t row)
{
  if constexpr (std::is_same_v<Scalar, Real>) {
    Real sum[4];
    StoreSumsOfFour(of_row, sum);
    if (rows == 4) return StoreLanes<add>(y, row, Lanes<Real, 4>::Load(sum));
    for (std::int64_t k = 0; k < rows; ++k) Store<add>(y[row + k], sum[k]);
  } else {
    for (std::int64_t k = 0; k < rows; ++k) {
      Real part[2];
      of_row[k].Fold().Store(part);
      Store<add>(y[row + k], Scalar(part[0], part[1]));
    }
  }
}

/// Multiple scalar-style reduction (IPCSR paper) with SIMD lanes as the threads of a row: `lanes` real numbers of a row at a time,
/// or half as many complex ones.
template <int lanes, bool add, class Scalar, class Index, class Y>
KOKKOS_FORCEINLINE_FUNCTION void MultipleScalarReduction(const Index *row_ptr, Index start, Index end,
                                                         EntryProducts<Scalar> products, const Y &y)
{
  using Real          = typename Parts<Scalar>::Real;
  constexpr int parts = Parts<Scalar>::count;
  const Real   *value = reinterpret_cast<const Real *>(products.value);
  std::int64_t  begin = 0;
  const auto    next  = [&](std::int64_t row) PETSCSPMV_INLINE_LAMBDA {
    const std::int64_t row_e = (row_ptr[row + 1] - products.first) * parts;
    const auto         sum   = PartialReduction<lanes>(value + begin, row_e - begin);
    begin                    = row_e;
    return sum;
  };
  std::int64_t row = start;
  for (; row + 4 <= end; row += 4) {
    const Lanes<Real, 4> four[4] = {next(row), next(row + 1), next(row + 2), next(row + 3)};
    StoreFourSums<add, Scalar>(four, 4, y, row);
  }
  if (row < end) {
    Lanes<Real, 4> rest[4] = {next(row), Lanes<Real, 4>::Zero(), Lanes<Real, 4>::Zero(), Lanes<Real, 4>::Zero()};
    for (std::int64_t k = 1; k < end - row; ++k) rest[k] = next(row + k);
    StoreFourSums<add, Scalar>(rest, end - row, y, row);
  }
}

/// Sums of the rows start .. end-1, which have n entries in total: by four lanes or, if rows are longer on average, by eight. This
/// was measured to be faster than one lane per row, whose loads are far apart, and than more lanes.
template <bool add, class Scalar, class Index, class Y>
KOKKOS_FORCEINLINE_FUNCTION void SumRows(const Index *row_ptr, Index start, Index end, std::int64_t n,
                                         EntryProducts<Scalar> products, const Y &y)
{
  if (n <= std::int64_t{4} * (end - start)) MultipleScalarReduction<4, add>(row_ptr, start, end, products, y);
  else MultipleScalarReduction<8, add>(row_ptr, start, end, products, y);
}

} // namespace petscspmv
