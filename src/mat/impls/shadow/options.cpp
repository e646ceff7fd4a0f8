// Options: from the database, from setters, and back.
#include "mat/impls/shadow/guard.hpp"
#include "mat/impls/shadow/option_text.hpp"
#include "mat/impls/shadow/setter.hpp"
#include "mat/impls/shadow/shadow.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <string_view>

namespace petscspmv {

namespace {

constexpr const char *kTransposeNames[] = {"auto", "aij", "layout"}; // in the order of MatSpMVTranspose

/// A value as users write it.
std::string Text(const OptionSpec &option, std::int64_t value)
{
  char text[32];
  if (option.unit == 0) return std::to_string(value);
  std::snprintf(text, sizeof(text), "%g", static_cast<double>(value) * option.unit);
  return text;
}

std::string AllowedValues(const OptionSpec &option)
{
  std::string text = Text(option, option.lower) + " to " + Text(option, option.upper);
  if (option.initial == kDecide) text += ", or PETSC_DECIDE";
  return text;
}

/// The text for -help, with the range if help is asked for; -1 is how the database shows PETSC_DECIDE.
std::string Help(const OptionSpec &option, bool asked)
{
  if (!asked) return option.help;
  return std::string(option.help) + " (" + Text(option, option.lower) + " to " + Text(option, option.upper) +
         (option.initial == kDecide ? "; -1: chosen automatically)" : ")");
}

bool IsFlag(const OptionSpec &option)
{
  return std::ranges::equal(
    option.names, kFlag, {}, [](const char *name) { return std::string_view(name); },
    [](const char *name) { return std::string_view(name); });
}

PetscErrorCode CheckOption(MPI_Comm comm, const TypeInfo &type, const OptionSpec &option, PetscInt64 value)
{
  PetscFunctionBegin;
  const bool decide = value == kDecide && option.initial == kDecide;
  PetscCheck(decide || (value >= option.lower && value <= option.upper), comm, PETSC_ERR_ARG_OUTOFRANGE,
             "-mat_%s_%s is %s, must be %s", type.alias, option.key, Text(option, value).c_str(), AllowedValues(option).c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckReal(MPI_Comm comm, const TypeInfo &type, const OptionSpec &option, PetscReal real)
{
  PetscFunctionBegin;
  const double value = static_cast<double>(real) / option.unit; // may be NaN, or beyond integers
  PetscCheck(value >= static_cast<double>(option.lower) && value <= static_cast<double>(option.upper), comm,
             PETSC_ERR_ARG_OUTOFRANGE, "-mat_%s_%s is %g, must be %s", type.alias, option.key, static_cast<double>(real),
             AllowedValues(option).c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadOption(OptionItems PetscOptionsObject, MPI_Comm comm, const TypeInfo &type, const OptionSpec &option, bool help,
                          std::int64_t &value)
{
  const std::string key = std::string("-mat_") + type.alias + "_" + option.key;
  PetscInt          v   = static_cast<PetscInt>(value);

  PetscFunctionBegin;
  if (option.unit != 0) {
    PetscReal real = static_cast<PetscReal>(static_cast<double>(value) * option.unit);
    PetscBool given;
    PetscCall(CheckOptionText(PetscOptionsObject, key, OptionKind::Real, AllowedValues(option)));
    PetscCall(PetscOptionsReal(key.c_str(), Help(option, help).c_str(), "MatSpMVSetOption", real, &real, &given));
    PetscCall(CheckReal(comm, type, option, real));
    if (given) value = std::llround(static_cast<double>(real) / option.unit);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (option.names.empty()) {
    PetscCall(CheckOptionText(PetscOptionsObject, key, OptionKind::Integer, AllowedValues(option)));
    PetscCall(PetscOptionsInt(key.c_str(), Help(option, help).c_str(), "MatSpMVSetOption", v, &v, NULL));
  } else if (IsFlag(option)) {
    PetscBool flag = value ? PETSC_TRUE : PETSC_FALSE;
    PetscCall(CheckOptionText(PetscOptionsObject, key, OptionKind::Flag, kFlagValues));
    PetscCall(PetscOptionsBool(key.c_str(), option.help, "MatSpMVSetOption", flag, &flag, NULL));
    v = flag;
  } else {
    PetscCall(PetscOptionsEList(key.c_str(), option.help, "MatSpMVSetOption", option.names.data(),
                                static_cast<PetscInt>(option.names.size()), option.names[static_cast<std::size_t>(value)], &v,
                                NULL));
  }
  PetscCall(CheckOption(comm, type, option, v));
  value = v;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The position of an option in its format's list.
PetscErrorCode FindOption(Mat A, const TypeInfo &type, const char *key, std::size_t *index)
{
  PetscFunctionBegin;
  for (*index = 0; *index < type.options.size(); ++*index) {
    if (!std::strcmp(type.options[*index].key, key)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  std::string known;
  for (const OptionSpec &option : type.options) known += std::string(known.empty() ? "" : ", ") + option.key;
  SETERRQ(PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "%s has no option %s; it has %s", type.title, key,
          known.c_str());
}

/// Gives the vectors that a matrix creates the type of -vec_type: products are on the device only if both vectors are there.
PetscErrorCode TakeVecType(Mat A)
{
  char      type[128];
  PetscBool given;

  PetscFunctionBegin;
  PetscCall(PetscOptionsGetString(((PetscObject)A)->options, ((PetscObject)A)->prefix, "-vec_type", type, sizeof(type), &given));
  if (given) PetscCall(MatSetVecType(A, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ReadOptions(Mat A, Shadow &shadow)
{
  OptionValues      options     = shadow.chosen;
  PetscBool         at_assembly = shadow.eager;
  const TypeInfo   &type        = *shadow.type;
  const MPI_Comm    comm        = PetscObjectComm((PetscObject)A);
  const std::string title = std::string(type.title) + " options", prefix = std::string("-mat_") + type.alias;
  PetscInt          by = shadow.transpose_by;
  PetscBool         help;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasHelp(((PetscObject)A)->options, &help));
  PetscOptionsBegin(comm, ((PetscObject)A)->prefix, title.c_str(), "Mat");
  for (std::size_t k = 0; k < options.size(); ++k)
    PetscCall(ReadOption(PetscOptionsObject, comm, type, type.options[k], help, options[k]));
  if (FormatOf(type)) {
    PetscCall(CheckOptionText(PetscOptionsObject, prefix + "_eager", OptionKind::Flag, kFlagValues));
    PetscCall(PetscOptionsBool((prefix + "_eager").c_str(), "Build the layout at assembly, not at the first product",
                               "MatSpMVSetEager", at_assembly, &at_assembly, NULL));
  }
  if (!type.transpose)
    PetscCall(PetscOptionsEList((prefix + "_transpose").c_str(), "How to multiply with the transpose", "MatSpMVSetTranspose",
                                kTransposeNames, static_cast<PetscInt>(std::size(kTransposeNames)), kTransposeNames[by], &by,
                                NULL));
  PetscOptionsEnd();
  shadow.eager        = at_assembly;
  shadow.transpose_by = static_cast<MatSpMVTranspose>(by);
  PetscCall(SetOptions(A, shadow, options));
  if (kHasDevice) PetscCall(TakeVecType(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetOptions(Mat A, Shadow &shadow, const OptionValues &options)
{
  PetscBool mpi;

  PetscFunctionBegin;
  if (options != shadow.options) {
    shadow.options = options;
    shadow.ForgetLayouts();
  }
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  if (mpi && A->preallocated && !HashActive(A)) {
    Mat blocks[2];
    PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
    for (Mat block : blocks) {
      if (!block || !IsShadowed(block, *shadow.type)) continue;
      Shadow *s;
      PetscCall(GetShadow(block, &s));
      s->transpose_by = shadow.transpose_by;
      PetscCall(SetOptions(block, *s, options));
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetOptionOfType(Mat A, const char *alias, const char *key, PetscInt value)
{
  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  const TypeInfo *type = FindType(((PetscObject)A)->type_name);
  if (type && !std::strcmp(type->alias, alias)) PetscCall(MatSpMVSetOption(A, key, value));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv

/*@
   MatSpMVSetOption - Sets an option of a matrix of one of PetscSpMV's types.

   Logically Collective

   Input Parameters:
+  A     - the matrix
.  key   - the option's name without the type, e.g. "sigma" for `-mat_csr5_sigma`
-  value - its value; `PETSC_DECIDE` lets the format choose; for a choice among names, the position in the list of names

   Level: intermediate

   Note:
   If the value changes, the layout is rebuilt at the next product. On a matrix of any other type nothing happens.

.seealso: `MatSpMVGetOption()`, `MatSpMVGetStatistic()`
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
  PetscCall(CheckOption(PetscObjectComm((PetscObject)A), *type, type->options[index], value));
  PetscCall(GetShadow(A, &shadow));
  OptionValues options = shadow->options;
  options[index]       = value;
  PetscCall(SetOptions(A, *shadow, options));
  shadow->chosen[index] = value;
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/*@
   MatSpMVGetOption - Gets an option of a matrix of one of PetscSpMV's types.

   Not Collective

   Input Parameters:
+  A   - the matrix
-  key - the option's name without the type, e.g. "sigma" for `-mat_csr5_sigma`

   Output Parameter:
.  value - its value as it was set; `PETSC_DECIDE` if the format chooses

   Level: intermediate

   Note:
   `MatSpMVGetStatistic()` reports what a format has chosen.

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
  type = FindType(((PetscObject)A)->type_name);
  PetscCheck(type, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG, "Matrix is of type %s, not one of PetscSpMV's",
             ((PetscObject)A)->type_name);
  PetscCall(FindOption(A, *type, key, &index));
  PetscCall(GetShadow(A, &shadow));
  *value = static_cast<PetscInt>(shadow->options[index]);
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH

/*@
   MatSpMVSetEager - Sets whether the layout of a matrix of one of PetscSpMV's types is built at the end of assembly.

   Logically Collective

   Input Parameters:
+  A     - the matrix
-  eager - `PETSC_TRUE` to build the layout in `MatAssemblyEnd()`; by default it is built at the first product

   Options Database Key:
.  -mat_<type>_eager - build the layout at assembly, e.g. `-mat_csr5_eager`

   Level: intermediate

   Note:
   On a matrix of any other type nothing happens.

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
  shadow->eager = eager;
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH
