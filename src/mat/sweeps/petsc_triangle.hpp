// Triangles of PETSc's scalars.
#pragma once

#include "mat/triangles/in_parts.hpp"
#include "petsc/compat.hpp"

#include <cstddef>
#include <span>

namespace petscspmv {

using PetscTriangle       = TriangleInParts<PetscScalar, PetscInt>;
using PetscTriangleSource = TriangleSource<PetscScalar, PetscInt>;
using PetscSweep          = Sweep<PetscScalar>;

/// An index into arrays by row or entry.
inline std::size_t At(PetscInt i)
{
  return static_cast<std::size_t>(i);
}

/// The functions of triangles, by target (generated).
std::span<const PetscTriangle::Methods *const> TriangleMethodsByTarget();

} // namespace petscspmv
