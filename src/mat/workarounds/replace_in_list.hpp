// Replacing what PETSc has registered.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// Registers `ours` under a name in place of PETSc's function, which is stored in *of_petsc. Does nothing if PETSc has none of that
/// name, or if `ours` is there already.
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
