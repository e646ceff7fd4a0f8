// Finds the chunks whose columns follow one another across lanes, host mapping.
#pragma once

#include "mat/arithmetic/lanes.hpp"
#include "mat/arithmetic/sample.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/impls/sellcs/layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace petscspmv::sellcs {

/// The smallest share of the entries in chunks with runs that is worth a layout with both kinds of chunks.
inline constexpr double kEnoughRuns = 0.5;

/// The most entries, padding included, that a chunk may have with runs: they take as many bytes as `entries` entries with 16-bit
/// column indices.
template <class Scalar>
constexpr std::int64_t MostWithRuns(std::int64_t entries)
{
  return entries + entries * 2 / static_cast<std::int64_t>(sizeof(Scalar));
}

/// Whether a row has the columns of another one, each plus one.
template <class Column>
KOKKOS_FORCEINLINE_FUNCTION bool FollowsRow(const Column *row, const Column *before, std::int64_t n)
{
  using Int            = lanes::IntOf<Column>;
  constexpr int kWidth = 16 / sizeof(Column);
  using Vector         = lanes::Vector<Int, kWidth>;
  if (n > 0 && row[0] != before[0] + 1) return false;
  if (n < kWidth) {
    Column differ = 0;
    for (std::int64_t j = 1; j < n; ++j) differ |= row[j] - before[j] - 1;
    return differ == 0;
  }
  Vector differ{};
  for (std::int64_t k = 0; k < n; k += kWidth) { // the last ones may be looked at twice
    const std::int64_t j = std::min(k, n - kWidth);
    differ |= lanes::LoadVector<Vector>(row + j) - lanes::LoadVector<Vector>(before + j) - 1;
  }
  return lanes::Any(differ) == 0;
}

/// The rows of a chunk. Adjacent lanes are grouped where each has the columns of the lane before plus one.
template <class Column, int height>
class RowsOfChunk {
public:
  static constexpr std::uint32_t kAllLanes = (std::uint32_t{1} << height) - 1;

  /// Adds the next lane, with its n columns.
  KOKKOS_FORCEINLINE_FUNCTION void Add(const Column *columns, std::int64_t n)
  {
    entries_ += n;
    if (groups_ > 0 && group_[groups_ - 1].left == n && FollowsRow(columns, columns_, n))
      group_[groups_ - 1].lanes |= std::uint32_t{1} << lane_;
    else group_[groups_++] = {columns, n, static_cast<Column>(lane_), std::uint32_t{1} << lane_};
    columns_ = columns;
    ++lane_;
  }

  /// Writes the chunk's steps, unless `steps` is null. A step takes the least of the rows' next columns, each minus its row's lane,
  /// from all rows that have it: so each row keeps its order. Returns the number of steps; 0 if they have more than `most` entries,
  /// or if loads for lanes without an entry would reach beyond the matrix's `cols` columns.
  template <class Index>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t FindRuns(Column cols, std::int64_t most, RunStep<Index> *steps, Index &base)
  {
    std::int64_t count = 0, found = 0;
    for (; found < entries_; ++count) {
      Column least = std::numeric_limits<Column>::max();
      for (int g = 0; g < groups_; ++g)
        if (group_[g].left > 0) least = std::min(least, group_[g].Next());
      std::uint32_t lanes = 0;
      for (int g = 0; g < groups_; ++g)
        if (group_[g].left > 0 && group_[g].Next() == least) lanes |= group_[g].Take();
      found += std::popcount(lanes);
      const bool outside = least < 0 || least > cols - height, padded = entries_ + (count + 1) * height - found > most;
      if (outside || padded) return 0;
      if (count == 0) base = static_cast<Index>(least);
      if (steps) steps[count] = {static_cast<Index>(least) - base, lanes};
    }
    return count;
  }

private:
  struct Group {
    const Column *columns; // the next columns of its first lane
    std::int64_t  left;
    Column        lane; // its first lane
    std::uint32_t lanes;

    KOKKOS_FORCEINLINE_FUNCTION Column Next() const { return *columns - lane; }
    KOKKOS_FORCEINLINE_FUNCTION std::uint32_t Take()
    {
      ++columns;
      --left;
      return lanes;
    }
  };

  Group         group_[height];
  const Column *columns_ = nullptr; // of the lane added last
  int           groups_ = 0, lane_ = 0;
  std::int64_t  entries_ = 0;
};

/// Finds the steps of all chunks. Each chunk has space for as many steps as it may have.
template <class Scalar, class Index, class CsrIndex>
struct FindChunkRuns {
  static constexpr int kHeight = DefaultChunk<HostExec, Scalar>();

  Chunks<Scalar, Index> a;
  Csr<Scalar, CsrIndex> csr;
  Index                *base;
  std::int64_t         *count;
  RunStep<Index>       *steps;

  /// The space for the steps of a chunk whose first entry, in a layout without runs, is number `begin`.
  KOKKOS_FORCEINLINE_FUNCTION RunStep<Index> *Steps(std::int64_t begin) const
  {
    return steps + MostWithRuns<Scalar>(begin) / kHeight;
  }

  KOKKOS_FUNCTION void operator()(std::int64_t c) const
  {
    RowsOfChunk<CsrIndex, kHeight> rows;
    for (int lane = 0; lane < kHeight; ++lane) {
      const std::int64_t slot = c * kHeight + lane;
      rows.Add(csr.col_idx + (slot < a.rows ? csr.row_ptr[a.RowOf(slot)] : 0), a.row_len[slot]);
    }
    const std::int64_t begin = a.chunk_ptr[c];
    count[c]                 = rows.FindRuns(csr.cols, MostWithRuns<Scalar>(a.chunk_ptr[c + 1] - begin), Steps(begin), base[c]);
  }
};

