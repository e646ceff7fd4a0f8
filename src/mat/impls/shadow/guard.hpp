// The border between C++ and PETSc, which no exception may cross.
#pragma once

#include "mat/impls/shadow/compat.hpp"

#include <exception>
#include <new>

namespace petscspmv {

/// Calls f() and makes a PETSc error of what it throws.
template <class F>
PetscErrorCode Guard(const F &f)
{
  PetscFunctionBegin;
  try {
    f();
  } catch (const std::bad_alloc &) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the second layout of a matrix; -mat_type aij does without");
  } catch (const std::exception &e) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "PetscSpMV failed: %s", e.what());
  } catch (...) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "PetscSpMV failed");
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
