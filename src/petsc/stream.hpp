// PETSc's device and stream, for kernels launched by Kokkos.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// Makes Kokkos start on the device that PETSc has chosen for this process, if PETSc has chosen one by then.
void ShareDevice();

/// Makes kernels run on PETSc's current stream from now on, in order with what PETSc launches there, without synchronization.
PetscErrorCode BorrowStream();

/// Kokkos' instance on that stream; null before BorrowStream().
const void *BorrowedStream();

} // namespace petscspmv
