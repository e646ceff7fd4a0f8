// Where the values of a vector are.
#pragma once

#include "petsc/success.hpp"

#include <petsc/private/vecimpl.h>

namespace petscspmv {

/// Whether VecGetArrayAndMemType() would return the vector's values on a device. Does not call that function, which may fail or
/// copy values.
inline PetscErrorCode IsOnDevice(Vec v, bool *device)
{
  PetscBool bound;

  PetscFunctionBegin;
  PetscCall(VecBoundToCPU(v, &bound));
  *device = !bound && v->ops->getarrayandmemtype;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
