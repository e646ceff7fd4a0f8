// Starting Kokkos inside somebody else's program.
#pragma once

#include <cstddef>

namespace petscspmv {

/// The number of threads to start Kokkos with; 0 leaves it to OMP_NUM_THREADS. Ignored once Kokkos runs.
void SetKokkosThreads(int threads);

/// A callback that returns which of several devices to start Kokkos on; a negative number leaves it to Kokkos.
void SetKokkosDevice(int (*device)());

/// Kokkos' OpenMP back end supports no more threads than this, and does not check.
inline constexpr int kMostThreads = 512;

/// Call when the library is registered. Then products do not start Kokkos once the process exits: it may be destroyed already.
void WatchExit();

/// Whether Kokkos is running, and the process is not exiting.
bool KokkosRuns();

/// Whether Kokkos is built without threads on the host.
bool KokkosIsSerial();

/// Whether Kokkos, once started, would use several threads. If not, plain loops do as well, without its start, which takes longer
/// than many products.
bool KokkosHasThreads();

/// Whether kernels may be launched through Kokkos. The first call starts Kokkos if it is not running; it is finalized only when
/// the process ends (Kokkos starts once, PETSc may start again). Returns false if it has been finalized or does not start on this
/// machine: kernels then run as plain loops.
bool StartKokkos();

/// Why StartKokkos() returned false, in one sentence.
const char *WhyNoKokkos();

} // namespace petscspmv
