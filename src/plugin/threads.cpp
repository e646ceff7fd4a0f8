// Ranks times threads never exceed the cores unless somebody asks for it.
#include "mat/exec/has_device.hpp"
#include "mat/exec/kokkos_start.hpp"
#include "mat/exec/settings.hpp"
#include "petsc/fixed_string.hpp"
#include "petsc/guard.hpp"
#include "petsc/option_text.hpp"
#include "plugin/plugin.hpp"

#include <algorithm>
#include <cstdlib>
#include <sched.h>
#include <thread>
#include <vector>

namespace petscspmv {

namespace {

/// The number that OMP_NUM_THREADS begins with, or 1 if that is none; 0 if the variable is not set.
int ThreadsOfOpenMP()
{
  const char *const text = std::getenv("OMP_NUM_THREADS");
  return text ? std::clamp(std::atoi(text), 1, kMostThreads) : 0;
}

/// The cores that this process may run on.
struct Cores {
  cpu_set_t mask;
  int       count;

  Cores()
  {
    CPU_ZERO(&mask);
    if (sched_getaffinity(0, sizeof(mask), &mask) == 0) count = CPU_COUNT(&mask);
    else count = static_cast<int>(std::thread::hardware_concurrency()); // the machine has more processors than the mask
  }
  bool Share(const cpu_set_t &others) const
  {
    cpu_set_t both;
    CPU_AND(&both, &mask, &others);
    return CPU_COUNT(&both) > 0 || CPU_COUNT(&others) == 0;
  }
};

/// The cores of this process, divided by the number of processes on the node that share some of them: where a launcher does not
/// bind processes, each of them may run on all cores.
PetscErrorCode ThreadsPerProcess(const Cores &cores, int *threads)
{
  MPI_Comm               node;
  int                    processes;
  std::vector<cpu_set_t> masks;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(PETSC_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node));
  PetscCallMPI(MPI_Comm_size(node, &processes));
  PetscErrorCode ierr = Guard([&] { masks.resize(static_cast<std::size_t>(processes)); });
  if (ierr) PetscCallMPI(MPI_Comm_free(&node));
  PetscCall(ierr);
  PetscCallMPI(MPI_Allgather(&cores.mask, sizeof(cpu_set_t), MPI_BYTE, masks.data(), sizeof(cpu_set_t), MPI_BYTE, node));
  PetscCallMPI(MPI_Comm_free(&node));
  const auto sharing = std::ranges::count_if(masks, [&](const cpu_set_t &mask) { return cores.Share(mask); });
  *threads           = std::max(1, cores.count / std::max(1, static_cast<int>(sharing)));
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
                    "PetscSpMVRegisterAll", threads, &threads, NULL));
  PetscCall(CheckOptionText(PetscOptionsObject, "-spmv_launch_work", OptionKind::Integer, [&] { return work_allowed; }));
  PetscCall(PetscOptionsInt("-spmv_launch_work", "Nonzeros of a process from which its threads share a product",
                            "PetscSpMVRegisterAll", work, &work, NULL));
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
  const Cores cores;
  const int   openmp = ThreadsOfOpenMP();
  int         n      = static_cast<int>(threads);
  if (n == 0 && (!serial || kHasDevice)) {
    int share = 1;
    PetscCall(ThreadsPerProcess(cores, &share)); // collective, so even where OMP_NUM_THREADS is set: on others it may not be
    if (openmp == 0) n = share;
  }
  SetKokkosThreads(serial ? 0 : n);
  SetUploadThreads(std::min(cores.count, n > 0 ? n : std::max(openmp, 1)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
