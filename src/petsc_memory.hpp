// Where the values of a vector are.
#pragma once

#include "petsc_success.hpp"

#include <petscvec.h>

namespace petscspmv {

inline PetscErrorCode IsOnDevice(Vec v, bool *device)
{
  const PetscScalar *array;
  PetscMemType       type;

  PetscFunctionBegin;
  PetscCall(VecGetArrayReadAndMemType(v, &array, &type));
  PetscCall(VecRestoreArrayReadAndMemType(v, &array));
  *device = PetscMemTypeDevice(type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
