// The function that PETSc looks up in a library named by -dll_append; its name is that of the file.
#include "petsc_success.hpp"
#include "petscspmv.h"

PETSCSPMV_EXTERN PetscErrorCode PETSCSPMV_REGISTER(void)
{
  PetscFunctionBegin;
  PetscCall(PetscSpMVRegisterAll());
  PetscFunctionReturn(PETSC_SUCCESS);
}
