// Colorings, coarsenings and orderings of PETSc that ask for AIJ by its exact name, and otherwise refuse the matrix, or read its
// data as if it were sequential. While they run, a matrix of our types passes for its base type.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// Replaces PETSc's implementations, for all objects that are made from now on.
PetscErrorCode LetMatAlgorithmsPass();

} // namespace petscspmv
