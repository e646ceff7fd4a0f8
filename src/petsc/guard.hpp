// The boundary between C++ and PETSc, which no exception may cross. Every function passed to PETSc is wrapped in Entry; every
// function of the public headers that may throw has a PETSCSPMV_CATCH. tests/programs/guard_test.py looks for omissions.
#pragma once

#include "mat/exec/array.hpp"
#include "petsc/compat.hpp"

#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>
#include <sys/resource.h>

namespace petscspmv {

/// Turns the current exception, which has ended `function`, into a PETSc error.
inline PetscErrorCode ErrorOfException(const char *function, const char *file, int line) noexcept
{
  char           words[256] = "PetscSpMV could not allocate memory; -mat_type aij needs no layouts";
  PetscErrorCode code       = PETSC_ERR_MEM;
  try {
    throw;
  } catch (const NoMemory &e) {
    rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
    char   all[64] = "";
    static_cast<void>(getrlimit(RLIMIT_AS, &limit));
    if (limit.rlim_cur != RLIM_INFINITY)
      std::snprintf(all, sizeof(all), ", the limit of the process being %zu", static_cast<std::size_t>(limit.rlim_cur));
    std::snprintf(words, sizeof(words), "PetscSpMV could not allocate %zu bytes of memory%s; -mat_type aij needs no layouts",
                  e.bytes, all);
  } catch (const std::bad_alloc &) {
  } catch (const std::exception &e) {
    code = PETSC_ERR_LIB;
    std::snprintf(words, sizeof(words), "PetscSpMV failed: %s", e.what());
  } catch (...) {
    code = PETSC_ERR_LIB;
    std::snprintf(words, sizeof(words), "PetscSpMV failed");
  }
  return PetscError(PETSC_COMM_SELF, line, function, file, code, PETSC_ERROR_INITIAL, "%s", words);
}

/// Follows the body of a function that begins with `try`.
#define PETSCSPMV_CATCH                                                                                                            \
  catch (...)                                                                                                                      \
  {                                                                                                                                \
    return ::petscspmv::ErrorOfException(PETSC_FUNCTION_NAME, __FILE__, __LINE__);                                                 \
  }

/// Calls f() and turns what it throws into a PETSc error.
template <class F>
PetscErrorCode Guard(const F &f)
try {
  PetscFunctionBegin;
  f();
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/// Calls f(); ignores its failure if memory is short.
template <class F>
PetscErrorCode IfItFits(const F &f)
{
  PetscFunctionBegin;
  PetscCall(Guard([&] {
    try {
      f();
    } catch (const std::bad_alloc &) {
    }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// f, wrapped so that PETSc may call it.
template <auto f>
struct EntryOf;
template <class... Args, PetscErrorCode (*f)(Args...)>
struct EntryOf<f> {
  static PetscErrorCode Call(Args... args)
  try {
    return f(args...);
  }
  PETSCSPMV_CATCH
};
template <auto f>
inline constexpr auto *Entry = &EntryOf<f>::Call;

} // namespace petscspmv
