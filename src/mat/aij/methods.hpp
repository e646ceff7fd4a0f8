// Methods that the sequential and the parallel type share.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

PetscErrorCode MatView_AIJShadow(Mat A, PetscViewer viewer);
PetscErrorCode MatSetFromOptions_AIJShadow(Mat A, OptionItems items);

} // namespace petscspmv
