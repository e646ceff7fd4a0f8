#include "matio/collective.hpp"

#include "petsc_success.hpp"

#include <array>
#include <cstring>
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

double MachineMemory()
{
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

PetscErrorCode CheckMemory(MPI_Comm comm, const char name[], double rows, double cols, double nonzeros)
{
  constexpr double kIndex = sizeof(PetscInt), kScalar = sizeof(PetscScalar), kGiB = 1024. * 1024. * 1024.;
  const double     bytes = nonzeros * (kIndex + kScalar) + rows * kIndex + (rows + cols) * kScalar;
  double           memory;
  MPI_Comm         machine;
  PetscMPIInt      rank;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine));
  PetscCallMPI(MPI_Comm_rank(machine, &rank));
  PetscCallMPI(MPI_Comm_free(&machine));
  const double mine = rank == 0 ? MachineMemory() : 0;
  PetscCallMPI(MPI_Allreduce(&mine, &memory, 1, MPI_DOUBLE, MPI_SUM, comm));
  PetscCheck(bytes <= memory, comm, PETSC_ERR_MEM, "%s: the matrix and its vectors take %.1f GiB, the machines have %.1f GiB", name,
             bytes / kGiB, memory / kGiB);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::matio
