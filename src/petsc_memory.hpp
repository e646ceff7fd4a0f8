// Where the values of a vector are.
#pragma once

#include "petsc_success.hpp"

#include <petscvec.h>

namespace petscspmv {

/// Values that are not needed any more are not brought there.
inline PetscErrorCode IsOnDevice(Vec v, bool *device, bool needed = true)
{
  const PetscScalar *array;
  PetscScalar       *written;
  PetscMemType       type;

  PetscFunctionBegin;
  if (needed) {
    PetscCall(VecGetArrayReadAndMemType(v, &array, &type));
    PetscCall(VecRestoreArrayReadAndMemType(v, &array));
  } else {
    PetscCall(VecGetArrayWriteAndMemType(v, &written, &type));
    PetscCall(VecRestoreArrayWriteAndMemType(v, &written));
  }
  *device = PetscMemTypeDevice(type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
