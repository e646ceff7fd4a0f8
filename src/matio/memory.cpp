#include "matio/memory.hpp"

#include "petsc/success.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace petscspmv::matio {

double LimitOfGroup(std::string group, const std::string &root, const char *file)
{
  double least = HUGE_VAL, bytes;
  while (true) {
    std::ifstream limit(root + group + file);
    if (limit >> bytes) least = std::min(least, bytes); // or it is "max"
    if (group.empty()) return least;
    const std::size_t above = group.rfind('/');
    group.resize(above == std::string::npos ? 0 : above);
  }
}

namespace {

/// That of the groups of this process, of both versions of control groups.
double LimitOfGroups()
{
  std::ifstream     groups("/proc/self/cgroup");
  const std::string unified = "0::", memory = ":memory:";
  double            least = HUGE_VAL;
  for (std::string line; std::getline(groups, line);) {
    const std::size_t found = line.find(memory);
    if (line.starts_with(unified))
      least = std::min(least, LimitOfGroup(line.substr(unified.size()), "/sys/fs/cgroup", "/memory.max"));
    else if (found != std::string::npos)
      least = std::min(least, LimitOfGroup(line.substr(found + memory.size()), "/sys/fs/cgroup/memory", "/memory.limit_in_bytes"));
  }
  return least;
}

/// What this process has mapped, which counts for the limit of its address space.
double Mapped()
{
  std::ifstream statm("/proc/self/statm");
  double        pages = 0;
  statm >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// What the machine has left.
double Available()
{
  std::ifstream lines("/proc/meminfo");
  std::string   name;
  double        kilobytes;
  for (std::string rest; lines >> name >> kilobytes; std::getline(lines, rest)) {
    if (name == "MemAvailable:") return 1024 * kilobytes;
  }
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

} // namespace

double MemoryOf(int processes)
{
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  static_cast<void>(getrlimit(RLIMIT_AS, &limit));
  const bool   limited    = limit.rlim_cur != RLIM_INFINITY;
  const double of_process = limited ? std::max(0.0, static_cast<double>(limit.rlim_cur) - Mapped()) : HUGE_VAL;
  return std::min({Available(), LimitOfGroups(), of_process * processes});
}

PetscErrorCode GetShareOfMemory(MPI_Comm comm, double *bytes)
{
  MPI_Comm    machine;
  PetscMPIInt processes;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
  PetscCallMPI(MPI_Comm_size(machine, &processes));
  PetscCallMPI(MPI_Comm_free(&machine));
  *bytes = MemoryOf(processes) / processes;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckMemory(MPI_Comm comm, const char name[], double rows, double cols, double nonzeros)
{
  constexpr double kIndex = sizeof(PetscInt), kScalar = sizeof(PetscScalar), kGiB = 1024. * 1024. * 1024.;
  const double     bytes = nonzeros * (kIndex + kScalar) + rows * kIndex + (rows + cols) * kScalar;
  double           mine, memory;

  PetscFunctionBegin;
  PetscCall(GetShareOfMemory(comm, &mine));
  PetscCallMPI(MPI_Allreduce(&mine, &memory, 1, MPI_DOUBLE, MPI_SUM, comm));
  PetscCheck(bytes <= memory, comm, PETSC_ERR_MEM,
             "%s: the matrix and its vectors take %.1f GiB, the machines and their limits allow %.1f GiB", name, bytes / kGiB,
             memory / kGiB);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::matio
