// Relaxation by nodes in a loop over the matrix's own arrays.
#pragma once

#include "mat/layout/stamp.hpp"
#include "mat/sweeps/blocks.hpp"

namespace petscspmv {

/// What a sweep over all nodes does. D are their blocks, L what is stored before and U what is stored behind them.
enum class NodeSweep {
  Lower, // x = D^-1 (b - L x), forward
  Upper, // x = D^-1 (b - U x), backward
  Both,  // x = D^-1 (b - L x - U x), forward
  Whole, // x = x + D^-1 (b - A x), backward
};

/// Sweeps as MatSOR_SeqAIJ_Inode() does: each node's rows at once, with products added in pairs, so that the bits are PETSc's. All
/// rows of a node lie behind each other, and a sweep needs only half of each: where processors do not foresee which half comes
/// next, prefetching (`ahead`) makes it two to three times as fast. `sums`, if not null: Lower and Both leave b - L x there.
void SweepNodes(const Stamp &of, const DiagonalBlocks &blocks, NodeSweep sweep, bool ahead, const PetscScalar *b, PetscScalar *x,
                PetscScalar *sums);

} // namespace petscspmv
