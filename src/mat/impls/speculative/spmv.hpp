// y = A x and y += A x by speculative segmented sums: the two stages one after the other.
#pragma once

#include "mat/format/prefetch.hpp"
#include "mat/impls/speculative/check.hpp"
#include "mat/impls/speculative/speculate.hpp"

namespace petscspmv::speculative {

template <bool add, int Width, int Height, class Scalar, class Index, class Exec>
void RunSpeculation(const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  WithPrefetch(layout.csr.EntryBytes(), [&]<bool ahead>(Prefetch<ahead> prefetch) {
    using Stage = Speculate<add, ahead, Scalar, Index, Width, Height>;
    ParallelFor<Exec>("SpeculativeMult", layout.Groups(), static_cast<std::size_t>(layout.nnz),
                      Stage{layout.csr, layout.nnz, {layout.width, layout.height}, layout.bunch, layout.steps, prefetch, x, y, layout.synchronizer.data(), layout.speculator.data(), layout.dirty_counter.data()});
  });
}

/// The first stage. y is then complete but for the synchronizer's values, and for dirty tiles whose
/// sums lie side by side. Chooses among the compiled tile shapes; any other runs with T and W as variables.
template <bool add, class Scalar, class Index, class Exec>
void SpeculativeExecution(const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  layout.dirty_counter[0] = layout.dirty_counter[1] = 0;
  if constexpr (!add) { // leading empty rows are in no tile
    const Index *row_ptr = layout.csr.row_ptr;
    for (Index row = 0; row < layout.csr.rows && row_ptr[row + 1] == 0; ++row) y[row] = Scalar(0);
  }
  const auto shape = [&](int width, int height) { return layout.width == width && layout.height == height; };
  if (shape(64, 8)) return RunSpeculation<add, 64, 8>(layout, x, y);
  if (shape(32, 8)) return RunSpeculation<add, 32, 8>(layout, x, y);
  if (shape(16, 8)) return RunSpeculation<add, 16, 8>(layout, x, y);
  return RunSpeculation<add, 0, 0>(layout, x, y);
}

/// Runs functor(i) where the check runs.
template <class Functor, class Scalar, class Index, class Exec>
void ForCheck(const char *name, std::int64_t n, const Layout<Scalar, Index, Exec> &layout, const Functor &functor)
{
  if (layout.check == Check::Device) ParallelFor<Exec>(name, n, static_cast<std::size_t>(layout.nnz), functor);
  else
    for (std::int64_t i = 0; i < n; ++i) functor(i);
}

/// The second stage.
template <bool add, class Scalar, class Index, class Exec>
void CheckPrediction(const Layout<Scalar, Index, Exec> &layout, Scalar *y)
{
  const std::int64_t bunches = layout.Bunches(), bunch_size = std::int64_t{layout.steps} * layout.TileSize();
  ForCheck("SpeculativeSynchronize", bunches, layout, Synchronize<add, Scalar, Index>{layout.csr.row_ptr, bunch_size, bunches, layout.synchronizer.data(), y});
  if constexpr (!add) ForCheck("SpeculativeRearrange", layout.dirty_counter[0], layout, Rearrange<Scalar, Index>{layout.csr.row_ptr, layout.speculator.data(), layout.dirty_counter.data() + 1, y});
}

template <bool add, class Scalar, class Index, class Exec>
void Mult(const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  SpeculativeExecution<add>(layout, x, y);
  CheckPrediction<add>(layout, y);
}

} // namespace petscspmv::speculative
