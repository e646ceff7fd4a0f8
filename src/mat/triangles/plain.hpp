// The solve with a triangle by a loop over rows or columns, in the caller's arrays. Nothing is fused: it gives the same bits as
// layouts. Mostly a row needs the one solved just before, on grids the neighbour: its result is kept in a register, since reading
// back from memory what was just written takes longer than the arithmetic of a short row.
#pragma once

#include "mat/arithmetic/scalar.hpp"
#include "mat/triangles/sweep.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace petscspmv::triangles {

/// sum - value x, or with the opposite of a value that is that of the triangle times -1.
template <bool negated, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar MinusProduct(const Scalar &sum, const Scalar &value, const Scalar &x)
{
  return sum - Multiply(negated ? -value : value, x);
}

/// Subtracts the products of a row in their order: in that of its entries or, with `back`, from the last to the first, with values
/// times -1. The entry of the row solved before is the last of a lower triangle's row, the first of an upper one's.
template <bool upper, bool back, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION Scalar SubtractRow(const Scalar *val, const Index *col_idx, Index begin, Index end, Index before,
                                               const Scalar &result, const Scalar *x, Scalar sum)
{
  const Index near    = upper ? begin : end - 1;
  const bool  chained = begin < end && col_idx[near] == before;
  if (chained) upper ? ++begin : --end;
  if (chained && upper != back) sum = MinusProduct<back>(sum, val[near], result);
  if constexpr (back) {
    for (Index k = end; k > begin; --k) sum = MinusProduct<back>(sum, val[k - 1], x[col_idx[k - 1]]);
  } else {
    for (Index k = begin; k < end; ++k) sum = MinusProduct<back>(sum, val[k], x[col_idx[k]]);
  }
  if (chained && upper == back) sum = MinusProduct<back>(sum, val[near], result);
  return sum;
}

/// Over the rows from the one solved as number `first` on, of a triangle that is stored by rows. `only_b`: there is b, but
/// neither `sum` nor `more`, as in most sweeps.
template <SweepKind kind, bool upper, bool back, bool only_b, class Scalar, class Index>
void SweepRows(const TriangleSource<Scalar, Index> &source, std::int64_t first, const Scalar *d, const Sweep<Scalar> &sweep)
{
  const Index *const begin = source.begin, *const end = source.end, *const col_idx = source.col_idx;
  const Scalar *const val = source.val, *const b = sweep.b, *const more = sweep.more, keep = sweep.keep;
  Scalar *const x = sweep.x, *const sums = sweep.sum;
  constexpr Index kStep   = upper ? -1 : 1;
  constexpr bool  kWrites = kind != SweepKind::Multiply;
  Index           row     = source.RowAt(first);
  Scalar          result  = kWrites && first > 0 ? x[row - kStep] : Scalar(0);
  for (std::int64_t left = source.rows - first; left > 0; --left, row += kStep) {
    Scalar sum = only_b || b ? b[row] : Scalar(0);
    if constexpr (kind == SweepKind::Start) sum = Multiply(sum, d[row]);
    sum = SubtractRow<upper, back>(val, col_idx, begin[row], end[row], kWrites ? row - kStep : Index(-1), result, x, sum);
    if (!only_b && sums) sums[row] = sum;
    if constexpr (!kWrites) continue;
    if (!only_b && (kind == SweepKind::Solve || kind == SweepKind::Relax) && more) sum = sum + more[row];
    if constexpr (kind == SweepKind::Scaled || kind == SweepKind::Relax) sum = Multiply(sum, d[row]);
    if constexpr (kind == SweepKind::Relax) sum = Multiply(keep, x[row]) + sum;
    x[row] = result = sum;
  }
}

/// Over all rows of a triangle that is stored by columns. Each result is subtracted from the sums in x that need it; the sum of the
/// next row, whose entry is the first or the last of the column, then goes on in a register. For kinds without `sum` and `more`.
template <SweepKind kind, bool upper, bool negated, class Scalar, class Index>
void SweepColumns(const TriangleSource<Scalar, Index> &source, const Scalar *d, const Sweep<Scalar> &sweep)
{
  const Index *const begin = source.begin, *const end = source.end, *const col_idx = source.col_idx;
  const Scalar *const val = source.val, *const b = sweep.b;
  Scalar *const   x     = sweep.x;
  constexpr Index kStep = upper ? -1 : 1;
  if (source.rows == 0) return;
  if (!b) std::fill_n(x, source.rows, Scalar(0));
  else if (b != x) std::copy_n(b, source.rows, x);
  for (Index i = 0; kind == SweepKind::Start && i < source.rows; ++i) x[i] = Multiply(x[i], d[i]);
  Index  column = source.RowAt(0);
  Scalar sum    = x[column];
  for (Index left = source.rows; left > 0; --left, column += kStep) {
    Index        first = begin[column], last = end[column];
    const Index  near = upper ? last - 1 : first, next = column + kStep;
    const Scalar result  = kind == SweepKind::Scaled ? Multiply(sum, d[column]) : sum;
    const bool   chained = first < last && col_idx[near] == next;
    if (chained) upper ? --last : ++first;
    for (Index k = first; k < last; ++k) x[col_idx[k]] = MinusProduct<negated>(x[col_idx[k]], val[k], result);
    if (left > 1) sum = x[next];
    if (chained) sum = MinusProduct<negated>(sum, val[near], result);
    x[column] = result;
  }
}

/// Sweeps over the rows from the one solved as number `first` on. d has a factor for each row.
template <class Scalar, class Index>
void PlainSweep(const TriangleSource<Scalar, Index> &source, std::int64_t first, const Scalar *d, const Sweep<Scalar> &sweep)
{
  assert(source.transposed ? !sweep.sum && !sweep.more : source.reversed == source.negated);
  const auto with = [](bool condition, const auto &f) {
    return condition ? f.template operator()<true>() : f.template operator()<false>();
  };
  return WithKind(sweep.kind, [&]<SweepKind kind>() {
    return with(source.upper, [&]<bool upper>() {
      return with(source.negated, [&]<bool negated>() {
        if (!source.transposed) {
          with(sweep.b && !sweep.sum && !sweep.more,
               [&]<bool only_b>() { SweepRows<kind, upper, negated, only_b>(source, first, d, sweep); });
        } else if constexpr (kind != SweepKind::Relax && kind != SweepKind::Multiply) {
          SweepColumns<kind, upper, negated>(source, d, sweep);
        }
      });
    });
  });
}

} // namespace petscspmv::triangles
