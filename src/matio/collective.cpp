#include "matio/collective.hpp"

#include "petsc_success.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace petscspmv::matio {

PetscErrorCode CheckEverywhere(MPI_Comm comm, PetscErrorCode code, const std::string &error)
{
  std::array<char, 512> text{};
  PetscMPIInt           rank, size, first;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  const PetscMPIInt mine = error.empty() ? size : rank;
  PetscCallMPI(MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, comm));
  if (first == size) PetscFunctionReturn(PETSC_SUCCESS);
  std::strncpy(text.data(), error.c_str(), text.size() - 1);
  PetscCallMPI(MPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_CHAR, first, comm));
  SETERRQ(comm, code, "%s", text.data());
}

namespace {

/// The limit of this process' control group (version 2), or infinity.
double LimitOfGroup()
{
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    if (!line.starts_with("0::")) continue;
    std::ifstream limit("/sys/fs/cgroup" + line.substr(3) + "/memory.max");
    double        bytes;
    if (limit >> bytes) return bytes; // or it is "max"
  }
  return HUGE_VAL;
}

} // namespace

double MemoryOf(int processes)
{
  const double all = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  rlimit       limit{RLIM_INFINITY, RLIM_INFINITY};
  static_cast<void>(getrlimit(RLIMIT_AS, &limit));
  const double of_process = limit.rlim_cur == RLIM_INFINITY ? HUGE_VAL : static_cast<double>(limit.rlim_cur);
  return std::min({all, LimitOfGroup(), of_process * processes});
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
