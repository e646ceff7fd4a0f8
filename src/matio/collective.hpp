// An error of one process, raised on all.
#pragma once

#include <petscsys.h>
#include <string>

namespace petscspmv::matio {

/// Raises on all processes the error of the first process whose `error` is not empty.
PetscErrorCode CheckEverywhere(MPI_Comm comm, PetscErrorCode code, const std::string &error);

} // namespace petscspmv::matio
