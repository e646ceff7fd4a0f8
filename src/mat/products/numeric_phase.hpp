// The numeric phase of a product of matrices: ours replaces PETSc's, and may call it.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

using NumericPhase = PetscErrorCode (*)(Mat, Mat, Mat);

/// The numeric phase of a product, as PETSc's own symbolic phases set it.
NumericPhase &NumericOf(Mat C, MatProductType type);

/// Replaces PETSc's numeric phase by ours; PETSc's stays composed with the product.
PetscErrorCode ReplaceNumeric(Mat C, MatProductType type, NumericPhase ours);

/// Calls the numeric phase that PETSc has prepared for C = op(A) B. InPetsc() is true meanwhile: for a parallel product, PETSc
/// multiplies blocks, and AIJ does these products as well.
PetscErrorCode ByPetsc(Mat A, Mat B, Mat C);
bool           InPetsc();

/// For C = A B, once PETSc has prepared its numeric phase: makes that phase begin with PrepareBlocks(A).
PetscErrorCode PrepareBlocksBefore(Mat C);

} // namespace petscspmv
