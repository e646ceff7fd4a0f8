// The shape of a tile, and a worker's buffers for one (the paper's scratchpad).
#pragma once

#include "mat/arithmetic/row_sums.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/scratch.hpp"
#include "mat/impls/speculative/layout.hpp"

namespace petscspmv::speculative {

/// T and W: compile-time constants unless 0.
template <int Width, int Height>
struct Shape {
  static constexpr int kWidth = Width ? Width : kMaxWidth, kHeight = Height ? Height : kMaxHeight, kEntries = kWidth * kHeight;

  int width_, height_;

  KOKKOS_FUNCTION int width() const { return Width ? Width : width_; }
  KOKKOS_FUNCTION int height() const { return Height ? Height : height_; }
};

/// What a worker keeps of a tile in the L1 cache (the paper's scratchpad).
template <class Scalar, class Shape>
struct TileBuffers {
  static constexpr int kBefore = Shape::kHeight, kAfter = 16; // items around a tile's own: touched by whole registers, not used
  static_assert(kAfter >= kReadBehind);

  Scratch<Scalar, kBefore + Shape::kEntries + kAfter> buffer[2];
  int                                                 starts[Shape::kEntries + 2 + kAfter];

  KOKKOS_FUNCTION Scalar *Products() { return buffer[0].data() + kBefore; }
  KOKKOS_FUNCTION Scalar *Other() { return buffer[1].data() + kBefore; }
};

} // namespace petscspmv::speculative
