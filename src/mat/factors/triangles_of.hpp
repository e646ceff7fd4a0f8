// Where PETSc keeps the triangles of its factors.
#pragma once

#include "mat/exec/array.hpp"
#include "mat/sweeps/petsc_triangle.hpp"

namespace petscspmv {

/// The triangles of a factor, read from the factor's own arrays: L, whose diagonal is one, and U with the inverse of its diagonal;
/// of a symmetric factor U^T D U, the triangles U^T and U with the inverse of D. For symmetric factors PETSc stores -U, and adds
/// the products of a row of U from the last entry to the first.
class FactorTriangles {
public:
  explicit FactorTriangles(bool symmetric) : symmetric_(symmetric) { }

  /// Finds the triangles in a factor of type seqaij or seqsbaij. False if it is not stored as expected. Throws without memory.
  bool Find(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja);

  /// Lend() sets the factor's arrays as they are now; TakeInverse() copies the inverse of the diagonal.
  void Lend(const PetscInt *ja, const PetscScalar *values);
  void TakeInverse(const PetscScalar *values);

  /// The triangles of the transpose. PETSc goes through the rows of U and L for them too, which sets the order of a row's products.
  PetscTriangleSource TransposedUpper() const { return Transposed(upper_); }
  PetscTriangleSource TransposedLower() const { return Transposed(lower_); }

  bool                       IsSymmetric() const { return symmetric_; }
  bool                       IsFound() const { return upper_.begin != nullptr; }
  const PetscTriangleSource &Lower() const { return lower_; }
  const PetscTriangleSource &Upper() const { return upper_; }
  const PetscScalar         *Inverse() const { return inverse_.data(); } // of the diagonal

private:
  bool FindUpper(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja);
  bool FindSymmetric(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja);

  static PetscTriangleSource Transposed(PetscTriangleSource of);

  bool                symmetric_;
  PetscTriangleSource lower_, upper_;
  Array<PetscInt>     begin_, end_; // of the rows of U in the factor
  Array<PetscScalar>  inverse_;
};

} // namespace petscspmv
