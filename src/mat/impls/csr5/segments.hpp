// The sums of a tile's segments (paper, section 4, Algorithms 6 and 8), host mapping: a SIMD lane takes a column of the tile.
#pragma once

#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/scratch.hpp"
#include "mat/arithmetic/value_lanes.hpp"
#include "mat/impls/csr5/layout.hpp"
#include "mat/impls/csr5/tiles.hpp"

#include <bit>
#include <cstdint>

namespace petscspmv::csr5 {

/// The entries of a complete tile of a compile-time shape, by steps: row after row of the tile.
template <int Omega, int Sigma, bool ahead, class Values, class Column, class X>
struct TileSteps {
  Values          values;
  const Column   *columns;
  const X        *x;
  Prefetch<ahead> prefetch;

  /// Calls step(j, products) for all steps; products(sum) adds the products of step j to sum.
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void ForAll(const F &step) const
  {
    static_assert(Sigma % 2 == 0);
    for (int j = 0; j < Sigma; j += 2) { // unrolled by two: SumTile() adds even and odd steps separately
      Step(j, step);
      Step(j + 1, step);
    }
  }

private:
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void Step(int j, const F &step) const
  {
    const int at = j * Omega;
    PrefetchValues(prefetch, values, at, Omega);
    prefetch(columns + at, Omega);
    const auto v    = Factors<X, Omega>::Load(values, at);
    const auto x_of = Lanes<X, Omega>::LoadAt(x, Places<Column>{columns + at});
    step(j, [v, x_of](const Lanes<X, Omega> &sum) PETSCSPMV_INLINE_LAMBDA { return sum.PlusProduct(v, x_of); });
  }
};

/// Calls step(j, products) for the steps of a tile, in whichever way its values and columns are stored.
template <class Scalar, class Index, int Omega, int Sigma, class X, bool ahead, class Step>
KOKKOS_FORCEINLINE_FUNCTION void ForAllSteps(const Tiles<Scalar, Index, Omega, Sigma> &a, std::int64_t tile, const X *x,
                                             const Prefetch<ahead> &prefetch, const Step &step)
{
  const std::int64_t begin = tile * (Omega * Sigma);
  a.values.With(tile, begin, [&]<class Values>(const Values &values) PETSCSPMV_INLINE_LAMBDA {
    a.columns.With(tile, begin, x, [&]<class Column>(const Column *columns, const X *x_from) PETSCSPMV_INLINE_LAMBDA {
      TileSteps<Omega, Sigma, ahead, Values, Column, X>{values, columns, x_from, prefetch}.ForAll(step);
    });
  });
}

/// What a worker keeps of a tile in the L1 cache. For packs, only the sums of segments.
template <class X, int Omega, int Sigma, bool packs>
struct TileBuffer {
  Scratch<X, Omega * Sigma> sum;
};
template <class X, int Omega, int Sigma>
struct TileBuffer<X, Omega, Sigma, false> {
  static constexpr int kOmega = Omega ? Omega : kMaxOmega, kSigma = Sigma ? Sigma : kMaxSigma;

  Scratch<X, (kSigma + 1) * kOmega>       scan; // at (j + 1) omega + i: the running sum of column i after step j
  Scratch<X, kOmega>                      foot; // of each column: the sum after the last step
  Scratch<X, Omega ? 1 : kOmega * kSigma> sum;  // for prefix sums only: the sum of each segment
};

/// The sums of a tile's segments, in order. Only the first may belong to a row that began in an earlier tile, and only the last to
/// a row that continues in the next.
template <class X>
struct Segments {
  int                  count;
  const X             *sum;   // where the sums of all segments but the last are
  const std::uint16_t *place; // their indices in sum; null: 0, 1, 2, ...
  X                    last;

