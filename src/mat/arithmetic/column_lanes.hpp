// Column indices in lanes, and how a layout's columns are filled block by block. Host only (lanes.hpp).
#pragma once

#include "mat/arithmetic/columns.hpp"
#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/sample.hpp"
#include "mat/arithmetic/value_lanes.hpp"
#include "mat/exec/host.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv {

/// The least or the greatest of n integers, by halving.
template <bool greatest, class Int, int n>
KOKKOS_FORCEINLINE_FUNCTION Int Extreme(const lanes::Vector<Int, n> &v)
{
  if constexpr (n == 1) {
    return v[0];
  } else {
    const auto a = lanes::Part<0, n / 2, Int, n>(v), b = lanes::Part<n / 2, n / 2, Int, n>(v);
    return Extreme<greatest, Int, n / 2>((greatest ? a > b : a < b) ? a : b);
  }
}

/// Adds n columns to a range.
template <class Index>
KOKKOS_FORCEINLINE_FUNCTION void AddColumns(const Index *col_idx, std::int64_t n, ColumnRange<Index> &range)
{
  using Int            = lanes::IntOf<Index>;
  constexpr int kWidth = (kRegisterBytes < 32 ? kRegisterBytes : 32) / sizeof(Index); // not wider than what was stored just before
  constexpr int kCount = 16 / kWidth, kStep = kCount * kWidth;
  using Vector   = lanes::Vector<Int, kWidth>;
  std::int64_t k = 0;
  if (n >= kStep) {
    Vector least[kCount], most[kCount];
    lanes::Unroll<kCount>([&](auto v)
                            PETSCSPMV_INLINE_LAMBDA { least[v] = most[v] = lanes::LoadVector<Vector>(col_idx + v * kWidth); });
    for (k = kStep; k + kStep <= n; k += kStep) {
      Prefetch<true>()(col_idx, kStep, k);
      lanes::Unroll<kCount>([&](auto v) PETSCSPMV_INLINE_LAMBDA {
        const Vector column = lanes::LoadVector<Vector>(col_idx + k + v * kWidth);
        least[v]            = column < least[v] ? column : least[v];
        most[v]             = column > most[v] ? column : most[v];
      });
    }
    lanes::Unroll<kCount - 1>([&](auto v) PETSCSPMV_INLINE_LAMBDA {
      least[0] = least[v + 1] < least[0] ? least[v + 1] : least[0];
      most[0]  = most[v + 1] > most[0] ? most[v + 1] : most[0];
    });
    range.Add(static_cast<Index>(Extreme<false, Int, kWidth>(least[0])));
    range.Add(static_cast<Index>(Extreme<true, Int, kWidth>(most[0])));
  }
  for (; k < n; ++k) range.Add(col_idx[k]);
}

/// Writes the offsets of n columns.
template <int n, class From, class Index>
KOKKOS_FORCEINLINE_FUNCTION void ConvertLanes(const OffsetFrom<Index> &conversion, const From *from, std::uint16_t *to)
{
  if constexpr (n == 1) {
    *to = conversion(*from);
  } else {
    using Vector = lanes::Vector<From, n>;
    lanes::StoreVector(to, lanes::Converted<std::uint16_t, n, From>(lanes::LoadVector<Vector>(from) -
                                                                    lanes::All<From, n>(static_cast<From>(conversion.base))));
  }
}

/// The share of a sample's entries from which offsets are tried: less than kEnoughOffsets, as a sample may be wrong.
inline constexpr double kEnoughInSample = 0.75;

/// The columns of a layout's blocks where they are written one by one. `of` supplies Entries(block), Begin(block), Base(block) as in
/// ColumnRange, WriteOffsets(block, memory), which returns the base and writes unless that is kFar, and Write(block, memory,
/// conversion).
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

/// Fills the blocks that are plain: all if there are no bases.
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

/// Fills the columns of a new layout, as offsets if `offsets` is set, they apply to enough entries, and they save bytes. A sample
/// decides, and all blocks get the place of their offsets: those that turn out to be far are written to another place afterwards.
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
      return far > 0 ? fill() : void();
    }
    columns = {};
  }
  columns.plain.Allocate(size(entries));
  fill();
}

} // namespace petscspmv
