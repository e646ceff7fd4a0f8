// PETSc matrices from files.
#pragma once

#include <petscmat.h>
#include <string>

namespace petscspmv::matio {

/// Creates a MATAIJ from a Matrix Market file (.mtx, .mtx.gz) or a PETSc binary file, recognized by its contents. Collective; the
/// first process reads. Errors name file and line.
PetscErrorCode CreateMatFromFile(MPI_Comm comm, const char path[], Mat *A);

/// About how many nonzeros a file or a generated matrix has, from its header or a sample of its rows; 0 if that cannot be known.
double CountNonzeros(const std::string &name);

} // namespace petscspmv::matio
