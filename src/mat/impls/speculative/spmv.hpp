// y = A x and y += A x by speculative segmented sums: sums as if no row were empty, then the correction of dirty tiles.
#pragma once

#include "mat/arithmetic/prefetch.hpp"
#include "mat/exec/host.hpp"
#include "mat/impls/speculative/check.hpp"
#include "mat/impls/speculative/speculate.hpp"

namespace petscspmv::speculative {

template <bool add, int Width, int Height, bool ahead, OnProcessor Exec, class Scalar, class Index>
void RunSpeculation(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Containers<Scalar, Index> &containers,
                    const Scalar *x, Scalar *y)
{
  using Stage = Speculate<add, ahead, Scalar, Index, Width, Height>;
  exec.For("SpeculativeMult", layout.Groups(), static_cast<std::size_t>(layout.nnz),
           Stage{layout.csr,
                 layout.nnz,
                 {layout.width, layout.height},
                 layout.bunch,
                 layout.steps,
                 {},
                 x,
                 y,
                 containers.synchronizer,
                 containers.speculator,
                 containers.dirty_counter});
}

/// The first stage. Afterwards y is complete except for the synchronizer's values and for dirty tiles, whose sums are consecutive.
/// The default tile shape has a kernel of its own; any other runs with run-time T and W.
template <bool add, OnProcessor Exec, class Scalar, class Index>
void SpeculativeExecution(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Containers<Scalar, Index> &containers,
                          const Scalar *x, Scalar *y)
{
  *containers.dirty_counter = 0;
  if constexpr (!add) { // leading empty rows are in no tile
    const Index *row_ptr = layout.csr.row_ptr;
    for (Index row = 0; row < layout.csr.rows && row_ptr[row + 1] == 0; ++row) y[row] = Scalar(0);
  }
  if (layout.width != 64 || layout.height != 8) return RunSpeculation<add, 0, 0, false>(exec, layout, containers, x, y);
  WithPrefetch(exec, layout.csr.EntryBytes(),
               [&]<bool ahead>(Prefetch<ahead>) { RunSpeculation<add, 64, 8, ahead>(exec, layout, containers, x, y); });
}

/// Runs functor(i) for i = 0 .. n-1, as the option check says: by all workers, or in a loop of the calling thread.
template <class Functor, OnProcessor Exec, class Scalar, class Index>
void ForCheck(const Exec &exec, const char *name, std::int64_t n, const Layout<Scalar, Index, Exec> &layout, const Functor &functor)
{
  if (layout.check == Check::Device) exec.For(name, n, static_cast<std::size_t>(layout.nnz), functor);
  else
    for (std::int64_t i = 0; i < n; ++i) functor(i);
}

/// The second stage.
template <bool add, OnProcessor Exec, class Scalar, class Index>
void CheckPrediction(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Containers<Scalar, Index> &containers,
                     Scalar *y)
{
  const std::int64_t bunches = layout.Bunches(), bunch_size = std::int64_t{layout.steps} * layout.TileSize();
  ForCheck(exec, "SpeculativeSynchronize", bunches, layout,
           Synchronize<add, Scalar, Index>{layout.csr.row_ptr, bunch_size, bunches, containers.synchronizer, y});
  if constexpr (!add)
    ForCheck(exec, "SpeculativeRearrange", *containers.dirty_counter, layout,
             Rearrange<Scalar, Index>{layout.csr.row_ptr, containers.speculator, y});
}

template <bool add, OnProcessor Exec, class Scalar, class Index>
void Mult(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  const Containers<Scalar, Index> containers(layout, exec.workspace());
  SpeculativeExecution<add>(exec, layout, containers, x, y);
  CheckPrediction<add>(exec, layout, containers, y);
}

} // namespace petscspmv::speculative
