// The diagonal blocks of a matrix by which relaxation divides: single entries, or the blocks of nodes.
#pragma once

#include "mat/exec/array.hpp"
#include "mat/layout/nodes.hpp"
#include "mat/layout/stamp.hpp"
#include "mat/sweeps/petsc_triangle.hpp"

#include <cstddef>

namespace petscspmv {

/// Where the blocks are, and their inverses. The rows of a node are relaxed at once, with D their block:
///
///   x = D^-1 (b - A x) = D^-1 b - (D^-1 A) x, over the columns outside of the block.
///
/// D^-1 A has the pattern of A: the node's rows do not depend on each other, and are handled like rows relaxed one by one.
class DiagonalBlocks {
public:
  /// False if an entry of a block is missing, or columns are not in order.
  bool Find(const Stamp &of, const Nodes &nodes);

  /// Inverts the blocks as MatSOR_SeqAIJ() and MatSOR_SeqAIJ_Inode() do. False for zero pivots, with which these methods fail.
  bool Invert(const PetscScalar *values, PetscReal omega, PetscReal shift);

  /// With nodes: D^-1 A, and D^-1 b.
  Array<PetscScalar> Divided(const Stamp &of) const;
  void               Divide(const PetscScalar *b, PetscScalar *divided) const;

  bool        Found() const { return before_.size() > 0; }
  std::size_t Bytes() const { return first_.bytes() + before_.bytes() + after_.bytes() + inverse_.bytes(); }

  /// The triangle of entries before the blocks or, if `upper`, behind them.
  PetscTriangleSource Triangle(const Stamp &of, bool upper) const;

  /// Of nodes: how many; the first row of the k-th, and behind the last one the number of rows.
  PetscInt Count() const { return static_cast<PetscInt>(first_.size()) - 1; }
  PetscInt First(PetscInt k) const { return first_[At(k)]; }

  /// A row's first entry in its block, and the first behind.
  PetscInt Before(PetscInt row) const { return before_[At(row)]; }
  PetscInt Behind(PetscInt row) const { return after_[At(row)]; }

  /// The inverses of all blocks, each by columns.
  const PetscScalar *Inverse() const { return inverse_.data(); }
  const PetscScalar *EndOfInverse() const { return inverse_.data() + entries_; }

private:
  template <class F>
  bool Each(const F &f) const;

  PetscInt           rows_ = 0, entries_ = 0; // of the matrix; of all blocks
  Array<PetscInt>    first_;                  // row of each node, and the number of rows; empty without nodes
  Array<PetscInt>    before_, after_;         // of each row
  Array<PetscScalar> inverse_;
};

/// y = D x, with D the blocks of nodes. Rows need columns in order; entries that a block lacks count as zero.
void MultiplyBlocks(const Stamp &of, const Nodes &nodes, const PetscScalar *x, PetscScalar *y);

} // namespace petscspmv
