// What the speculative segmented sum keeps beside the CSR arrays (paper, section 3.2: "three
// containers, synchronizer, dirty counter and speculator").
#pragma once

#include "mat/format/array.hpp"
#include "mat/format/csr.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv::speculative {

inline constexpr int kMaxWidth = 64, kMaxHeight = 64, kMaxBunches = 64, kMaxSteps = 64;

/// Where the second stage runs (option check).
enum class Check {
  Host,   // a plain loop of the calling thread, as in the paper
  Device, // all workers of the kernels
};

/// First segment of a thread-bunch, for a row that several of them may have a part of.
template <class Scalar, class Index>
struct Synchronized {
  Index  row;
  Scalar value;
};

/// Rows that hold the first entry of a dirty tile and of the tile after it.
template <class Index>
struct Range {
  Index start, stop;
};

/// Nothing of the matrix but the loan of its arrays, and room for what the workers tell one another.
template <class Scalar, class Index, class Exec>
struct Layout {
  using Space = typename Exec::memory_space;
  template <class T>
  using Data = Array<T, Space>;

  Csr<Scalar, Index> csr{};
  Index              nnz           = 0;
  int                width         = 1; // T: lanes of a tile
  int                height        = 1; // W: consecutive nonzeros of a lane
  int                bunch         = 1; // B: thread-bunches that a worker takes at a time
  int                steps         = 1; // S: consecutive tiles of a thread-bunch
  Check              check         = Check::Host;
  Index              rows_to_clear = 0; // on devices, before a product

  mutable Data<Synchronized<Scalar, Index>> synchronizer;  // one for each thread-bunch
  mutable Data<Range<Index>>                speculator;    // room for every tile; in use: dirty_counter
  mutable Data<std::int64_t>                dirty_counter; // [0] dirty tiles of the last product, [1] sums moved by its check

  int          TileSize() const { return width * height; }
  std::int64_t Tiles() const { return (std::int64_t{nnz} + TileSize() - 1) / TileSize(); }
  std::int64_t Bunches() const { return (Tiles() + steps - 1) / steps; }
  std::int64_t Groups() const { return (Bunches() + bunch - 1) / bunch; }
};

} // namespace petscspmv::speculative
