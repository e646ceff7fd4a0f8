// Builds the chunks of a triangle in the order of its schedule, and refreshes their values.
#pragma once

#include "mat/impls/sellcs/build.hpp"
#include "mat/triangles/layout.hpp"
#include "mat/triangles/scatter.hpp"
#include "mat/triangles/schedule.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>

namespace petscspmv::triangles {

/// Slots are numbered in 32 bits, and a row takes at most kLanes slots.
template <class Scalar>
inline constexpr std::int64_t kMostRows = std::numeric_limits<std::int32_t>::max() / kLanes<Scalar>;

/// A plain loop is faster if padding multiplies the number of entries by more than this: levels mix long rows and short ones.
inline constexpr double kMostPadding = 2;

/// The source as CSR, from which chunks are filled. The chunks' row_len takes the place of source.end.
template <class Scalar, class Index>
Csr<Scalar, Index> CsrOf(const TriangleSource<Scalar, Index> &source)
{
  return {source.rows, source.rows, source.begin, source.col_idx, source.val};
}

template <class Scalar, class Index>
void FillLayoutValues(const HostExec &exec, const TriangleSource<Scalar, Index> &source, Layout<Scalar, Index> &layout, bool refill)
{
  if (!source.InOrder()) return Scatter(layout).FillValues(exec, source);
  sellcs::WithValues(exec, CsrOf(source), layout.chunks, [&](const auto &values) {
    if (refill) RefillValues(exec, values, layout.chunks.values);
    else FillValues(exec, values, layout.chunks.values.storage, layout.chunks.columns.Bytes(), layout.chunks.values);
  });
}

/// Makes the chunks of a schedule, without columns and values. Returns the number of entries, with repeated rows, without padding.
template <class Scalar>
std::int64_t ShapeChunks(const Schedule &schedule, sellcs::Layout<Scalar, std::int32_t, HostExec> &chunks)
{
  constexpr std::int64_t lanes    = kLanes<Scalar>;
  const auto             size     = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const auto             slots    = schedule.row.size();
  std::int64_t           nonzeros = 0;
  chunks.rows                     = static_cast<std::int32_t>(slots);
  chunks.height                   = lanes;
  chunks.chunk                    = lanes;
  chunks.chunks                   = static_cast<std::int64_t>(slots) / lanes;
  chunks.chunk_ptr.Allocate(size(chunks.chunks) + 1);
  chunks.full.Allocate(size(chunks.chunks));
  chunks.row_len.Allocate(slots);
  chunks.perm.Allocate(slots);
  std::copy(schedule.row.begin(), schedule.row.end(), chunks.perm.data());
  std::copy(schedule.length.begin(), schedule.length.end(), chunks.row_len.data());
  for (std::int64_t c = 0; c < chunks.chunks; ++c) {
    const auto first          = schedule.length.begin() + c * lanes;
    const auto [least, most]  = std::minmax_element(first, first + lanes);
    chunks.full[size(c)]      = *least;
    chunks.chunk_ptr[size(c)] = chunks.entries;
    chunks.entries += lanes * *most;
    nonzeros = std::accumulate(first, first + lanes, nonzeros);
  }
  chunks.chunk_ptr[size(chunks.chunks)] = chunks.entries;
  return nonzeros;
}

template <class Scalar, class Index>
bool Build(const HostExec &exec, const TriangleSource<Scalar, Index> &source, const TriangleOptions &options,
           Layout<Scalar, Index> &layout)
{
  constexpr std::int64_t lanes = kLanes<Scalar>;
  layout                       = {};
  if (source.rows > kMostRows<Scalar>) return false;
  layout.upper  = source.upper;
  layout.first  = options.first;
  layout.rows   = options.count > 0 ? options.count : source.rows - options.first;
  layout.window = options.window > 0 ? options.window : ChooseWindow(source, lanes);
  if (layout.window == 0 && !options.always) return false;
  if (!source.InOrder() && layout.rows < source.rows) return false;
  if (layout.window == 0) layout.window = kWindows[std::size(kWindows) - 1];
  const Schedule schedule = MakeSchedule(source, layout.first, layout.rows, layout.window, lanes);
  if (!options.always && static_cast<double>(layout.rows) < kLeastChunks * static_cast<double>(lanes * schedule.levels))
    return false;
  auto &chunks                = layout.chunks;
  layout.levels               = schedule.levels;
  chunks.cols                 = static_cast<std::int32_t>(source.rows);
  const std::int64_t nonzeros = ShapeChunks(schedule, chunks);
  chunks.ahead                = {.rows   = source.rows,
                                 .number = layout.first + layout.window,
                                 .each   = static_cast<double>(layout.rows) / static_cast<double>(chunks.rows),
                                 .upper  = source.upper};
  if (!options.always && static_cast<double>(chunks.entries) > kMostPadding * static_cast<double>(nonzeros)) return false;
  if (source.InOrder()) sellcs::FillColumns(exec, CsrOf(source), chunks);
  else Scatter(layout).FillColumns(source);
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
