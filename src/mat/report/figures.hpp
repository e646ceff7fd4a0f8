// Figures about the layouts of a matrix: combined, and printed.
#pragma once

#include "mat/format/format.hpp"
#include "petsc/compat.hpp"

namespace petscspmv {

/// Combines the figures of all processes. A parameter that differs between them becomes NaN.
PetscErrorCode ReduceFigures(MPI_Comm comm, Stats &stats);

/// Prints all figures after the type's title and `what`, in lines of at most 100 characters.
PetscErrorCode PrintFigures(PetscViewer viewer, const TypeInfo &type, const char *what, const Stats &stats);

} // namespace petscspmv