/// The share of the entries of a few chunks, with rows in the matrix's order, that are in chunks with runs, if it is enough.
template <class Scalar, class CsrIndex>
Sharing SampleRuns(const Csr<Scalar, CsrIndex> &csr)
{
  constexpr int      kHeight = DefaultChunk<HostExec, Scalar>(), kEvery = 4; // every fourth chunk of a sample
  const std::int64_t chunks = ChunksOf(csr.rows, kHeight);
  std::int64_t       all = 0, with_runs = 0;
  for (std::int64_t k = 0; k < SampleSize(chunks); k += kEvery) {
    const std::int64_t first = SampleBlock(chunks, k) * kHeight, end = std::min<std::int64_t>(csr.rows, first + kHeight),
                       nonzeros = csr.row_ptr[end] - csr.row_ptr[first], most = MostWithRuns<Scalar>(nonzeros);
    RowsOfChunk<CsrIndex, kHeight> rows;
    CsrIndex                       base = 0;
    for (std::int64_t row = first; row < end; ++row)
      rows.Add(csr.col_idx + csr.row_ptr[row], csr.row_ptr[row + 1] - csr.row_ptr[row]);
    all += nonzeros;
    if (rows.FindRuns(csr.cols, most, static_cast<RunStep<CsrIndex> *>(nullptr), base) > 0) with_runs += nonzeros;
  }
  const double share = all > 0 ? static_cast<double>(with_runs) / static_cast<double>(all) : 0;
  return share < kEnoughRuns ? Sharing() : Sharing{share, kHeight};
}

/// The steps of all chunks. Equal steps are stored once if they are found among the latest, one for each value of 8 bits of a hash.
template <class Index>
class SharedSteps {
public:
  /// The position of these steps in All(), to which they are added unless found.
  std::int64_t Place(const RunStep<Index> *steps, std::int64_t count)
  {
    std::uint64_t hash = static_cast<std::uint64_t>(count);
    for (std::int64_t j = 0; j < count; ++j)
      hash = (hash ^ static_cast<std::uint64_t>(steps[j].first) ^ std::uint64_t{steps[j].lanes} << 32) * 0x9e3779b97f4a7c15U;
    Known     &known = known_[hash >> 56];
    const auto size  = static_cast<std::size_t>(count);
    if (known.count == count && std::equal(steps, steps + size, all_.data() + known.at)) return static_cast<std::int64_t>(known.at);
    known = {all_.size(), count};
    all_.insert(all_.end(), steps, steps + size);
    return static_cast<std::int64_t>(known.at);
  }

  const std::vector<RunStep<Index>> &All() const { return all_; }

private:
  struct Known {
    std::size_t  at    = 0;
    std::int64_t count = -1;
  };
  std::vector<RunStep<Index>> all_;
  std::array<Known, 256>      known_;
};

/// Stores chunks with runs where possible, if such chunks have enough of the entries.
template <OnProcessor Exec, class Scalar, class CsrIndex, class Index>
void FindRuns(const Exec &exec, const Csr<Scalar, CsrIndex> &csr, Layout<Scalar, Index, Exec> &layout)
{
  const auto                                   size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  Array<Index, typename Exec::memory_space>    base(size(layout.chunks));
  Array<std::int64_t>                          count(size(layout.chunks));
  Array<RunStep<Index>>                        steps(size(MostWithRuns<Scalar>(layout.entries) / layout.height));
  const FindChunkRuns<Scalar, Index, CsrIndex> find{Chunks(layout), csr, base.data(), count.data(), steps.data()};
  exec.For("SELLCSFindRuns", layout.chunks, size(layout.entries), find);

  std::int64_t with_runs = 0;
  for (std::int64_t c = 0; c < layout.chunks; ++c)
    if (count[size(c)] > 0) with_runs += EntriesOfChunk<Scalar, Index>{find.a}(c);
  if (static_cast<double>(with_runs) < kEnoughRuns * static_cast<double>(layout.entries)) return;

  using Rows = RowsOfChunk<CsrIndex, DefaultChunk<HostExec, Scalar>()>;
  SharedSteps<Index> shared;
  std::int64_t       without = 0; // entries in chunks without runs
  std::int64_t      &with    = layout.runs.entries;
  layout.runs.base           = std::move(base);
  layout.column_ptr.Allocate(size(layout.chunks) + 1);
  for (std::int64_t c = 0, begin = 0; c < layout.chunks; ++c) {
    const std::int64_t    end = layout.chunk_ptr[size(c + 1)], n = count[size(c)];
    const RunStep<Index> *of_chunk = find.Steps(begin);
    layout.chunk_ptr[size(c)]      = without + with;
    if (n > 0) {
      layout.full[size(c)] = static_cast<Index>(
        std::find_if(of_chunk, of_chunk + n, [](const auto &step) { return step.lanes != Rows::kAllLanes; }) - of_chunk);
      layout.column_ptr[size(c)] = ~shared.Place(of_chunk, n);
      with += n * layout.height;
    } else {
      layout.column_ptr[size(c)] = without;
      without += end - begin;
    }
    begin = end;
  }
  layout.entries                         = without + with;
  layout.chunk_ptr[size(layout.chunks)]  = layout.entries;
  layout.column_ptr[size(layout.chunks)] = without;
  CopyIn(exec, layout.runs.steps, shared.All());
}

} // namespace petscspmv::sellcs
