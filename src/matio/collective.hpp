// What all processes find out together before a matrix is made.
#pragma once

#include <petscmat.h>
#include <string>

namespace petscspmv::matio {

/// Raises on all processes the error that one has met: the first of them that has text in `error`.
PetscErrorCode CheckEverywhere(MPI_Comm comm, PetscErrorCode code, const std::string &error);

/// The memory of this machine in bytes.
double MachineMemory();

/// An error unless the machines of a communicator could hold an AIJ matrix of that size with its vectors. Where memory is promised
/// that is not there, the process would be killed.
PetscErrorCode CheckMemory(MPI_Comm comm, const char name[], double rows, double cols, double nonzeros);

} // namespace petscspmv::matio
