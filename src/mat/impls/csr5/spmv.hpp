// y = A x and y += A x in CSR5 (paper, section 4, Algorithm 8), host mapping: a worker takes a
// block of tiles, a SIMD lane a column of a tile.
#pragma once

#include "mat/format/launch.hpp"
#include "mat/format/prefetch.hpp"
#include "mat/format/scalar.hpp"
#include "mat/format/scratch.hpp"
#include "mat/format/sum.hpp"
#include "mat/impls/csr5/layout.hpp"

#include <bit>

namespace petscspmv::csr5 {

/// A layout as the kernels read it. Omega and Sigma are compile-time where they are not 0.
template <class Scalar, class Index, int Omega, int Sigma, bool ahead = false>
struct Tiles {
  using Unsigned = std::make_unsigned_t<Index>;

  DescriptorFields     fields;
  std::int64_t         complete;
  const Unsigned      *tile_ptr;
  const std::uint32_t *tile_desc;
  const std::int64_t  *empty_ptr;
  const Index         *empty_offset;
  const std::uint16_t *inner_ends;
  const std::int64_t  *block_ptr;
  const std::uint16_t *segment_end;
  const Scalar        *val;
  ColumnsView<Index>   columns;
  Prefetch<ahead>      prefetch;

  template <class Exec>
  explicit Tiles(const Layout<Scalar, Index, Exec> &layout) :
    fields(layout.fields), complete(layout.complete), tile_ptr(layout.tile_ptr.data()), tile_desc(layout.tile_desc.data()), empty_ptr(layout.empty_ptr.data()), empty_offset(layout.empty_offset.data()), inner_ends(layout.inner_ends.data()), block_ptr(layout.block_ptr.data()), segment_end(layout.segment_end.data()), val(layout.val.data()), columns(layout.columns)
  {
  }

