// Which version of the library this is.
#include "petsc/guard.hpp"
#include "petscspmv.h"
#include "plugin/plugin.hpp"

namespace petscspmv {

PetscErrorCode ShowVersion()
{
  PetscBool asked;
  char      version[128];

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasName(NULL, NULL, "-version", &asked));
  if (!asked) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSpMVGetVersion(version, sizeof(version)));
  PetscCall((*PetscHelpPrintf)(PETSC_COMM_WORLD, "%s\n", version));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv

/*@C
   PetscSpMVGetVersion - Gets the version of PetscSpMV, and of the PETSc it was built for, as a line of text.

   Not Collective; No Fortran Support

   Input Parameter:
.  len - length of the buffer, 128 is enough

   Output Parameter:
.  version - the line, such as "PetscSpMV 1.0.0 for PETSc 3.18 with real scalars of 64 bits and indices of 32"

   Options Database Key:
.  -version - print the line after PETSc's own version, when the library is registered

   Level: developer

   Note:
   The numbers alone are `PETSCSPMV_VERSION` when a program is compiled, and `PetscSpMVGetVersionNumber()` when it runs.

.seealso: `PetscSpMVGetVersionNumber()`, `PetscGetVersion()`
@*/
PetscErrorCode PetscSpMVGetVersion(char version[], size_t len)
try {
  PetscFunctionBegin;
  PetscCheck(version, PETSC_COMM_SELF, PETSC_ERR_ARG_NULL, "Result is NULL");
  PetscCall(PetscSNPrintf(version, len, "PetscSpMV %s for PETSc %d.%d with %s scalars of %d bits and indices of %d",
                          PETSCSPMV_VERSION, PETSC_VERSION_MAJOR, PETSC_VERSION_MINOR,
                          PetscDefined(USE_COMPLEX) ? "complex" : "real", static_cast<int>(8 * sizeof(PetscScalar)),
                          static_cast<int>(8 * sizeof(PetscInt))));
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/*@C
   PetscSpMVGetVersionNumber - Gets the numbers of the version of PetscSpMV that is running.

   Not Collective; No Fortran Support

   Output Parameters:
+  major    - the major number: it changes when programs that were built with the library have to be built again
.  minor    - the minor number: it changes when something is added
.  subminor - the subminor number: it changes with corrections
-  release  - 1 for a release, 0 for a pre-release, whose numbers are those of the release it precedes

   Level: developer

   Note:
   Any of the arguments may be `NULL`.

.seealso: `PetscSpMVGetVersion()`, `PetscGetVersionNumber()`, `PETSCSPMV_VERSION_GE()`
@*/
PetscErrorCode PetscSpMVGetVersionNumber(PetscInt *major, PetscInt *minor, PetscInt *subminor, PetscInt *release)
try {
  PetscFunctionBegin;
  if (major) *major = PETSCSPMV_VERSION_MAJOR;
  if (minor) *minor = PETSCSPMV_VERSION_MINOR;
  if (subminor) *subminor = PETSCSPMV_VERSION_SUBMINOR;
  if (release) *release = PETSCSPMV_VERSION_RELEASE;
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH
