// PETSc matrices from files.
#pragma once

#include <petscmat.h>

namespace petscspmv::matio {

/// Creates a MATAIJ from a Matrix Market file (.mtx, .mtx.gz) or a PETSc binary file, recognized by its contents. Collective; the
/// first process reads. Errors name file and line.
PetscErrorCode CreateMatFromFile(MPI_Comm comm, const char path[], Mat *A);

} // namespace petscspmv::matio
