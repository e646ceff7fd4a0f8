// MatProduct with operands of the derived types, which PETSc's tables see as AIJ.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

PetscErrorCode MatProductSetFromOptions_Shadow(Mat C);

} // namespace petscspmv
