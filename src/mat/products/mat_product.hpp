// MatProduct with operands of our types, which PETSc's functions for products treat as AIJ.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

PetscErrorCode MatProductSetFromOptions_Shadow(Mat C);

} // namespace petscspmv
