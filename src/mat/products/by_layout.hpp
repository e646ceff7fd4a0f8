// Which products of matrices are done by layouts: A B and A^T B with a dense B, where that is faster.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// Called after PETSc's symbolic phase of a product with a dense matrix: has layouts do the numeric phase, if that is worth it.
PetscErrorCode MultiplyByLayout(Mat C);

} // namespace petscspmv
