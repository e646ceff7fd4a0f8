// The line about the library's memory.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// Prints what all processes of a communicator have, after `whose`.
PetscErrorCode ViewMemory(MPI_Comm comm, PetscViewer viewer, const char *whose);

} // namespace petscspmv
