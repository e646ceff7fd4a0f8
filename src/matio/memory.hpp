// Whether a matrix fits into memory.
#pragma once

#include <petscsys.h>

namespace petscspmv::matio {

/// The memory in bytes that so many processes of this machine may have: what is left of it, or what the limits of their control
/// group, which they share, or of their address spaces allow beyond what this one has mapped.
double MemoryOf(int processes);

/// This process' equal share of what a communicator's processes on this machine may have. Collective.
PetscErrorCode GetShareOfMemory(MPI_Comm comm, double *bytes);

/// Fails unless the machines of a communicator could hold an AIJ matrix of that size with its vectors. With overcommitted memory
/// the process would be killed instead.
PetscErrorCode CheckMemory(MPI_Comm comm, const char name[], double rows, double cols, double nonzeros);

} // namespace petscspmv::matio
