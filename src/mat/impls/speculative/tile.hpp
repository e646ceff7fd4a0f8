// The shape of a tile, and a worker's room for one (the paper's scratchpad).
#pragma once

#include "mat/format/row_sums.hpp"
#include "mat/format/scalar.hpp"
#include "mat/format/scratch.hpp"
#include "mat/impls/speculative/layout.hpp"

namespace petscspmv::speculative {

/// T and W: compile-time where they are not 0.
template <int Width, int Height>
struct Shape {
  static constexpr int kWidth = Width ? Width : kMaxWidth, kHeight = Height ? Height : kMaxHeight, kEntries = kWidth * kHeight;

  int width_, height_;

  KOKKOS_FUNCTION int width() const { return Width ? Width : width_; }
  KOKKOS_FUNCTION int height() const { return Height ? Height : height_; }
};

/// What a worker keeps of a tile in its nearest cache (the paper's scratchpad).
template <class Scalar, class Shape>
struct TileRoom {
  static constexpr int kBefore = Shape::kHeight, kAfter = 16; // read or written a register at a time, and not used
  static_assert(kAfter >= kReadBehind);

  Scratch<Scalar, kBefore + Shape::kEntries + kAfter> room[2];
  int                                                 starts[Shape::kEntries + 2 + kAfter];

  KOKKOS_FUNCTION Scalar *Products() { return room[0].data() + kBefore; }
  KOKKOS_FUNCTION Scalar *Other() { return room[1].data() + kBefore; }
};

} // namespace petscspmv::speculative
