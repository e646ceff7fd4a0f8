#include "matio/memory.hpp"

#include "petsc_success.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace petscspmv::matio {

namespace {

/// The least limit of the control groups (version 2) that this process is in, or infinity.
double LimitOfGroups()
{
  std::ifstream groups("/proc/self/cgroup");
  std::string   group;
  double        least = HUGE_VAL;
  while (std::getline(groups, group) && !group.starts_with("0::")) {
  }
  if (!groups) return least;
  for (group.erase(0, 3); !group.empty(); group.erase(group.rfind('/'))) { // jobs are often limited by a group above
    std::ifstream limit("/sys/fs/cgroup" + group + "/memory.max");
    double        bytes;
    if (limit >> bytes) least = std::min(least, bytes); // or it is "max"
  }
  return least;
}

} // namespace

double MemoryOf(int processes)
{
  const double all = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  rlimit       limit{RLIM_INFINITY, RLIM_INFINITY};
  static_cast<void>(getrlimit(RLIMIT_AS, &limit));
  const double of_process = limit.rlim_cur == RLIM_INFINITY ? HUGE_VAL : static_cast<double>(limit.rlim_cur);
  return std::min({all, LimitOfGroups(), of_process * processes});
}

PetscErrorCode CheckMemory(MPI_Comm comm, const char name[], double rows, double cols, double nonzeros)
{
  constexpr double kIndex = sizeof(PetscInt), kScalar = sizeof(PetscScalar), kGiB = 1024. * 1024. * 1024.;
  const double     bytes = nonzeros * (kIndex + kScalar) + rows * kIndex + (rows + cols) * kScalar;
  double           memory;
  MPI_Comm         machine;
  PetscMPIInt      rank, processes;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
  PetscCallMPI(MPI_Comm_rank(machine, &rank));
  PetscCallMPI(MPI_Comm_size(machine, &processes));
  PetscCallMPI(MPI_Comm_free(&machine));
  const double mine = rank == 0 ? MemoryOf(processes) : 0;
  PetscCallMPI(MPI_Allreduce(&mine, &memory, 1, MPI_DOUBLE, MPI_SUM, comm));
  PetscCheck(bytes <= memory, comm, PETSC_ERR_MEM,
             "%s: the matrix and its vectors take %.1f GiB, the machines and their limits allow %.1f GiB", name, bytes / kGiB,
             memory / kGiB);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::matio
