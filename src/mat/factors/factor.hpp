// Factors of our types' matrices: PETSc's own, with solves by layouts of their triangles or the plain loop.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// Has PETSc's solver for AIJ prepare the factors of our types' matrices for such solves.
PetscErrorCode RegisterFactors();

} // namespace petscspmv
