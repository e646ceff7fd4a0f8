// Checks that all processes make together before a matrix is created.
#pragma once

#include <petscmat.h>
#include <string>

namespace petscspmv::matio {

/// Raises on all processes the error of the first process whose `error` is not empty.
PetscErrorCode CheckEverywhere(MPI_Comm comm, PetscErrorCode code, const std::string &error);

/// The memory in bytes that so many processes of this machine may have: all of it, or what limits of their control group or address
/// spaces allow.
double MemoryOf(int processes);

/// Fails unless the machines of a communicator could hold an AIJ matrix of that size with its vectors. With overcommitted memory
/// the process would be killed instead.
PetscErrorCode CheckMemory(MPI_Comm comm, const char name[], double rows, double cols, double nonzeros);

} // namespace petscspmv::matio
