// What differs between PETSc 3.18 and 3.25, in one place.
#pragma once

#include "petsc_success.hpp"

#include <petsc/private/matimpl.h>
#include <petscdevice.h>
#include <petscmat.h>

namespace petscspmv {

#if PETSC_VERSION_GE(3, 23, 0)
using OptionItems = PetscOptionItems;
#else
using OptionItems = PetscOptionItems *;
#endif

/// The stream of PETSc's device context, as a pointer to what the make of device has for it. Nothing before 3.20.
inline PetscErrorCode GetStream(void **stream)
{
  PetscFunctionBegin;
  *stream = nullptr;
#if PETSC_VERSION_GE(3, 20, 0)
  PetscDeviceContext context;

  PetscCall(PetscDeviceContextGetCurrentContext(&context));
  PetscCall(PetscDeviceContextGetStreamHandle(context, stream));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// While values are collected in a hash table the matrix' methods are not its own (3.19 and later).
inline bool HashActive(Mat A)
{
#if PETSC_VERSION_GE(3, 19, 0)
  return A->hash_active;
#else
  static_cast<void>(A);
  return false;
#endif
}

} // namespace petscspmv
