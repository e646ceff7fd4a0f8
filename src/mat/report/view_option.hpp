// The options -spmv_view and -spmv_audit.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

PetscErrorCode ReadViewAndAudit();
PetscErrorCode FinishStatistics(); // prints what -spmv_view has asked for
PetscErrorCode CloseView();

} // namespace petscspmv
