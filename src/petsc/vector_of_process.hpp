// What a process does with its part of a parallel vector while others may do something else. PETSc's own operations are collective:
// with -log_sync PETSc 3.25 makes each a barrier.
#pragma once

#include "petsc/success.hpp"

#include <petsc/private/vecimpl.h>

namespace petscspmv {

/// z = v, or 0 if v is null, wherever their values are. Nests by their arrays, as in AIJ: PETSc copies them only to
/// nests of the same blocks.
inline PetscErrorCode SetTo(Vec v, Vec z)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscBool          nest = PETSC_FALSE;

  PetscFunctionBegin;
  if (v == z) PetscFunctionReturn(PETSC_SUCCESS);
  if (v) PetscCall(PetscObjectTypeCompare((PetscObject)v, VECNEST, &nest));
  if (!v) {
    PetscCall((*z->ops->set)(z, 0));
  } else if (!nest && v->ops->copy == z->ops->copy) {
    PetscCall((*v->ops->copy)(v, z));
  } else {
    PetscCall(VecGetArrayRead(v, &from));
    PetscCall(VecGetArrayWrite(z, &to));
    PetscCall(PetscArraycpy(to, from, z->map->n));
    PetscCall(VecRestoreArrayWrite(z, &to));
    PetscCall(VecRestoreArrayRead(v, &from));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// z = v - z
inline PetscErrorCode SubtractFrom(Vec v, Vec z)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(z, &n));
  PetscCall(VecGetArrayRead(v, &from));
  PetscCall(VecGetArray(z, &to));
  for (PetscInt k = 0; k < n; ++k) to[k] = from[k] - to[k];
  PetscCall(VecRestoreArray(z, &to));
  PetscCall(VecRestoreArrayRead(v, &from));
  PetscCall(PetscLogFlops(static_cast<PetscLogDouble>(n)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes z forget the norms that it knows, as any product does: if z is parallel, those of processes with entries forget them.
inline PetscErrorCode ForgetNorms(Vec z)
{
  return PetscObjectStateIncrease((PetscObject)z);
}

} // namespace petscspmv
