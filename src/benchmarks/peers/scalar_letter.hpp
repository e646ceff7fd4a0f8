// PETSc's type of scalars in the names of other libraries.
#pragma once

#include <petscsys.h>

namespace petscspmv::benchmarks {

/// As in BLAS: s, d, c or z.
#if defined(PETSC_USE_COMPLEX)
inline constexpr char kScalarLetter = sizeof(PetscReal) == 4 ? 'c' : 'z';
#else
inline constexpr char kScalarLetter = sizeof(PetscReal) == 4 ? 's' : 'd';
#endif

} // namespace petscspmv::benchmarks
