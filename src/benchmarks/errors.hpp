// PETSc's errors as text.
#pragma once

#include "petsc/success.hpp"

#include <cstdio>
#include <cstring>
#include <new>
#include <petscsys.h>

namespace petscspmv::benchmarks {

/// While it lives, PETSc's errors print nothing, and the last one is kept.
class ErrorGuard {
public:
  ErrorGuard()
  {
    static_cast<void>(MPI_Comm_size(PETSC_COMM_WORLD, &processes_));
    if (PetscPushErrorHandler(Collect, this)) throw std::bad_alloc(); // it allocates, and nothing else
  }
  ~ErrorGuard() { Pop(); }
  ErrorGuard(const ErrorGuard &)            = delete;
  ErrorGuard &operator=(const ErrorGuard &) = delete;

  const char *text() const { return text_; }

  /// Raises the error again if one of several processes may have it alone, as when its memory has run out: the others may wait for
  /// what that process has not sent. main() then ends them all. Other errors are left to the caller, who has to tell the
  /// others.
  PetscErrorCode RaiseIfAlone()
  {
    PetscFunctionBegin;
    if (!alone_ || code_ != PETSC_ERR_MEM) PetscFunctionReturn(PETSC_SUCCESS);
    Pop();
    SETERRQ(PETSC_COMM_SELF, code_, "%s", text_);
  }

private:
  /// Allocates nothing: memory may have run out, and no exception may reach PETSc.
  static PetscErrorCode Collect(MPI_Comm comm, int, const char *function, const char *, PetscErrorCode code, PetscErrorType type,
                                const char *message, void *self)
  {
    ErrorGuard &guard = *static_cast<ErrorGuard *>(self);
    PetscMPIInt size  = 1;
    if (type != PETSC_ERROR_INITIAL || !message) return code;
    if (comm != MPI_COMM_NULL) static_cast<void>(MPI_Comm_size(comm, &size));
    guard.alone_ = size < guard.processes_;
    guard.code_  = code;
    // PETSc 3.18 takes the name of a function for the message, and a line for the code.
    if ((function && !std::strcmp(function, "PetscMallocAlign")) || !std::strncmp(message, "Memory requested", 16)) {
      message     = "PETSc needs more memory than there is, or than the process may have";
      guard.code_ = PETSC_ERR_MEM;
    }
    std::snprintf(guard.text_, sizeof(guard.text_), "%s", message);
    return code;
  }

  void Pop()
  {
    if (pushed_) static_cast<void>(PetscPopErrorHandler());
    pushed_ = false;
  }

  PetscMPIInt    processes_  = 1; // of the program
  bool           pushed_     = true;
  bool           alone_      = false;
  PetscErrorCode code_       = PETSC_SUCCESS;
  char           text_[1024] = "PETSc does not say why";
};

} // namespace petscspmv::benchmarks
