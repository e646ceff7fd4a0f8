// Triangles of PETSc's scalars.
#pragma once

#include "mat/triangles/triangle.hpp"
#include "petsc/compat.hpp"

#include <span>

namespace petscspmv {

using PetscTriangle       = Triangle<PetscScalar, PetscInt>;
using PetscTriangleSource = TriangleSource<PetscScalar, PetscInt>;
using PetscSweep          = Sweep<PetscScalar>;

/// The functions of triangles, by target (generated).
std::span<const PetscTriangle::Methods *const> TriangleMethodsByTarget();

} // namespace petscspmv
