// Where PETSc keeps the triangles of its factors.
#pragma once

#include "mat/exec/array.hpp"
#include "mat/factors/transposed.hpp"
#include "mat/sweeps/petsc_triangle.hpp"

namespace petscspmv {

/// The triangles of a factor: L, whose diagonal is one, and U with the inverse of its diagonal; or U^T and U with the inverse of D.
/// Of a symmetric factor U^T D U, in which PETSc keeps -U, there are copies, with the sign of U and in the order in which PETSc
/// adds their products: U^T by rows, and the rows of U from the last column to the first.
class FactorTriangles {
public:
  explicit FactorTriangles(bool symmetric) : symmetric_(symmetric) { }

  /// Finds the triangles in a factor of type seqaij or seqsbaij, whose arrays stay there. False if it is not stored as expected.
  /// Throws without memory.
  bool Find(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja, const PetscScalar *values);

  /// Takes the values of the same factor anew.
  void TakeValues(const PetscScalar *values);

  bool                       IsSymmetric() const { return symmetric_; }
  const PetscTriangleSource &Lower() const { return lower_; }
  const PetscTriangleSource &Upper() const { return upper_; }
  const PetscScalar         *Inverse() const { return inverse_.data(); } // of the diagonal

private:
  bool FindUpper(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja);
  bool FindSymmetric(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja);
  void CopyUpper(PetscInt rows, const PetscInt *ja);

  bool                symmetric_;
  PetscTriangleSource lower_, upper_;
  Array<PetscInt>     begin_, end_; // of the rows of U in the factor
  Array<PetscScalar>  inverse_;
  Array<PetscInt>     copy_begin_, col_idx_, entry_; // a copy of U, and which entry of the factor each of its entries is
  Array<PetscScalar>  val_;
  TransposedTriangle  lower_copy_;
};

} // namespace petscspmv
