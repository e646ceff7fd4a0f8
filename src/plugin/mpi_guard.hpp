// Which MPI the library was built for, and which one the running PETSc has.
//
// In a program with another MPI any communicator of the library is garbage: PETSC_COMM_SELF is a pointer in one and a number in
// another. PETSc's own errors take a communicator, so this is found out, and reported, without PETSc.
#pragma once

#include <string_view>

namespace petscspmv {

/// MPIs that are compatible with one another: MPICH's family has Intel's, Cray's and MVAPICH; None is PETSc's own for one process.
enum class Mpi { Unknown, None, Mpich, OpenMpi };

/// That of the PETSc that the library was compiled with.
Mpi BuiltWithMpi();

/// That of the PETSc that the library is bound to in this process.
Mpi RunningMpi();

/// Whether the library may use communicators. If not, writes to stderr why, and what to do. An MPI of neither family passes.
bool IsRunningMpi(Mpi built);

/// The family of what MPI_Get_library_version() returns.
Mpi FamilyOf(std::string_view version);

} // namespace petscspmv