  KOKKOS_FORCEINLINE_FUNCTION const X &Inner(int k) const { return sum[place ? place[k] : k]; }
  KOKKOS_FORCEINLINE_FUNCTION const X &First() const { return count == 1 ? last : Inner(0); }
};

/// Lines 5-21 of Algorithm 8: the running sum of every column, restarted at every flag, after each of the sigma steps. Of the
/// descriptor's words only the flags, the lowest bits, are used.
template <class Scalar, class Index, int Omega, int Sigma, class X, bool ahead>
KOKKOS_FORCEINLINE_FUNCTION void ScanColumns(const Tiles<Scalar, Index, Omega, Sigma> &a, std::int64_t tile, const X *x,
                                             const Prefetch<ahead> &prefetch, const std::uint32_t *tile_desc,
                                             TileBuffer<X, Omega, Sigma, false> &buffer)
{
  const int          omega = a.omega(), sigma = a.sigma();
  const std::int64_t begin = tile * (omega * sigma);
  X                 *scan  = buffer.scan.data();
  if constexpr (Omega > 0) {
    using Values = Lanes<X, Omega>;

    const auto           flags = Values::Bits::Load(tile_desc);
    typename Values::Bit bit(1);
    Values               sum = Values::Zero();
    sum.Store(scan); // before the first step
    const auto step = [&](int j, const auto &add) PETSCSPMV_INLINE_LAMBDA {
      sum = add(sum.IfWithout(bit, flags));
      bit.Advance();
      sum.Store(scan + (j + 1) * Omega);
    };
    ForAllSteps(a, tile, x, prefetch, step);
    sum.Store(buffer.foot.data());
  } else {
    for (int i = 0; i < omega; ++i) {
      X &sum = buffer.foot.data()[i] = scan[i] = X{};
      for (int j = 0; j < sigma; ++j) {
        if (tile_desc[i] >> j & 1u) sum = X{};
        sum = PlusProduct(sum, a.values.Value(tile, begin, j * omega + i), x[a.columns.Column(tile, begin, j * omega + i)]);
        scan[(j + 1) * omega + i] = sum;
      }
    }
  }
}

/// The sum of a tile that lies within one row. Even and odd steps are added separately, so that additions are independent.
template <class Scalar, class Index, int Omega, int Sigma, class X, bool ahead>
KOKKOS_FORCEINLINE_FUNCTION X SumTile(const Tiles<Scalar, Index, Omega, Sigma> &a, std::int64_t tile, const X *x,
                                      const Prefetch<ahead> &prefetch)
{
  const int          omega = a.omega(), sigma = a.sigma();
  const std::int64_t begin = tile * (omega * sigma);
  if constexpr (Omega > 0) {
    using Values      = Lanes<X, Omega>;
    Values     sum[2] = {Values::Zero(), Values::Zero()};
    const auto step   = [&](int j, const auto &add) PETSCSPMV_INLINE_LAMBDA { sum[j % 2] = add(sum[j % 2]); };
    ForAllSteps(a, tile, x, prefetch, step);
    return (sum[0] + sum[1]).Sum();
  } else {
    X sum{};
    for (int j = 0; j < sigma; ++j) {
      for (int i = 0; i < omega; ++i)
        sum = PlusProduct(sum, a.values.Value(tile, begin, j * omega + i), x[a.columns.Column(tile, begin, j * omega + i)]);
    }
    return sum;
  }
}

/// The number of red entries of a column (as the paper calls those before the first flag): sigma if it has no flag.
KOKKOS_FORCEINLINE_FUNCTION int RedEntries(std::uint32_t word, int sigma)
{
  return sigma < 32 ? std::countr_zero(word | std::uint32_t{1} << sigma) : std::countr_zero(word);
}

/// Joins the sub-segments of adjacent columns (red and blue in the paper): the sum open at the foot of a column is carried into the
/// next one, to its last entry before a flag. Where a column begins with a flag, the carry goes to row 0 of `scan`, which is never
/// read, but cleared for every tile: carries added up over many tiles might overflow where no row does. Feet are read from memory
/// that is not written here: otherwise memory disambiguation would mispredict at columns without a flag.
template <class X, int Omega, int Sigma>
KOKKOS_FORCEINLINE_FUNCTION void JoinColumns(int omega, int sigma, const std::uint32_t *tile_desc,
                                             TileBuffer<X, Omega, Sigma, false> &buffer)
{
  X *scan = buffer.scan.data(), carry = buffer.foot.data()[0];
  for (int i = 1; i < omega; ++i) {
    const int red         = RedEntries(tile_desc[i], sigma);
    const X   end         = Plus(scan[red * omega + i], carry);
    scan[red * omega + i] = end;
    carry                 = red == sigma ? end : buffer.foot.data()[i];
  }
}

/// Algorithm 6 as printed, with y_offset and seg_offset: sums across columns are differences of prefix sums over all columns of
/// the tile.
template <class Scalar, class Index, int Omega, int Sigma>
void CollectSegmentsByPrefixSums(const Tiles<Scalar, Index, Omega, Sigma> &a, const std::uint32_t *tile_desc, const Scalar *scan,
                                 int count, Scalar *sum)
{
  const int omega = a.omega(), sigma = a.sigma();
  Scalar    tmp[kMaxOmega] = {}, in[kMaxOmega];
  for (int i = 1; i < omega; ++i) {
    const int red = RedEntries(tile_desc[i], sigma);
    if (red > 0) tmp[i - 1] = scan[red * omega + i];
  }
  in[0] = tmp[0];
  for (int i = 1; i < omega; ++i) in[i] = in[i - 1] + tmp[i];
  for (int i = 0; i < omega; ++i) {
    const std::uint64_t word     = a.fields.Load(tile_desc, i);
    const std::uint32_t bit_flag = a.fields.BitFlag(word);
    if (!bit_flag) continue; // entirely red
    int k = a.fields.YOffset(word);
    for (std::uint32_t flags = bit_flag & (bit_flag - 1); flags; flags &= flags - 1)
      sum[k++] = scan[std::countr_zero(flags) * omega + i];
    sum[k < count ? k : count - 1] = scan[sigma * omega + i] + (in[i + a.fields.SegOffset(word)] - in[i] + tmp[i]);
  }
}

/// For packs: goes through the columns one after the other, writes the sums of all segments but the last to `inner`, and returns
/// the last. Steps that take an entry from every column would gain nothing, since a pack fills a register, and hardware does not
/// prefetch x in that order. Additions are in the order of ScanColumns() and JoinColumns().
template <class Scalar, class Index, int Omega, int Sigma, class X, bool ahead>
KOKKOS_FORCEINLINE_FUNCTION X SumSegmentsInTurn(const Tiles<Scalar, Index, Omega, Sigma> &a, std::int64_t tile, const X *x,
                                                const Prefetch<ahead> &prefetch, const std::uint32_t *tile_desc, X *inner)
{
  const std::int64_t begin = tile * (Omega * Sigma);
  X                  sum{}; // of the segment that is not complete yet
  a.values.With(tile, begin, [&](const auto &values) PETSCSPMV_INLINE_LAMBDA {
    a.columns.With(tile, begin, x, [&](const auto *columns, const X *x_from) PETSCSPMV_INLINE_LAMBDA {
      for (int i = 0; i < Omega; ++i) {
        PrefetchValues(prefetch, values, i * Sigma, Sigma);
        prefetch(columns + i * Sigma, Sigma);
        const auto sum_of = [&](int j, int end) PETSCSPMV_INLINE_LAMBDA {
          X part{};
          for (; j < end; ++j) part = PlusProduct(part, values[j * Omega + i], x_from[columns[j * Omega + i]]);
          return part;
        };
        std::uint32_t flags = tile_desc[i];
        int           j     = RedEntries(flags, Sigma);
        if (i == 0) sum = sum_of(0, j);
        else if (j > 0) sum = Plus(sum_of(0, j), sum);
        while (j < Sigma) {
          if (i + j > 0) *inner++ = sum;
          flags &= flags - 1;
          const int next = RedEntries(flags, Sigma);
          sum            = sum_of(j, next);
          j              = next;
        }
      }
    });
  });
  return sum;
}

/// The sums of all segments of a complete tile. `end`: the tile's part of segment_end.
template <SegmentedSum how, class Scalar, class Index, int Omega, int Sigma, class X, bool ahead, bool packs>
KOKKOS_FORCEINLINE_FUNCTION Segments<X> SumSegments(const Tiles<Scalar, Index, Omega, Sigma> &a, std::int64_t tile, const X *x,
                                                    const Prefetch<ahead> &prefetch, const std::uint16_t *end,
                                                    TileBuffer<X, Omega, Sigma, packs> &buffer)
{
  const int            omega = a.omega(), sigma = a.sigma(), count = 1 + a.inner_ends[tile];
  const std::uint32_t *tile_desc = a.tile_desc + tile * a.fields.WordsPerTile();
  if (count == 1) return {1, nullptr, nullptr, SumTile(a, tile, x, prefetch)};
  if constexpr (packs) {
    X *const inner = buffer.sum.data();
    return {count, inner, nullptr, SumSegmentsInTurn(a, tile, x, prefetch, tile_desc, inner)};
  } else {
    X *scan = buffer.scan.data();
    ScanColumns(a, tile, x, prefetch, tile_desc, buffer);
    if constexpr (how == SegmentedSum::Separate) {
      JoinColumns(omega, sigma, tile_desc, buffer);
      return {count, scan, end, scan[sigma * omega + omega - 1]};
    } else {
      CollectSegmentsByPrefixSums(a, tile_desc, scan, count, buffer.sum.data());
      return {count, buffer.sum.data(), nullptr, buffer.sum.data()[count - 1]};
    }
  }
}

} // namespace petscspmv::csr5
