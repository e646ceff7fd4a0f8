// A triangle as chunks of SELL-C-sigma: rows side by side in a chunk, in the order of the schedule.
#pragma once

#include "mat/impls/sellcs/layout.hpp"
#include "mat/triangles/triangle.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv::triangles {

template <class Scalar>
inline constexpr std::int64_t kLanes = sellcs::DefaultChunk<HostExec, Scalar>();

/// Chunks whose slots hold the rows of the schedule (`perm`). A row that is repeated in a chunk gets the same result each time.
template <class Scalar, class Index>
struct Layout {
  sellcs::Layout<Scalar, std::int32_t, HostExec> chunks;
  Array<Scalar>                                  diagonal; // d of the row of each slot
  std::int64_t                                   first = 0, rows = 0, window = 0, levels = 0;
  bool                                           upper = false;

  std::size_t Bytes() const
  {
    return chunks.chunk_ptr.bytes() + chunks.full.bytes() + chunks.row_len.bytes() + chunks.perm.bytes() + chunks.columns.Bytes() +
           chunks.values.Bytes() + diagonal.bytes();
  }
};

} // namespace petscspmv::triangles
