// Kokkos' life inside somebody else's program.
#pragma once

#include <cstddef>

namespace petscspmv {

/// Threads to start Kokkos with; 0 leaves it to OMP_NUM_THREADS. Has no effect once Kokkos runs.
void SetKokkosThreads(int threads);

/// Who says which of several devices to start Kokkos on; a negative number leaves it to Kokkos.
void SetKokkosDevice(int (*device)());

/// Kokkos has room for no more in its OpenMP back end, and does not say so.
inline constexpr int kMostThreads = 512;

/// Whether kernels may be launched through Kokkos. The first call starts Kokkos unless somebody
/// else has; it is not finalized before the process ends (Kokkos starts once, PETSc may start again).
/// False if somebody has finalized it, or it does not start on this machine: kernels then run as plain loops.
bool StartKokkos();

} // namespace petscspmv