  KOKKOS_FUNCTION int omega() const { return Omega ? Omega : fields.omega; }
  KOKKOS_FUNCTION int sigma() const { return Sigma ? Sigma : fields.sigma; }
};

/// The sums of a tile's segments, in order. Only the first may belong to a row that began in an
/// earlier tile and only the last to one that goes on in the next.
template <class Scalar>
struct Segments {
  int     count;
  Scalar *sum;
};

/// A step of a column's running sum, started anew at a flag. What is chosen is what is added: a choice between sums would
/// be a branch, but with AVX-512.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar ScanStep(bool flag, const Scalar &sum, const Scalar &val, const Scalar &x)
{
  return (flag ? Scalar(0) : sum) + Multiply(val, x);
}

/// Lines 5-21 of Algorithm 8: the running sum of every column, started anew at every flag, after
/// each of the sigma steps. scan[(j + 1) omega + i] is that of column i after step j.
template <class Scalar, class Index, int Omega, int Sigma, bool ahead>
KOKKOS_FORCEINLINE_FUNCTION void ScanColumns(const Tiles<Scalar, Index, Omega, Sigma, ahead> &a, const std::uint32_t *bit_flag, const Index *col_idx, const Scalar *val, const Scalar *x, Scalar *scan)
{
  const int                  omega = a.omega(), sigma = a.sigma();
  alignas(kStackLine) Scalar sum[Omega ? Omega : kMaxOmega] = {};
  for (int j = 0; j < sigma; ++j) {
    a.prefetch(val + j * omega, omega);
    a.prefetch(col_idx + j * omega, omega);
#pragma omp simd
    for (int i = 0; i < omega; ++i) {
      sum[i]                    = ScanStep(bit_flag[i] >> j & 1u, sum[i], val[j * omega + i], x[col_idx[j * omega + i]]);
      scan[(j + 1) * omega + i] = sum[i];
    }
  }
}

/// The same for pairs of steps, x beginning at the tile's base.
template <class Scalar, class Index, int Omega, int Sigma, bool ahead>
KOKKOS_FORCEINLINE_FUNCTION void ScanPairs(const Tiles<Scalar, Index, Omega, Sigma, ahead> &a, const std::uint32_t *bit_flag, const std::int32_t *pairs, const Scalar *val, const Scalar *x, Scalar *scan)
{
  const int                  omega = a.omega(), sigma = a.sigma();
  alignas(kStackLine) Scalar sum[Omega ? Omega : kMaxOmega] = {};
  int                        j                              = 0;
  for (; j + 1 < sigma; j += 2) {
    a.prefetch(val + j * omega, 2 * omega);
    a.prefetch(pairs + j / 2 * omega, omega);
#pragma omp simd
    for (int i = 0; i < omega; ++i) {
      const std::int32_t pair   = pairs[j / 2 * omega + i];
      const Scalar       first  = ScanStep(bit_flag[i] >> j & 1u, sum[i], val[j * omega + i], x[FirstOffset(pair)]);
      sum[i]                    = ScanStep(bit_flag[i] >> (j + 1) & 1u, first, val[(j + 1) * omega + i], x[SecondOffset(pair)]);
      scan[(j + 1) * omega + i] = first;
      scan[(j + 2) * omega + i] = sum[i];
    }
  }
  if (j < sigma) {
#pragma omp simd
    for (int i = 0; i < omega; ++i) scan[sigma * omega + i] = ScanStep(bit_flag[i] >> j & 1u, sum[i], val[j * omega + i], x[FirstOffset(pairs[j / 2 * omega + i])]);
  }
}

/// The red and blue sub-segments of neighbouring columns put together, row by row: the sum open at
/// the foot of a column is carried into the next one's, at the end of its part without a flag.
/// Row 0 of `scan` takes the carries into columns that begin with a flag, to which nobody looks.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void JoinColumns(int omega, int sigma, const std::uint32_t *bit_flag, Scalar *scan)
{
  Scalar carry = scan[sigma * omega];
  for (int i = 1; i < omega; ++i) {
    const int red = bit_flag[i] ? std::countr_zero(bit_flag[i]) : sigma;
    scan[red * omega + i] += carry;
    carry = scan[sigma * omega + i];
  }
}

/// Algorithm 6 as printed, with y_offset and seg_offset: sums over columns are differences of
/// prefix sums over all columns of the tile.
template <class Scalar, class Index, int Omega, int Sigma, bool ahead>
KOKKOS_FORCEINLINE_FUNCTION void CollectSegmentsByPrefixSums(const Tiles<Scalar, Index, Omega, Sigma, ahead> &a, const std::uint32_t *tile_desc, const std::uint32_t *bit_flag, const Scalar *scan, Segments<Scalar> &segments)
{
  const int omega = a.omega(), sigma = a.sigma();
  Scalar    tmp[kMaxOmega] = {}, in[kMaxOmega];
  for (int i = 1; i < omega; ++i) {
    const int red = bit_flag[i] ? std::countr_zero(bit_flag[i]) : sigma;
    if (red > 0) tmp[i - 1] = scan[red * omega + i];
  }
  in[0] = tmp[0];
  for (int i = 1; i < omega; ++i) in[i] = in[i - 1] + tmp[i];
  for (int i = 0; i < omega; ++i) {
    if (!bit_flag[i]) continue; // red as a whole
    const std::uint64_t word = a.fields.Load(tile_desc, i);
    int                 k    = a.fields.YOffset(word);
    for (std::uint32_t flags = bit_flag[i] & (bit_flag[i] - 1); flags; flags &= flags - 1) segments.sum[k++] = scan[std::countr_zero(flags) * omega + i];
    segments.sum[k] = scan[sigma * omega + i] + (in[i + a.fields.SegOffset(word)] - in[i] + tmp[i]);
    segments.count  = k + 1;
  }
}

/// The sum of a tile within a row: offsets are unpacked first, and the order of additions is that of plain indices.
template <class Scalar, class Index, int Omega, int Sigma, bool ahead>
KOKKOS_FORCEINLINE_FUNCTION Scalar SumTile(const Tiles<Scalar, Index, Omega, Sigma, ahead> &a, std::int64_t tile, const Scalar *x)
{
  const int          omega = a.omega(), sigma = a.sigma();
  const std::int64_t begin = tile * (omega * sigma);
  if (!a.columns.HasOffsets(tile)) return SumOfProducts(a.columns.plain + a.columns.PlainAt(tile, begin), a.val + begin, omega * sigma, x, a.prefetch);
  const std::int32_t                                                            *pairs = a.columns.Pairs(tile);
  Scratch<std::int32_t, Omega ? Omega *(Sigma + 1) : kMaxOmega *(kMaxSigma + 1)> room;
  std::int32_t                                                                  *offset = room.data();
  for (int j = 0; j < sigma; j += 2) {
    a.prefetch(a.val + begin + j * omega, 2 * omega);
    a.prefetch(pairs + j / 2 * omega, omega);
#pragma omp simd
    for (int i = 0; i < omega; ++i) {
      offset[j * omega + i]       = FirstOffset(pairs[j / 2 * omega + i]);
      offset[(j + 1) * omega + i] = SecondOffset(pairs[j / 2 * omega + i]);
    }
  }
  return SumOfProducts(offset, a.val + begin, omega * sigma, x + a.columns.base[tile], Prefetch<false>());
}

/// All segments of one complete tile, whose inner_ends begin at `end`.
template <SegmentedSum how, class Scalar, class Index, int Omega, int Sigma, bool ahead>
KOKKOS_FORCEINLINE_FUNCTION void SumSegments(const Tiles<Scalar, Index, Omega, Sigma, ahead> &a, std::int64_t tile, const Scalar *x, const std::uint16_t *end, Segments<Scalar> &segments)
{
  const int            omega = a.omega(), sigma = a.sigma();
  const std::int64_t   begin     = tile * (omega * sigma);
  const std::uint32_t *tile_desc = a.tile_desc + static_cast<std::size_t>(tile) * static_cast<std::size_t>(a.fields.WordsPerTile());
  segments.count                 = 1 + a.inner_ends[tile];
  if (segments.count == 1) {
    segments.sum[0] = SumTile(a, tile, x);
    return;
  }
  std::uint32_t bit_flag[Omega ? Omega : kMaxOmega] = {};
  for (int i = 0; i < omega; ++i) bit_flag[i] = a.fields.BitFlag(tile_desc[i]); // sigma <= 32: in the first packet
  Scratch<Scalar, Omega ? (Sigma + 1) * Omega : (kMaxSigma + 1) * kMaxOmega> room;
  Scalar                                                                    *scan = room.data();
  for (int i = 0; i < omega; ++i) scan[i] = Scalar(0);
  if (a.columns.HasOffsets(tile)) ScanPairs(a, bit_flag, a.columns.Pairs(tile), a.val + begin, x + a.columns.base[tile], scan);
  else ScanColumns(a, bit_flag, a.columns.plain + a.columns.PlainAt(tile, begin), a.val + begin, x, scan);
  if constexpr (how == SegmentedSum::Separate) {
    JoinColumns(omega, sigma, bit_flag, scan);
    const int last = segments.count - 1;
#pragma omp simd
    for (int k = 0; k < last; ++k) segments.sum[k] = scan[end[k]];
    segments.sum[last] = scan[sigma * omega + omega - 1];
  } else {
    CollectSegmentsByPrefixSums(a, tile_desc, bit_flag, scan, segments);
  }
}

/// The product with a block of tiles. Rows that begin in the block are stored to y; what the block
/// adds to a row that began before it goes to carry[block], to be added in order afterwards.
template <SegmentedSum how, bool add, class Scalar, class Index, int Omega, int Sigma, bool ahead>
struct MultBlock {
  Tiles<Scalar, Index, Omega, Sigma, ahead> a;
  TileBlocks                                blocks;
  const std::uint8_t                       *continues;
  const Scalar                             *x;
  Scalar                                   *y;
  Scalar                                   *carry;

