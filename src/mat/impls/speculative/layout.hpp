// What the speculative segmented sum keeps besides the CSR arrays, and what its products have in their workspace (paper, section
// 3.2: "three containers, synchronizer, dirty counter and speculator").
#pragma once

#include "mat/exec/workspace.hpp"
#include "mat/format/csr.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv::speculative {

inline constexpr int kMaxWidth = 64, kMaxHeight = 64, kMaxBunches = 64, kMaxSteps = 64;

/// Where the second stage runs (option check).
enum class Check {
  Host,   // a loop of the calling thread, as in the paper
  Device, // all workers of the kernels
};

/// The sum of a thread-bunch's first segment, whose row may have parts in several bunches.
template <class Scalar, class Index>
struct Synchronized {
  Index  row;
  Scalar value;
};

/// The row of a dirty tile's first entry, and that of the next tile's.
template <class Index>
struct Range {
  Index start, stop;
};

/// The parameters, and the borrowed arrays of the matrix; nothing else is stored.
template <class Scalar, class Index, class Exec>
struct Layout {
  Csr<Scalar, Index> csr{};
  Index              nnz           = 0;
  int                width         = 1; // T: lanes of a tile
  int                height        = 1; // W: consecutive nonzeros of a lane
  int                bunch         = 1; // B: thread-bunches that a worker takes at a time
  int                steps         = 1; // S: consecutive tiles of a thread-bunch
  Check              check         = Check::Host;
  Index              rows_to_clear = 0; // on devices, rows cleared before a product

  int          TileSize() const { return width * height; }
  std::int64_t Tiles() const { return (std::int64_t{nnz} + TileSize() - 1) / TileSize(); }
  std::int64_t Bunches() const { return (Tiles() + steps - 1) / steps; }
  std::int64_t Groups() const { return (Bunches() + bunch - 1) / bunch; }
};

/// How the workers of a product communicate: the paper's three containers, in the product's workspace.
template <class Scalar, class Index>
struct Containers {
  Synchronized<Scalar, Index> *synchronizer;  // one for each thread-bunch
  Range<Index>                *speculator;    // of every dirty tile, in any order
  std::int64_t                *dirty_counter; // the number of dirty tiles
  std::size_t                  bytes;

  template <class Exec>
  Containers(const Layout<Scalar, Index, Exec> &layout, void *workspace)
  {
    WorkspaceArrays arrays(workspace);
    synchronizer  = arrays.Take<Synchronized<Scalar, Index>>(static_cast<std::size_t>(layout.Bunches()));
    speculator    = arrays.Take<Range<Index>>(static_cast<std::size_t>(layout.Tiles()));
    dirty_counter = arrays.Take<std::int64_t>(1);
    bytes         = arrays.bytes();
  }
};

} // namespace petscspmv::speculative
