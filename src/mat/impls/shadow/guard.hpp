// The border between C++ and PETSc, which no exception may cross. Every function that PETSc is given is an Entry; every function of
// the public headers that may throw has a PETSCSPMV_CATCH. tests/programs/guard_test.py looks for others.
#pragma once

#include "mat/exec/array.hpp"
#include "mat/impls/shadow/compat.hpp"

#include <cstddef>
#include <cstdio>
#include <exception>
#include <new>
#include <sys/resource.h>

namespace petscspmv {

/// Makes a PETSc error of the exception under way, which has ended a function.
inline PetscErrorCode ErrorOfException(const char *function, const char *file, int line) noexcept
{
  char           words[256] = "PetscSpMV could not have the memory that it needs; -mat_type aij does without layouts";
  PetscErrorCode code       = PETSC_ERR_MEM;
  try {
    throw;
  } catch (const NoMemory &e) {
    rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
    char   all[64] = "";
    static_cast<void>(getrlimit(RLIMIT_AS, &limit));
    if (limit.rlim_cur != RLIM_INFINITY)
      std::snprintf(all, sizeof(all), ", where the process may have %zu in all", static_cast<std::size_t>(limit.rlim_cur));
    std::snprintf(words, sizeof(words), "PetscSpMV could not have %zu bytes of memory%s; -mat_type aij does without layouts",
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

/// Behind the body of a function that begins with `try`.
#define PETSCSPMV_CATCH                                                                                                            \
  catch (...)                                                                                                                      \
  {                                                                                                                                \
    return ::petscspmv::ErrorOfException(PETSC_FUNCTION_NAME, __FILE__, __LINE__);                                                 \
  }

/// Calls f() and makes a PETSc error of what it throws.
template <class F>
PetscErrorCode Guard(const F &f)
try {
  PetscFunctionBegin;
  f();
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/// f, as PETSc may call it.
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
