// NaN where a result must overwrite it.
#pragma once

#include "petsc/success.hpp"

#include <algorithm>
#include <limits>
#include <petscvec.h>

namespace petscspmv::test {

/// NaN in all of a vector. VecSet() compares its value, which traps under -fp_trap.
inline PetscErrorCode FillNaN(Vec v)
{
  PetscInt     rows;
  PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(v, &rows));
  PetscCall(VecGetArrayWrite(v, &array));
  std::fill_n(array, rows, PetscScalar(std::numeric_limits<PetscReal>::quiet_NaN()));
  PetscCall(VecRestoreArrayWrite(v, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::test