  void operator()(std::int64_t block) const
  {
    const std::int64_t                                             first = blocks.Begin(block), end = blocks.End(block);
    Scratch<Scalar, Omega ? Omega * Sigma : kMaxOmega * kMaxSigma> room;
    Segments<Scalar>                                               segments{0, room.data()};
    Index                                                          open     = static_cast<Index>(RemoveSign(a.tile_ptr[first])); // row whose sum is not complete yet
    Scalar                                                         sum      = Scalar(0);
    bool                                                           to_carry = continues[block];
    const std::uint16_t                                           *end_of   = a.segment_end + a.block_ptr[block];
    for (std::int64_t tile = first; tile < end; ++tile) {
      const bool  empty = HasEmptyRows(a.tile_ptr[tile]);
      const Index row   = static_cast<Index>(RemoveSign(a.tile_ptr[tile]));
      SumSegments<how>(a, tile, x, end_of, segments);
      end_of += segments.count - 1;
      if (row != open) {
        Close(block, open, sum, to_carry);
        open = row;
        sum  = Scalar(0);
      }
      sum += segments.sum[0];
      const int last = segments.count - 1;
      if (!add && empty) ClearRows(tile);
      if (last == 0) continue;
      Close(block, open, sum, to_carry);
      if (empty) {
        const Index *offset = a.empty_offset + a.empty_ptr[tile];
        for (int k = 1; k < last; ++k) Store<add>(y[row + offset[k]], segments.sum[k]);
        open = row + offset[last];
      } else {
        for (int k = 1; k < last; ++k) Store<add>(y[row + k], segments.sum[k]);
        open = row + last;
      }
      sum = segments.sum[last];
    }
    Close(block, open, sum, to_carry);
  }

private:
  void Close(std::int64_t block, Index row, const Scalar &sum, bool &to_carry) const
  {
    if (to_carry) carry[block] = sum;
    else Store<add>(y[row], sum);
    to_carry = false;
  }

