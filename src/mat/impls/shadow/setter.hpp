// For the setters of the formats.
#pragma once

#include <petscmat.h>

namespace petscspmv {

/// MatSpMVSetOption() if the matrix is of the type with this alias. On others a setter does nothing, as in PETSc.
PetscErrorCode SetOptionOfType(Mat A, const char *alias, const char *key, PetscInt value);

} // namespace petscspmv
