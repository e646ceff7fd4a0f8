// The line about the library's memory.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// Prints the memory of all processes of a communicator, in a line that begins with `whose`. Collective.
PetscErrorCode ViewMemory(MPI_Comm comm, PetscViewer viewer, const char *whose);

} // namespace petscspmv
