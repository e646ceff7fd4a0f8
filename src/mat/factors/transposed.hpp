// The transpose of a triangle.
#pragma once

#include "mat/exec/array.hpp"
#include "mat/sweeps/petsc_triangle.hpp"

namespace petscspmv {

/// A triangle's entries by columns, in the order in which a solve with the transpose adds a row's products that goes through the
/// triangle row by row, as PETSc's does: from the row that is solved last with the triangle itself to the first.
class TransposedTriangle {
public:
  /// Throws without memory.
  void Find(const PetscTriangleSource &of);

  /// Takes the values of the same triangle anew.
  void TakeValues(const PetscTriangleSource &of);

  const PetscTriangleSource &Source() const { return source_; }

private:
  PetscTriangleSource source_;
  Array<PetscInt>     begin_, col_idx_, entry_; // entry_: of the triangle
  Array<PetscScalar>  val_;
};

} // namespace petscspmv
