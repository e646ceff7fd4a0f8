// Relaxation with a sequential matrix: MatSOR().
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// By layouts of the triangles where they are faster and do the same as AIJ's method, otherwise by that.
PetscErrorCode MatSOR_SeqAIJShadow(Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its, PetscInt lits,
                                   Vec x);

} // namespace petscspmv
