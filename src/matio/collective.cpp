#include "matio/collective.hpp"

#include "petsc/success.hpp"

#include <array>
#include <cstring>

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

} // namespace petscspmv::matio
