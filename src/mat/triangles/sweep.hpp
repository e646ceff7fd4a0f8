// The solve with a triangle: chunk after chunk, a row in each lane. Each row's products are subtracted one after the other in the
// order of the matrix, without fused operations: all targets give the bits of a plain loop.
#pragma once

#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/scratch.hpp"
#include "mat/arithmetic/value_lanes.hpp"
#include "mat/exec/host.hpp"
#include "mat/impls/sellcs/layout.hpp"
#include "mat/triangles/layout.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv::triangles {

/// The sweep over the rows of chunk c.
template <SweepKind kind, bool ahead, class Scalar>
struct SweepChunk {
  static constexpr int kWidth = static_cast<int>(kLanes<Scalar>);
  using Sums                  = Lanes<Scalar, kWidth>;
  using RowPlaces             = Places<std::int32_t>;

  sellcs::Chunks<Scalar, std::int32_t> a;
  const Scalar                        *diagonal;
  Sweep<Scalar>                        sweep;
  Prefetch<ahead>                      prefetch;
  sellcs::RowsAhead                    ahead_rows;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t c) const
  {
    const std::int64_t slot = c * kWidth, begin = a.chunk_ptr[c], full = a.full[c], columns = (a.chunk_ptr[c + 1] - begin) / kWidth;
    const std::int32_t *row = a.perm + slot;
    const RowPlaces     rows{row};
    a.PrefetchChunks(prefetch, c);
    PrefetchRows(c);
    if (kind != SweepKind::Solve && kind != SweepKind::Multiply) prefetch.NextLine(diagonal, slot + kWidth);
    Sums sum = sweep.b ? Sums::LoadAt(sweep.b, rows) : Sums::Zero();
    if constexpr (kind == SweepKind::Start) sum = sum.RoundedTimes(Sums::Load(diagonal + slot));
    a.values.With(c, begin, [&](const auto &values) PETSCSPMV_INLINE_LAMBDA {
      a.columns.With(c, begin, static_cast<const Scalar *>(sweep.x),
                     [&](const auto *col_idx, const Scalar *x)
                       PETSCSPMV_INLINE_LAMBDA { SubtractProducts(col_idx, values, a.row_len + slot, full, columns, x, sum); });
    });
    if (sweep.sum) StoreRows(sum, row, sweep.sum);
    if constexpr (kind == SweepKind::Multiply) return;
    if ((kind == SweepKind::Solve || kind == SweepKind::Relax) && sweep.more) sum = sum + Sums::LoadAt(sweep.more, rows);
    if constexpr (kind == SweepKind::Scaled || kind == SweepKind::Relax) sum = sum.RoundedTimes(Sums::Load(diagonal + slot));
    if constexpr (kind == SweepKind::Relax) sum = Sums::All(sweep.keep).RoundedTimes(Sums::LoadAt(sweep.x, rows)) + sum;
    StoreRows(sum, row, sweep.x);
  }

private:
  /// Prefetches the vectors' entries for kWidth rows of the next window, in the order of the matrix: the hardware prefetcher cannot
  /// predict the order of the chunks.
  KOKKOS_FORCEINLINE_FUNCTION void PrefetchRows(std::int64_t c) const
  {
    if constexpr (ahead) {
      const std::int64_t first = ahead_rows.First(c * kWidth, kWidth);
      if (first < 0) return;
      for (const Scalar *vector :
           {sweep.b, static_cast<const Scalar *>(sweep.x), static_cast<const Scalar *>(sweep.sum), sweep.more})
        if (vector) PrefetchLines(vector + first, vector + first + kWidth);
    }
  }

  /// Subtracts products from `sum`, one column of the chunk after the other, never fused. From column `full` on, padding counts as
  /// zero times zero: subtracting that leaves any sum as it is, also a zero of either sign.
  template <class Column, class Values>
  KOKKOS_FORCEINLINE_FUNCTION void SubtractProducts(const Column *col_idx, const Values &values, const std::int32_t *row_len,
                                                    std::int64_t full, std::int64_t columns, const Scalar *x, Sums &sum) const
  {
    const auto add = [&](std::int64_t column, const auto &keep) PETSCSPMV_INLINE_LAMBDA {
      const std::int64_t at = column * kWidth;
      PrefetchValues(prefetch, values, at, kWidth);
      prefetch(col_idx + at, kWidth);
      const Sums value = keep(LoadValues<kWidth>(values, at)), of_x = keep(Sums::LoadAt(x, Places<Column>{col_idx + at}));
      sum = sum - value.RoundedTimes(of_x);
    };
    std::int64_t j = 0;
    for (; j < full; ++j) add(j, [](const auto &v) PETSCSPMV_INLINE_LAMBDA { return v; });
    if (j == columns) return;
    const auto           length = Sums::Counts::Load(row_len);
    typename Sums::Count now    = static_cast<typename Sums::Count>(j);
    for (; j < columns; ++j, now += 1) add(j, [&](const auto &v) PETSCSPMV_INLINE_LAMBDA { return v.IfAbove(now, length); });
  }

  KOKKOS_FORCEINLINE_FUNCTION void StoreRows(const Sums &sum, const std::int32_t *row, Scalar *to) const
  {
    Scratch<Scalar, kWidth> buffer;
    sum.Store(buffer.data());
    for (int i = 0; i < kWidth; ++i) to[row[i]] = buffer.data()[i];
  }
};

/// Calls f with `kind` as template argument.
template <class F>
auto WithKind(SweepKind kind, const F &f)
{
  switch (kind) {
  case SweepKind::Solve:
    return f.template operator()<SweepKind::Solve>();
  case SweepKind::Scaled:
    return f.template operator()<SweepKind::Scaled>();
  case SweepKind::Start:
    return f.template operator()<SweepKind::Start>();
  case SweepKind::Relax:
    return f.template operator()<SweepKind::Relax>();
  case SweepKind::Multiply:
    break;
  }
  return f.template operator()<SweepKind::Multiply>();
}

template <class Scalar, class Index>
void Run(const HostExec &exec, const Layout<Scalar, Index> &layout, const Sweep<Scalar> &sweep)
{
  const auto       &chunks = layout.chunks;
  const std::size_t both   = 2 * (chunks.values.Bytes() + chunks.columns.Bytes()); // of both triangles, which take turns
  WithPrefetch(exec, both, [&]<bool ahead>(const Prefetch<ahead> &prefetch) {
    WithKind(sweep.kind, [&]<SweepKind kind>() {
      const SweepChunk<kind, ahead, Scalar> run{sellcs::Chunks(chunks), layout.diagonal.data(), sweep, prefetch, chunks.ahead};
      for (std::int64_t c = 0; c < chunks.chunks; ++c) run(c);
    });
  });
}

} // namespace petscspmv::triangles
