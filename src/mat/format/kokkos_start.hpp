// Kokkos' life inside somebody else's program.
#pragma once

namespace petscspmv {

/// Threads to start Kokkos with; 0 leaves it to OMP_NUM_THREADS. Has no effect once Kokkos runs.
void SetKokkosThreads(int threads);

/// Whether kernels may be launched through Kokkos. The first call starts Kokkos unless somebody
/// else has; it is never finalized here (Kokkos starts once a process, PETSc may start again).
/// False if somebody has finalized it: kernels then run as plain loops.
bool StartKokkos();

} // namespace petscspmv
