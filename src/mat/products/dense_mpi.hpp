// Products of parallel matrices with dense ones.
#pragma once

#include "mat/format/csr.hpp"
#include "petsc/compat.hpp"

namespace petscspmv {

/// C = op(A) B for parallel matrices.
PetscErrorCode MultiplyManyParallel(Mat A, Op op, Mat B, Mat C);

} // namespace petscspmv
