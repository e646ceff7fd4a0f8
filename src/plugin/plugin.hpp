// What happens when the library is loaded.
#pragma once

#include "petsc/compat.hpp"

#include <span>

namespace petscspmv {

/// Whether the PETSc that the library is bound to is initialized; if not, writes to stderr what to do. Where a program, such as
/// Python, keeps its PETSc to itself, and the library was built for another one, it is bound to that, which nobody initializes
/// (abi_guard.cpp).
bool IsPetscRunning();

/// Fails if another copy of the library is registered: each would take PETSc's types and the other's for AIJ (abi_guard.cpp).
PetscErrorCode CheckOnlyCopy();

/// Fails unless the running PETSc is the one that the library was built for: scalar type, index size and version (abi_guard.cpp).
PetscErrorCode CheckPetscBuild();

/// Obeys PETSc's -version: prints the version of the library, after PETSc has printed its own (version.cpp).
PetscErrorCode ShowVersion();

/// Registers every format of the list, with its kernels for every target of the list (generated).
PetscErrorCode RegisterAllFormats();

/// Sets how many threads Kokkos will start with in this process: by default its share of the node's cores (threads.cpp).
PetscErrorCode ShareThreads();

/// Reads -spmv_memory_limit (memory.cpp).
PetscErrorCode LimitMemory();

/// Reads -spmv_simd and -spmv_prefetch (settings.cpp).
PetscErrorCode ChooseKernels();

/// Where an option misspells one of the library's types, makes PETSc's error of an unknown matrix type show what was meant
/// (misspelled.cpp).
PetscErrorCode RegisterMisspelledTypes();

} // namespace petscspmv
