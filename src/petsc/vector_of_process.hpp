// What a process does with its part of a parallel vector while others may do something else. PETSc's own operations are collective:
// with -log_sync PETSc 3.25 makes each a barrier.
#pragma once

#include "petsc/success.hpp"

#include <petsc/private/vecimpl.h>

#include <algorithm>

namespace petscspmv {

/// z = v, or 0 if v is null.
inline PetscErrorCode SetTo(Vec v, Vec z)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           n;

  PetscFunctionBegin;
  if (v == z) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(VecGetLocalSize(z, &n));
  PetscCall(VecGetArrayWrite(z, &to));
  if (v) {
    PetscCall(VecGetArrayRead(v, &from));
    std::copy_n(from, n, to);
    PetscCall(VecRestoreArrayRead(v, &from));
  } else {
    std::fill_n(to, n, PetscScalar(0));
  }
  PetscCall(VecRestoreArrayWrite(z, &to));
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
