// Calls whose errors are looked at by the caller, not shown to the user.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// Returns f()'s error, with the user's error handler out of the way. PETSC_ERR_MEM also if there is no memory to do so.
template <class F>
PetscErrorCode Unreported(const F &f)
{
  if (PetscPushErrorHandler(PetscReturnErrorHandler, NULL)) return PETSC_ERR_MEM;
  const PetscErrorCode ierr   = f();
  const PetscErrorCode popped = PetscPopErrorHandler();
  return ierr ? ierr : popped;
}

} // namespace petscspmv
