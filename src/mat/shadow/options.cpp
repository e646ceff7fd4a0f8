// Options: from the database, from setters, and back.
#include "mat/shadow/shadow.hpp"
#include "petsc/fixed_string.hpp"
#include "petsc/guard.hpp"
#include "petsc/option_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <string_view>

namespace petscspmv {

namespace {

constexpr const char *kTransposeNames[] = {"auto", "aij", "layout"}; // in the order of MatSpMVTranspose

/// A value as users write it.
Words Text(const OptionSpec &option, std::int64_t value)
{
  if (option.unit == 0) return Words("%lld", static_cast<long long>(value));
  return Words("%g", static_cast<double>(value) * option.unit);
}

Words Range(const OptionSpec &option)
{
  return Words("%s to %s", Text(option, option.lower).c_str(), Text(option, option.upper).c_str());
}

Words AllowedValues(const OptionSpec &option)
{
  Words text = Range(option);
  if (option.initial == kDecide) text.Add(", or PETSC_DECIDE");
  return text;
}

/// The text for -help, with the range; -1 is how the database shows PETSC_DECIDE.
Words Help(const OptionSpec &option)
{
  return Words("%s (%s%s)", option.help, Range(option).c_str(), option.initial == kDecide ? "; -1: chosen automatically" : "");
}

bool IsFlag(const OptionSpec &option)
{
  return std::ranges::equal(
    option.names, kFlag, {}, [](const char *name) { return std::string_view(name); },
    [](const char *name) { return std::string_view(name); });
}

/// An option as users write it, with the matrix's prefix.
Words NameOf(Mat A, const TypeInfo &type, const OptionSpec &option)
{
  const char *prefix = ((PetscObject)A)->prefix;
  return Words("-%smat_%s_%s", prefix ? prefix : "", type.alias, option.key);
}

PetscErrorCode CheckOption(Mat A, const TypeInfo &type, const OptionSpec &option, PetscInt64 value)
{
  PetscFunctionBegin;
  const bool decide = value == kDecide && option.initial == kDecide;
  PetscCheck(decide || (value >= option.lower && value <= option.upper), PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
             "%s is %s, must be %s", NameOf(A, type, option).c_str(), Text(option, value).c_str(), AllowedValues(option).c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CheckReal(Mat A, const TypeInfo &type, const OptionSpec &option, PetscReal real)
{
  PetscFunctionBegin;
  const double value = static_cast<double>(real) / option.unit; // may be NaN, or beyond integers
  PetscCheck(value >= static_cast<double>(option.lower) && value <= static_cast<double>(option.upper),
             PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "%s is %g, must be %s", NameOf(A, type, option).c_str(),
             static_cast<double>(real), AllowedValues(option).c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadOption(OptionItems PetscOptionsObject, Mat A, const TypeInfo &type, const OptionSpec &option, bool asked,
                          std::int64_t &value)
{
  const Words key("-mat_%s_%s", type.alias, option.key), with_range = asked ? Help(option) : Words();
  const char *help    = asked ? with_range.c_str() : option.help;
  const auto  allowed = [&option] { return AllowedValues(option); };
  PetscInt    v       = static_cast<PetscInt>(value);

  PetscFunctionBegin;
  if (option.unit != 0) {
    PetscReal real = static_cast<PetscReal>(static_cast<double>(value) * option.unit);
    PetscBool given;
    PetscCall(CheckOptionText(PetscOptionsObject, key.c_str(), OptionKind::Real, allowed));
    PetscCall(PetscOptionsReal(key.c_str(), help, "MatSpMVSetOption", real, &real, &given));
    PetscCall(CheckReal(A, type, option, real));
    if (given) value = std::llround(static_cast<double>(real) / option.unit);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (option.names.empty()) {
    PetscCall(CheckOptionText(PetscOptionsObject, key.c_str(), OptionKind::Integer, allowed));
    PetscCall(PetscOptionsInt(key.c_str(), help, "MatSpMVSetOption", v, &v, NULL));
  } else if (IsFlag(option)) {
    PetscBool flag = value ? PETSC_TRUE : PETSC_FALSE;
    PetscCall(CheckFlagText(PetscOptionsObject, key.c_str()));
    PetscCall(PetscOptionsBool(key.c_str(), option.help, "MatSpMVSetOption", flag, &flag, NULL));
    v = flag;
  } else {
    PetscCall(PetscOptionsEList(key.c_str(), option.help, "MatSpMVSetOption", option.names.data(),
                                static_cast<PetscInt>(option.names.size()), option.names[static_cast<std::size_t>(value)], &v,
                                NULL));
  }
  PetscCall(CheckOption(A, type, option, v));
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
  OptionValues    options     = shadow.chosen;
  PetscBool       at_assembly = shadow.eager;
  const TypeInfo &type        = *shadow.type;
  const MPI_Comm  comm        = PetscObjectComm((PetscObject)A);
  const Words     title("%s options", type.title), eager("-mat_%s_eager", type.alias), transpose("-mat_%s_transpose", type.alias);
  PetscInt        by = shadow.transpose_by;
  PetscBool       help;

  PetscFunctionBegin;
  PetscCall(PetscOptionsHasHelp(((PetscObject)A)->options, &help)); // only then texts have ranges
  PetscOptionsBegin(comm, ((PetscObject)A)->prefix, title.c_str(), "Mat");
  for (std::size_t k = 0; k < options.size(); ++k)
    PetscCall(ReadOption(PetscOptionsObject, A, type, type.options[k], help, options[k]));
  if (FormatOf(type)) {
    PetscCall(CheckFlagText(PetscOptionsObject, eager.c_str()));
    PetscCall(PetscOptionsBool(eager.c_str(), "Build the layout at assembly, not at the first product", "MatSpMVSetEager",
                               at_assembly, &at_assembly, NULL));
  }
  if (!type.transpose)
    PetscCall(PetscOptionsEList(transpose.c_str(), "How to multiply with the transpose", "MatSpMVSetTranspose", kTransposeNames,
                                static_cast<PetscInt>(std::size(kTransposeNames)), kTransposeNames[by], &by, NULL));
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
  PetscCall(CheckOption(A, *type, type->options[index], value));
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
  PetscCall(NeedType(A, &type));
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
