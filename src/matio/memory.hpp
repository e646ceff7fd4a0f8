// Whether a matrix fits into memory.
#pragma once

#include <petscsys.h>
#include <string>

namespace petscspmv::matio {

/// The least limit of a control group and those above it, by which jobs are often limited; infinity if there is none. The root
/// counts: in a container it may be the container's own group, of which /proc gives the path outside of it.
double LimitOfGroup(std::string group, const std::string &root, const char *file);

/// The memory in bytes that so many processes of this machine may have: what is left of it, or what the limits of their control
/// group, which they share, or of their address spaces allow beyond what this one has mapped.
double MemoryOf(int processes);

/// This process' equal share of what a communicator's processes on this machine may have. Collective.
PetscErrorCode GetShareOfMemory(MPI_Comm comm, double *bytes);

/// Fails unless the machines of a communicator could hold an AIJ matrix of that size with its vectors. With overcommitted memory
/// the process would be killed instead.
PetscErrorCode CheckMemory(MPI_Comm comm, const char name[], double rows, double cols, double nonzeros);

} // namespace petscspmv::matio
