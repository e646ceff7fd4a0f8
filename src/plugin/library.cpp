// The function that PETSc looks up in a library named by -dll_append; its name is that of the file.
// Without PetscCall(), which takes a communicator: the program may have another MPI (mpi_guard.hpp).
#include "petscspmv.h"

PETSCSPMV_EXTERN PetscErrorCode PETSCSPMV_REGISTER(void)
{
  return PetscSpMVRegisterAll();
}
