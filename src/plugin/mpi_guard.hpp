// Which MPI the library was built for, and which one the running PETSc has.
//
// In a program with another MPI any communicator of the library is garbage: PETSC_COMM_SELF is a pointer in one MPI and a number in
// another. PETSc's own errors take a communicator, so the check and its report do without PETSc.
#pragma once

#include <string_view>

namespace petscspmv {

/// Families of MPIs that are compatible. MPICH's has Intel's, Cray's and MVAPICH; None is PETSc's substitute for one process.
enum class Mpi { Unknown, None, Mpich, OpenMpi };

/// The MPI of the PETSc that the library was compiled with.
Mpi BuiltWithMpi();

/// The MPI of the PETSc that the library is bound to in this process.
Mpi RunningMpi();

/// Whether the library may use communicators; if not, writes to stderr why, and what to do. An unknown MPI passes.
bool IsRunningMpi(Mpi built);

/// The family of an MPI, by the text that MPI_Get_library_version() returns.
Mpi FamilyOf(std::string_view version);

} // namespace petscspmv
