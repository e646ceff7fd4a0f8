// Flops of the functions that several threads may call at the same time.
#pragma once

#include "mat/exec/session.hpp"

#include <petsclog.h>

namespace petscspmv {

/// PetscLogFlops(), which adds to a number of the process.
inline PetscErrorCode AddFlops(PetscLogDouble flops)
{
  const Locked now(Lock());

  PetscFunctionBegin;
  PetscCall(PetscLogFlops(flops));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
