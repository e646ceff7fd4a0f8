// Where the values of a vector are.
#pragma once

#include "petsc/success.hpp"

#include <petsc/private/vecimpl.h>

namespace petscspmv {

/// Whether access by memory type gives its values on a device. This asks for no access, which a vector may refuse and which may
/// copy its values.
inline PetscErrorCode IsOnDevice(Vec v, bool *device)
{
  PetscBool bound;

  PetscFunctionBegin;
  PetscCall(VecBoundToCPU(v, &bound));
  *device = !bound && v->ops->getarrayandmemtype;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
