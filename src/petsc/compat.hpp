// Small differences between PETSc 3.18 and 3.25.
#pragma once

#include "petsc/success.hpp"

#include <petsc/private/matimpl.h>
#include <petscdevice.h>
#include <petscmat.h>

namespace petscspmv {

#if PETSC_VERSION_GE(3, 23, 0)
using OptionItems = PetscOptionItems;
#else
using OptionItems = PetscOptionItems *;
#endif

#if !PETSC_VERSION_GE(3, 22, 0)
inline PetscErrorCode PetscOptionsCreateViewer(MPI_Comm comm, PetscOptions options, const char prefix[], const char name[],
                                               PetscViewer *viewer, PetscViewerFormat *format, PetscBool *set)
{
  return PetscOptionsGetViewer(comm, options, prefix, name, viewer, format, set);
}
#endif

/// Whether the matrix is collecting values in a hash table (3.19 and later), and has other methods for that time.
inline bool HashActive(Mat A)
{
#if PETSC_VERSION_GE(3, 19, 0)
  return A->hash_active;
#else
  static_cast<void>(A);
  return false;
#endif
}

} // namespace petscspmv
