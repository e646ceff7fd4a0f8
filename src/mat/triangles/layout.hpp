// A triangle as chunks of SELL-C-sigma: rows side by side in a chunk, in the order of the schedule.
#pragma once

#include "mat/impls/sellcs/build.hpp"
#include "mat/triangles/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>

namespace petscspmv::triangles {

template <class Scalar>
inline constexpr std::int64_t kLanes = sellcs::DefaultChunk<HostExec, Scalar>();

/// Slots have 32-bit numbers, and rows take as many as there are lanes at most.
template <class Scalar>
inline constexpr std::int64_t kMostRows = std::numeric_limits<std::int32_t>::max() / kLanes<Scalar>;

/// Entries with padding, over those without, from which a plain loop is faster: long rows are among short ones of their level.
inline constexpr double kMostPadding = 2;

/// Chunks whose slots hold the rows of the schedule (`perm`); a row that comes twice in a chunk has the same result twice.
template <class Scalar, class Index>
struct Layout {
  sellcs::Layout<Scalar, std::int32_t, HostExec> chunks;
  Array<Scalar>                                  diagonal; // d of each slot
  std::int64_t                                   first = 0, rows = 0, window = 0, levels = 0;
  bool                                           upper = false;

  std::size_t Bytes() const
  {
    return chunks.chunk_ptr.bytes() + chunks.full.bytes() + chunks.row_len.bytes() + chunks.perm.bytes() + chunks.columns.Bytes() +
           chunks.values.Bytes() + diagonal.bytes();
  }
};

/// The source as chunks are filled from it. An upper triangle, whose rows come from the last to the first, and one without its
/// first rows have no rows here: none are prefetched in the order of CSR.
template <class Scalar, class Index>
Csr<Scalar, Index> CsrOf(const TriangleSource<Scalar, Index> &source, const Layout<Scalar, Index> &layout)
{
  const Index rows = source.upper || layout.first > 0 ? 0 : static_cast<Index>(layout.rows);
  return {rows, source.rows, source.begin, source.col_idx, source.val, source.begin + (source.rows - rows)};
}

template <class Scalar, class Index>
void FillLayoutValues(const HostExec &exec, const TriangleSource<Scalar, Index> &source, Layout<Scalar, Index> &layout, bool refill)
{
  sellcs::WithValues(exec, CsrOf(source, layout), layout.chunks, [&](const auto &values) {
    if (refill) RefillValues(exec, values, layout.chunks.values);
    else FillValues(exec, values, layout.chunks.values.storage, layout.chunks.columns.Bytes(), layout.chunks.values);
  });
}

template <class Scalar, class Index>
bool Build(const HostExec &exec, const TriangleSource<Scalar, Index> &source, const TriangleOptions &options,
           Layout<Scalar, Index> &layout)
{
  constexpr std::int64_t lanes = kLanes<Scalar>;
  const auto             size  = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  layout                       = {};
  if (source.rows > kMostRows<Scalar>) return false;
  layout.upper  = source.upper;
  layout.first  = options.first;
  layout.rows   = options.count > 0 ? options.count : source.rows - options.first;
  layout.window = options.window > 0 ? options.window : ChooseWindow(source, lanes);
  if (layout.window == 0 && !options.always) return false;
  if (layout.window == 0) layout.window = kWindows[std::size(kWindows) - 1];
  const Schedule schedule = MakeSchedule(source, layout.first, layout.rows, layout.window, lanes);
  if (!options.always && static_cast<double>(layout.rows) < kLeastChunks * static_cast<double>(lanes * schedule.levels))
    return false;
  const auto slots  = schedule.row.size();
  auto      &chunks = layout.chunks;
  layout.levels     = schedule.levels;
  chunks.rows       = static_cast<std::int32_t>(slots);
  chunks.cols       = static_cast<std::int32_t>(source.rows);
  chunks.height     = lanes;
  chunks.chunk      = lanes;
  chunks.chunks     = static_cast<std::int64_t>(slots) / lanes;
  chunks.chunk_ptr.Allocate(size(chunks.chunks) + 1);
  chunks.full.Allocate(size(chunks.chunks));
  chunks.row_len.Allocate(slots);
  chunks.perm.Allocate(slots);
  std::copy(schedule.row.begin(), schedule.row.end(), chunks.perm.data());
  std::int64_t nonzeros = 0; // those of repeated rows among them
  for (std::int64_t c = 0; c < chunks.chunks; ++c) {
    std::int32_t longest = 0, shortest = chunks.cols;
    for (std::int64_t slot = c * lanes; slot < (c + 1) * lanes; ++slot) {
      const std::int32_t row     = schedule.row[size(slot)];
      const std::int32_t length  = static_cast<std::int32_t>(source.end[row] - source.begin[row]);
      chunks.row_len[size(slot)] = length;
      nonzeros += length;
      longest  = std::max(longest, length);
      shortest = std::min(shortest, length);
    }
    chunks.full[size(c)]      = shortest;
    chunks.chunk_ptr[size(c)] = chunks.entries;
    chunks.entries += lanes * longest;
  }
  chunks.chunk_ptr[size(chunks.chunks)] = chunks.entries;
  if (!options.always && static_cast<double>(chunks.entries) > kMostPadding * static_cast<double>(nonzeros)) return false;
  sellcs::FillColumns(exec, CsrOf(source, layout), chunks);
  chunks.values.storage = options.single ? ValueStorage::Single : ValueStorage::Auto;
  FillLayoutValues(exec, source, layout, false);
  return true;
}

template <class Scalar, class Index>
void SetDiagonal(const Scalar *diagonal, Layout<Scalar, Index> &layout)
{
  const auto &perm = layout.chunks.perm;
  if (layout.diagonal.size() != perm.size()) layout.diagonal.Allocate(perm.size());
  for (std::size_t slot = 0; slot < perm.size(); ++slot) layout.diagonal[slot] = diagonal[perm[slot]];
}

} // namespace petscspmv::triangles
