// PETSc's device and its stream, for kernels that Kokkos launches.
#pragma once

#include "mat/impls/shadow/compat.hpp"

namespace petscspmv {

/// Has Kokkos start on the device of a node that PETSc has chosen for this process, if it has by then.
void ShareDevice();

/// From now on kernels are launched on PETSc's stream, in order with what PETSc launches: nobody waits for anything.
PetscErrorCode BorrowStream();

/// Kokkos' instance on that stream; null before.
const void *BorrowedStream();

} // namespace petscspmv