  /// The rows after the tile's first and before the next tile's first: those without entries among
  /// them are nobody else's, the others are stored to after this.
  void ClearRows(std::int64_t tile) const
  {
    const Index end = static_cast<Index>(RemoveSign(a.tile_ptr[tile + 1]));
    for (Index row = static_cast<Index>(RemoveSign(a.tile_ptr[tile])) + 1; row < end; ++row) y[row] = Scalar(0);
  }
};

/// The incomplete tile, row by row as in CSR.
template <bool add, class Scalar, class Index, class Exec>
void MultTail(const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  const std::size_t rows = layout.tail_row.size();
  if constexpr (!add) {
    for (std::int64_t row = static_cast<std::int64_t>(RemoveSign(layout.tile_ptr[static_cast<std::size_t>(layout.complete)])) + 1; row < layout.rows; ++row) y[row] = Scalar(0);
  }
  if (rows == 0) return;
  const std::int64_t begin   = layout.CompleteEntries();
  const Index       *col_idx = layout.columns.plain.data() + ColumnsView<Index>(layout.columns).PlainAt(layout.complete, begin);
  for (std::size_t k = 0; k < rows; ++k) {
    Scalar sum = Scalar(0);
    for (std::int64_t e = layout.tail_ptr[k]; e < layout.tail_ptr[k + 1]; ++e) sum += Multiply(layout.val[static_cast<std::size_t>(e)], x[col_idx[e - begin]]);
    Scalar &target = y[layout.tail_row[k]];
    if (k == 0 && layout.continues[static_cast<std::size_t>(layout.Blocks())]) target += sum;
    else Store<add>(target, sum);
  }
}

template <SegmentedSum how, bool add, int Omega, int Sigma, class Scalar, class Index, class Exec>
void MultTiles(const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  const TileBlocks blocks = layout.CompleteBlocks();
  if constexpr (!add) {
    const Index first = static_cast<Index>(RemoveSign(layout.tile_ptr[0]));
    for (Index row = 0; row < first; ++row) y[row] = Scalar(0);
  }
  WithPrefetch(layout.val.bytes() + layout.columns.Bytes(), [&]<bool ahead>(Prefetch<ahead>) {
    const Tiles<Scalar, Index, Omega, Sigma, ahead> tiles(layout);
    ParallelFor<Exec>("CSR5Mult", blocks.Count(), static_cast<std::size_t>(layout.nnz), MultBlock<how, add, Scalar, Index, Omega, Sigma, ahead>{tiles, blocks, layout.continues.data(), x, y, layout.carry.data()});
  });
  for (std::int64_t block = 0; block < blocks.Count(); ++block) {
    if (layout.continues[static_cast<std::size_t>(block)]) y[RemoveSign(layout.tile_ptr[static_cast<std::size_t>(blocks.Begin(block))])] += layout.carry[static_cast<std::size_t>(block)];
  }
  MultTail<add>(layout, x, y);
}

/// Chooses among the compiled tile shapes; any other runs with omega and sigma as variables.
template <bool add, class Scalar, class Index, class Exec>
void Mult(const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  const auto shape = [&](int omega, int sigma) { return layout.fields.omega == omega && layout.fields.sigma == sigma; };
  if (layout.segmented_sum == SegmentedSum::Prefix) {
    if (shape(16, 16)) return MultTiles<SegmentedSum::Prefix, add, 16, 16>(layout, x, y);
    return MultTiles<SegmentedSum::Prefix, add, 0, 0>(layout, x, y);
  }
  if (shape(16, 16)) return MultTiles<SegmentedSum::Separate, add, 16, 16>(layout, x, y);
  if (shape(8, 16)) return MultTiles<SegmentedSum::Separate, add, 8, 16>(layout, x, y);
  if (shape(4, 16)) return MultTiles<SegmentedSum::Separate, add, 4, 16>(layout, x, y);
  return MultTiles<SegmentedSum::Separate, add, 0, 0>(layout, x, y);
}

} // namespace petscspmv::csr5
