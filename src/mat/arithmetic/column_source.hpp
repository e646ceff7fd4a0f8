// How the columns of a layout are filled on hosts, block by block.
#pragma once

#include "mat/arithmetic/column_lanes.hpp"
#include "mat/arithmetic/sample.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv {

/// Offsets are tried if at least this share of a sample can have them: less than kEnoughOffsets, as a sample may be wrong.
inline constexpr double kEnoughInSample = 0.75;

// The functors below write the columns of one block. `of` supplies Entries(block), Begin(block), Base(block) as in
// ColumnRange, WriteOffsets(block, memory), which returns the base and, unless the base is kFar, writes the offsets, and
// Write(block, memory, conversion).

template <class Of, class Index>
struct FillOffsets {
  Of             of;
  Index         *base;
  std::int64_t  *at;
  std::uint16_t *offsets;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    at[block]   = of.Begin(block);
    base[block] = static_cast<Index>(of.WriteOffsets(block, offsets + at[block]));
  }
};

/// Writes a block if it is plain. If there are no bases, all blocks are.
template <class Of, class Index>
struct FillPlain {
  Of                  of;
  const Index        *base;
  const std::int64_t *at;
  Index              *plain;

  KOKKOS_FUNCTION void operator()(std::int64_t block) const
  {
    if (!base) of.Write(block, plain + of.Begin(block), Convert<Index>());
    else if (base[block] == kFar) of.Write(block, plain + at[block], Convert<Index>());
  }
};

/// Whether enough entries in a sample of blocks can have offsets.
template <class Of>
bool SampleIsNear(std::int64_t blocks, const Of &of)
{
  std::int64_t near = 0, all = 0;
  for (std::int64_t k = 0; k < SampleSize(blocks); ++k) {
    const std::int64_t block = SampleBlock(blocks, k);
    all += of.Entries(block);
    if (of.Base(block) != kFar) near += of.Entries(block);
  }
  return static_cast<double>(near) >= kEnoughInSample * static_cast<double>(all);
}

/// Fills the columns of a new layout, as offsets if `offsets` is set, enough entries can have them, and they save bytes. If a
/// sample promises enough, all blocks get a place in columns.offsets. Blocks found to be far are then written to columns.plain.
template <class Exec, class Of, class Index>
void FillColumnBlocks(const Exec &exec, const char *name, bool offsets, std::int64_t blocks, std::int64_t entries, const Of &of,
                      Columns<Index, typename Exec::memory_space> &columns)
{
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const auto fill = [&] {
    exec.For(name, blocks, size(entries), FillPlain<Of, Index>{of, columns.base.data(), columns.at.data(), columns.plain.data()});
  };
  columns = {};
  if (offsets && SampleIsNear(blocks, of)) {
    columns.base.Allocate(size(blocks));
    columns.at.Allocate(size(blocks));
    columns.offsets.Allocate(size(entries));
    exec.For(name, blocks, size(entries),
             FillOffsets<Of, Index>{of, columns.base.data(), columns.at.data(), columns.offsets.data()});
    std::int64_t far = 0;
    for (std::int64_t block = 0; block < blocks; ++block) {
      if (columns.base[size(block)] != kFar) {
        ++columns.offset_blocks;
      } else {
        columns.at[size(block)] = far;
        far += of.Entries(block);
      }
    }
    const std::size_t bytes = columns.Bytes() + size(far) * sizeof(Index);
    if (static_cast<double>(entries - far) >= kEnoughOffsets * static_cast<double>(entries) &&
        bytes < size(entries) * sizeof(Index)) {
      columns.plain.Allocate(size(far));
      if (far > 0) fill();
      return;
    }
    columns = {};
  }
  columns.plain.Allocate(size(entries));
  fill();
}

} // namespace petscspmv
