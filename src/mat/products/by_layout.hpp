// Which products of matrices are done by layouts: A B and A^T B with a dense B, where that is faster.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// Has layouts do the numeric phase of a product with a dense matrix, prepared by PETSc, if it is worth it.
PetscErrorCode MultiplyByLayout(Mat C);

} // namespace petscspmv
