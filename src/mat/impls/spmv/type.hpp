// The type spmv: its registration.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv::spmv {

/// Registers the type; the formats must be registered before.
PetscErrorCode RegisterSpmv();

} // namespace petscspmv::spmv
