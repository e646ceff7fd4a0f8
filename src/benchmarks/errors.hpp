// PETSc's errors as text.
#pragma once

#include <petscsys.h>
#include <string>

namespace petscspmv::benchmarks {

/// A PETSc error handler that prints nothing and puts the first message into a std::string.
inline PetscErrorCode CollectError(MPI_Comm, int, const char *, const char *, PetscErrorCode code, PetscErrorType type,
                                   const char *message, void *text)
{
  if (type == PETSC_ERROR_INITIAL && message) *static_cast<std::string *>(text) = message;
  return code;
}

} // namespace petscspmv::benchmarks
