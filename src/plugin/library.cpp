// The function that PETSc looks up in a library named by -dll_append; its name contains that of the file. It does not use
// PetscCall(), which takes a communicator: the program may have another MPI (mpi_guard.hpp).
#include "petscspmv.h"

PETSCSPMV_EXTERN PetscErrorCode PETSCSPMV_REGISTER(void)
{
  return PetscSpMVRegisterAll();
}
