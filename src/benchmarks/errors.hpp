// PETSc's errors as text.
#pragma once

#include "petsc_success.hpp"

#include <cstdio>
#include <cstring>
#include <new>
#include <petscsys.h>

namespace petscspmv::benchmarks {

/// While it lives, PETSc's errors print nothing, and the message of the last one is kept.
class ErrorGuard {
public:
  ErrorGuard()
  {
    if (PetscPushErrorHandler(Collect, this)) throw std::bad_alloc(); // it allocates, and nothing else
  }
  ~ErrorGuard() { static_cast<void>(PetscPopErrorHandler()); }
  ErrorGuard(const ErrorGuard &)            = delete;
  ErrorGuard &operator=(const ErrorGuard &) = delete;

  const char *text() const { return text_; }

private:
  /// Allocates nothing: memory may have run out, and no exception may reach PETSc.
  static PetscErrorCode Collect(MPI_Comm, int, const char *function, const char *, PetscErrorCode code, PetscErrorType type,
                                const char *message, void *self)
  {
    ErrorGuard &guard = *static_cast<ErrorGuard *>(self);
    if (type != PETSC_ERROR_INITIAL || !message) return code;
    // PETSc 3.18 takes the name of a function for the message, and a line for the code.
    if ((function && !std::strcmp(function, "PetscMallocAlign")) || !std::strncmp(message, "Memory requested", 16))
      message = "PETSc needs more memory than there is, or than the process may have";
    std::snprintf(guard.text_, sizeof(guard.text_), "%s", message);
    return code;
  }

  char text_[1024] = "PETSc does not say why";
};

} // namespace petscspmv::benchmarks
