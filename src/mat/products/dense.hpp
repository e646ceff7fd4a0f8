// Products with dense matrices, sequential (many.cpp) and parallel (many_mpi.cpp): PETSc prepares them, and a layout multiplies
// several columns at a time.
#pragma once

#include "mat/layout/product.hpp"
#include "mat/shadow/shadow.hpp"

namespace petscspmv {

/// Whether A's type has layouts that multiply with several vectors at a time; A may have been converted since the symbolic phase.
bool HasLayouts(Mat A);

/// Decides what multiplies a sequential matrix with `vectors` vectors.
PetscErrorCode BeginMany(Mat A, Op op, PetscInt vectors, Product *product);

/// Y = A X, or Y += A X, by the layout in use.
PetscErrorCode ApplyMany(Product &product, bool add, Vectors<const PetscScalar> x, Vectors<PetscScalar> y);

/// The local arrays of B and C, borrowed for a product.
struct LentDense {
  Vectors<const PetscScalar> b;
  Vectors<PetscScalar>       c;
};
PetscErrorCode Lend(Mat B, Mat C, LentDense *lent);
PetscErrorCode Return(Mat B, Mat C, LentDense *lent);

/// The numeric phase that PETSc has prepared for C = op(A) B.
PetscErrorCode ByPetsc(Mat A, Mat B, Mat C);

/// Has PETSc's numeric phase of C = A B, which is prepared, begin with PrepareBlocks(A).
PetscErrorCode PrepareBlocksBefore(Mat C);

/// C = op(A) B for parallel matrices.
PetscErrorCode MultiplyManyParallel(Mat A, Op op, Mat B, Mat C);

} // namespace petscspmv
