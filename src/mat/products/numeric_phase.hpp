// The numeric phase of a product of matrices, which ours replaces and calls.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

using NumericPhase = PetscErrorCode (*)(Mat, Mat, Mat);

/// The numeric phase of a product, as PETSc's own symbolic phases set it.
NumericPhase &NumericOf(Mat C, MatProductType type);

/// Replaces it by ours; PETSc's is kept with the product.
PetscErrorCode ReplaceNumeric(Mat C, MatProductType type, NumericPhase ours);

/// The numeric phase that PETSc has prepared for C = op(A) B. In that of a parallel product are products of its blocks, which AIJ
/// then multiplies too: meanwhile InPetsc() is true.
PetscErrorCode ByPetsc(Mat A, Mat B, Mat C);
bool           InPetsc();

/// Has PETSc's numeric phase of C = A B, which is prepared, begin with PrepareBlocks(A).
PetscErrorCode PrepareBlocksBefore(Mat C);

} // namespace petscspmv
