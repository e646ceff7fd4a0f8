// Replacing what PETSc has registered.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// Registers `ours` under a name instead of what PETSc has there, which is kept in *of_petsc. Nothing happens if that is none, or
/// ours already.
template <class F, class Register>
PetscErrorCode ReplaceInList(PetscFunctionList list, const char *name, F *ours, F **of_petsc, const Register &registrar)
{
  F *found = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(list, name, &found));
  if (!found || found == ours) PetscFunctionReturn(PETSC_SUCCESS);
  *of_petsc = found;
  PetscCall(registrar(name, ours));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
