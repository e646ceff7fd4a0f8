// Products with dense matrices: PETSc prepares them, and a layout multiplies several columns at a time.
#pragma once

#include "mat/format/csr.hpp"
#include "mat/layout/product.hpp"

namespace petscspmv {

/// Whether A's type has layouts that multiply with several vectors at a time. The numeric phase asks again, since the type may have
/// changed since the symbolic phase.
bool CanMultiplyMany(Mat A);

/// Selects AIJ or a layout to multiply a sequential matrix with `vectors` vectors.
PetscErrorCode BeginMany(Mat A, Op op, PetscInt vectors, Product *product);

/// Y = A X, or Y += A X, by the layout of the product; A is what that layout holds, which may be a transpose.
PetscErrorCode ApplyMany(Product &product, bool add, Vectors<const PetscScalar> x, Vectors<PetscScalar> y);

/// The local arrays of B and C, borrowed for a product.
struct LentDense {
  Vectors<const PetscScalar> b;
  Vectors<PetscScalar>       c;
};
PetscErrorCode Lend(Mat B, Mat C, LentDense *lent);
PetscErrorCode Return(Mat B, Mat C, LentDense *lent);

} // namespace petscspmv
