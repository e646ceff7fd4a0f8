// Settings of a matrix, set and read by the program.
#include "mat/shadow/options.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

namespace petscspmv {

namespace {

/// Sets one of the values 0 to `last` of an enumeration in a matrix of our types.
template <class Enum>
PetscErrorCode SetEnum(Mat A, Enum value, Enum last, const char *name, Enum Settings::*member)
{
  Shadow *shadow;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(A, value, 2);
  PetscCheck(value >= Enum(0) && value <= last, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "%d is not a %s",
             static_cast<int>(value), name);
  if (!FindType(((PetscObject)A)->type_name)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetShadow(A, &shadow));
  Settings settings = shadow->settings();
  settings.*member  = value;
  PetscCall(SetSettings(A, *shadow, settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

} // namespace petscspmv

/*@
   MatSpMVSetOption - Sets an option of a matrix of one of PetscSpMV's types.

   Logically Collective; `value` must contain common value; No Fortran Support

   Input Parameters:
+  A     - the matrix
.  key   - the option's name without the type, e.g. "sigma" for `-mat_csr5_sigma`
-  value - its value; `PETSC_DECIDE` lets the format choose; 0 or 1 for a flag; the position in the list of names for a choice
           among names; millionths for a share (`-mat_spmv_regret`)

   Level: intermediate

   Notes:
   If the value changes, the layout is rebuilt at the next product. `MatSetFromOptions()` afterwards sets what the options database
   has. Those of all types, -mat_<type>_transpose, _sweeps and _eager, have setters of their own.

   An unknown name and a value out of range are errors that say what is allowed. On a matrix of any other type nothing happens.

.seealso: `MatSpMVGetOption()`, `MatSpMVGetStatistic()`, `MatSpMVSetTranspose()`, `MatSpMVSetSweeps()`, `MatSpMVSetEager()`,
          `MatSpMVSetRegret()`
@*/
PetscErrorCode MatSpMVSetOption(Mat A, const char key[], PetscInt value)
try {
  using namespace petscspmv;
  const TypeInfo *type;
  Shadow         *shadow;
  std::size_t     index;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscValidLogicalCollectiveInt(A, value, 3);
  PetscCheck(key, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_NULL, "Name of the option is NULL");
  type = FindType(((PetscObject)A)->type_name);
  if (!type) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(FindOption(A, *type, key, &index));
  PetscCall(CheckOption(A, *type, type->options[index], value));
  PetscCall(GetShadow(A, &shadow));
  Settings settings       = shadow->settings();
  settings.options[index] = settings.chosen[index] = value;
  PetscCall(SetSettings(A, *shadow, settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/*@
   MatSpMVGetOption - Gets an option of a matrix of one of PetscSpMV's types.

   Not Collective; No Fortran Support

   Input Parameters:
+  A   - the matrix
-  key - the option's name without the type, e.g. "sigma" for `-mat_csr5_sigma`

   Output Parameter:
.  value - its value as it was set; `PETSC_DECIDE` if the format chooses

   Level: intermediate

   Notes:
   `MatSpMVGetStatistic()` reports what a format has chosen. An unknown name and a matrix of another type are errors.

.seealso: `MatSpMVSetOption()`, `MatSpMVGetStatistic()`
@*/
PetscErrorCode MatSpMVGetOption(Mat A, const char key[], PetscInt *value)
try {
  using namespace petscspmv;
  const TypeInfo *type;
  Shadow         *shadow;
  std::size_t     index;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscCheck(key && value, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_NULL, "Name of the option or result is NULL");
  PetscCall(NeedType(A, &type));
  PetscCall(FindOption(A, *type, key, &index));
  PetscCall(GetShadow(A, &shadow));
  *value = static_cast<PetscInt>(shadow->settings().options[index]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/*@
   MatSpMVSetEager - Sets whether the layout of a matrix of one of PetscSpMV's types is built at the end of assembly.

   Logically Collective; `eager` must contain common value; No Fortran Support

   Input Parameters:
+  A     - the matrix
-  eager - `PETSC_TRUE` to build the layout in `MatAssemblyEnd()`; by default it is built at the first product

   Options Database Key:
.  -mat_<type>_eager - build the layout at assembly, e.g. `-mat_csr5_eager`

   Level: intermediate

   Notes:
   It takes effect at the next assembly; where there is no memory for the layout, the first product says so.

   On a `MATSPMV` matrix, which has no such option, and on one of any other type nothing happens.

.seealso: `MatSpMVSetOption()`
@*/
PetscErrorCode MatSpMVSetEager(Mat A, PetscBool eager)
try {
  using namespace petscspmv;
  Shadow *shadow;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscValidLogicalCollectiveBool(A, eager, 2);
  if (!FindType(((PetscObject)A)->type_name)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetShadow(A, &shadow));
  shadow->settings().eager = eager;
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/*@
   MatSpMVSetTranspose - Sets how products with the transpose are computed for a matrix of one of PetscSpMV's types.

   Logically Collective; `by` must contain common value; No Fortran Support

   Input Parameters:
+  A  - the matrix
-  by - `MAT_SPMV_TRANSPOSE_AUTO`, `MAT_SPMV_TRANSPOSE_AIJ` or `MAT_SPMV_TRANSPOSE_LAYOUT`

   Options Database Key:
.  -mat_<type>_transpose (auto|aij|layout) - how they are computed, e.g. `-mat_csr5_transpose`

   Level: intermediate

   Note:
   On a matrix of any other type nothing happens.

.seealso: `MatSpMVTranspose`, `MatSpMVSetOption()`
@*/
PetscErrorCode MatSpMVSetTranspose(Mat A, MatSpMVTranspose by)
try {
  using petscspmv::Settings;

  PetscFunctionBegin;
  PetscCall(petscspmv::SetEnum(A, by, MAT_SPMV_TRANSPOSE_LAYOUT, "MatSpMVTranspose", &Settings::transpose_by));
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/*@
   MatSpMVSetSweeps - Sets how a matrix of one of PetscSpMV's types relaxes, and how its factors are solved with.

   Logically Collective; `by` must contain common value; No Fortran Support

   Input Parameters:
+  A  - the matrix
-  by - `MAT_SPMV_SWEEPS_AUTO`, `MAT_SPMV_SWEEPS_AIJ`, `MAT_SPMV_SWEEPS_LAYOUT`, `MAT_SPMV_SWEEPS_SINGLE` or
        `MAT_SPMV_SWEEPS_PLAIN`

   Options Database Key:
.  -mat_<type>_sweeps (auto|aij|layout|single|plain) - how they are done, e.g. `-mat_csr5_sweeps`

   Level: intermediate

   Note:
   Factors take what is set when `MatGetFactor()` makes them. On a matrix of any other type nothing happens.

.seealso: `MatSpMVSweeps`, `MatSOR()`, `MatSolve()`
@*/
PetscErrorCode MatSpMVSetSweeps(Mat A, MatSpMVSweeps by)
try {
  using petscspmv::Settings;

  PetscFunctionBegin;
  PetscCall(petscspmv::SetEnum(A, by, MAT_SPMV_SWEEPS_PLAIN, "MatSpMVSweeps", &Settings::sweeps));
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH
