// Ranks times threads never exceed the cores unless somebody asks for it.
#include "mat/exec/has_device.hpp"
#include "mat/exec/kokkos_start.hpp"
#include "mat/exec/settings.hpp"
#include "petsc/fixed_string.hpp"
#include "petsc/option_text.hpp"
#include "plugin/plugin.hpp"

#include <algorithm>
#include <cstdlib>
#include <sched.h>
#include <thread>

namespace petscspmv {

namespace {

/// OMP_NUM_THREADS as far as it is a number; 0 without it.
int ThreadsOfOpenMP()
{
  const char *const text = std::getenv("OMP_NUM_THREADS");
  return text ? std::clamp(std::atoi(text), 1, kMostThreads) : 0;
}

/// The cores this process may run on, divided among the processes of the node: a launcher that does
/// not bind leaves all cores to every one of them.
PetscErrorCode ThreadsPerProcess(int *threads)
{
  MPI_Comm  node;
  int       processes, cores = 1;
  cpu_set_t mask;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Comm_size(node, &processes));
  PetscCallMPI(MPI_Comm_free(&node));
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0) cores = CPU_COUNT(&mask);
  else cores = static_cast<int>(std::thread::hardware_concurrency()); // more processors than the mask has
  *threads = std::max(1, cores / processes);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ShareThreads()
{
  const bool        serial  = KokkosIsSerial();
  PetscInt          threads = 0, work = kLaunchWork;
  const FixedString threads_allowed("0 to %d", static_cast<int>(kMostThreads)), work_allowed("0 to %" PetscInt_FMT, PETSC_MAX_INT);

  PetscFunctionBegin;
  PetscOptionsBegin(PETSC_COMM_WORLD, NULL, "Threads of PetscSpMV", "Mat");
  PetscCall(CheckOptionText(PetscOptionsObject, "-spmv_num_threads", OptionKind::Integer, [&] { return threads_allowed; }));
  PetscCall(
    PetscOptionsInt("-spmv_num_threads",
                    "Threads of each process for the library's kernels, if Kokkos has threads, and for copies to devices (0: its "
                    "share of the cores, or OMP_NUM_THREADS)",
                    NULL, threads, &threads, NULL));
  PetscCall(CheckOptionText(PetscOptionsObject, "-spmv_launch_work", OptionKind::Integer, [&] { return work_allowed; }));
  PetscCall(
    PetscOptionsInt("-spmv_launch_work", "Nonzeros of a process from which its threads share a product", NULL, work, &work, NULL));
  PetscOptionsEnd();
  PetscCheck(threads >= 0 && threads <= kMostThreads, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE,
             "-spmv_num_threads is %" PetscInt_FMT ", must be %s", threads, threads_allowed.c_str());
  PetscCheck(work >= 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-spmv_launch_work is %" PetscInt_FMT ", must be %s", work,
             work_allowed.c_str());
  PetscCheck(!serial || kHasDevice || threads <= 1, PETSC_COMM_WORLD, PETSC_ERR_SUP,
             "-spmv_num_threads is %" PetscInt_FMT
             ", but this Kokkos has no threads: build PetscSpMV with a Kokkos that has OpenMP "
             "(Kokkos_ROOT), or leave the option out and start more processes",
             threads);
  SetLaunchWork(static_cast<std::size_t>(work));
  int       n      = static_cast<int>(threads);
  const int openmp = ThreadsOfOpenMP();
  if (n == 0 && (!serial || kHasDevice)) {
    int share = 1;
    PetscCall(ThreadsPerProcess(&share)); // collective: also where a process has the variable, others may not
    if (openmp == 0) n = share;
  }
  SetKokkosThreads(serial ? 0 : n);
  SetUploadThreads(n > 0 ? n : std::max(openmp, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
