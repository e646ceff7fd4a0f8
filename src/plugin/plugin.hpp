// What happens when the library is loaded.
#pragma once

#include "mat/impls/shadow/compat.hpp"

#include <span>

namespace petscspmv {

/// Stops with an error unless the running PETSc is the one the library was built for: scalar type,
/// index size and version (abi_guard.cpp).
PetscErrorCode CheckPetscBuild();

/// Registers every format of the list, with its kernels for every target of the list (generated).
PetscErrorCode RegisterAllFormats();

/// Tells Kokkos' lazy start how many threads are this process' share of its node (threads.cpp).
PetscErrorCode ShareThreads();

/// Obeys -spmv_simd and -spmv_prefetch (settings.cpp).
PetscErrorCode ChooseKernels();

} // namespace petscspmv
