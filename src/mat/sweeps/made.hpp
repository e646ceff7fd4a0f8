// Layouts of triangles for PETSc's scalars.
#pragma once

#include "mat/triangles/triangle.hpp"
#include "petsc/compat.hpp"
#include "petscspmv.h"

#include <span>

namespace petscspmv {

using PetscTriangle       = Triangle<PetscScalar, PetscInt>;
using PetscTriangleSource = TriangleSource<PetscScalar, PetscInt>;
using PetscSweep          = Sweep<PetscScalar>;

/// The functions of triangles, by target (generated).
std::span<const PetscTriangle::Methods *const> TriangleMethodsByTarget();

/// Makes a layout. False if too few rows are side by side, unless the settings ask for it; throws without memory.
bool MakeTriangle(const Execution &execution, const PetscTriangleSource &source, MatSpMVSweeps sweeps, PetscTriangle &triangle);

} // namespace petscspmv
