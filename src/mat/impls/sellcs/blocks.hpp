// Finds rows with the same columns, as those of the unknowns of a node. Host mapping.
#pragma once

#include "mat/arithmetic/sample.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/impls/sellcs/layout.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace petscspmv::sellcs {

/// The blocks that there are kernels for, the largest first. More rows have some of these (six have three).
inline constexpr int kBlocks[] = {4, 3, 2};

/// The share of the entries in blocks, in a few places, from which they are worth another order of rows.
inline constexpr double kEnoughBlocks = 0.75;

/// Whether `count` rows from `row` on have the same columns.
template <class Scalar, class CsrIndex>
bool HaveSameColumns(const Csr<Scalar, CsrIndex> &csr, std::int64_t row, int count)
{
  const std::int64_t begin = csr.row_ptr[row], n = csr.row_ptr[row + 1] - begin;
  const CsrIndex    *columns = csr.col_idx + begin;
  for (int r = 1; r < count; ++r) {
    const std::int64_t other = csr.row_ptr[row + r];
    if (csr.row_ptr[row + r + 1] - other != n || !std::equal(columns, columns + n, csr.col_idx + other)) return false;
  }
  return true;
}

/// How many rows form a block in most of a few places, or 1.
template <class Scalar, class CsrIndex>
int RowsOfBlocks(const Csr<Scalar, CsrIndex> &csr)
{
  constexpr int      kRows = 12, kEvery = 4; // a multiple of all blocks; of a sample
  const std::int64_t places = csr.rows / kRows;
  std::int64_t       all = 0, of_block[std::size(kBlocks)] = {}; // entries
  for (std::int64_t k = 0; k < SampleSize(places); k += kEvery) {
    const std::int64_t first = SampleBlock(places, k) * kRows;
    all += csr.row_ptr[first + kRows] - csr.row_ptr[first];
    for (std::size_t b = 0; b < std::size(kBlocks); ++b) {
      for (std::int64_t row = first; row < first + kRows; row += kBlocks[b])
        if (HaveSameColumns(csr, row, kBlocks[b])) of_block[b] += csr.row_ptr[row + kBlocks[b]] - csr.row_ptr[row];
    }
  }
  for (std::size_t b = 0; all > 0 && b < std::size(kBlocks); ++b)
    if (static_cast<double>(of_block[b]) >= kEnoughBlocks * static_cast<double>(all)) return kBlocks[b];
  return 1;
}

/// Whether the chunks of a group hold blocks of rows, one in each lane.
template <class Scalar, class Index, class CsrIndex>
struct FindGroup {
  Chunks<Scalar, Index> a;
  Csr<Scalar, CsrIndex> csr;
  int                   block;
  std::uint8_t         *is_group;

  KOKKOS_FUNCTION void operator()(std::int64_t group) const
  {
    const std::int64_t first = group * block * a.height;
    bool               same  = true;
    for (std::int64_t lane = 0; same && lane < a.height; ++lane)
      same = a.RowOf(first + (block - 1) * a.height + lane) == a.RowOf(first + lane) + block - 1 &&
             HaveSameColumns(csr, a.RowOf(first + lane), block);
    is_group[group] = same;
  }
};

/// Lets the chunks of groups share the columns of the first one.
template <OnProcessor Exec, class Scalar, class CsrIndex, class Index>
void FindBlocks(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  const auto          size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const Chunks        a(layout);
  const std::int64_t  groups = layout.rows / (layout.block * layout.height);
  Array<std::uint8_t> is_group(size(groups));
  exec.For("SELLCSFindBlocks", groups, size(layout.entries),
           FindGroup<Scalar, Index, CsrIndex>{a, csr, layout.block, is_group.data()});
  std::int64_t own = 0; // columns
  layout.column_ptr.Allocate(size(layout.chunks) + 1);
  for (std::int64_t c = 0; c < layout.chunks; ++c) {
    const std::int64_t group = c / layout.block, entries = EntriesOfChunk{a}(c);
    const bool         in_group = group < groups && is_group[size(group)];
    if (in_group) layout.block_entries += entries;
    if (in_group && c % layout.block != 0) {
      layout.column_ptr[size(c)] = layout.column_ptr[size(c - 1)];
    } else {
      layout.column_ptr[size(c)] = own;
      own += entries;
    }
  }
  layout.column_ptr[size(layout.chunks)] = own;
}

} // namespace petscspmv::sellcs
