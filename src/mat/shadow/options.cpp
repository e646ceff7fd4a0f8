#include "mat/shadow/options.hpp"

#include "mat/exec/has_device.hpp"
#include "petsc/fixed_string.hpp"
#include "petsc/option_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <string_view>

namespace petscspmv {

namespace {

constexpr const char *kTransposeNames[] = {"auto", "aij", "layout"};                    // in the order of MatSpMVTranspose
constexpr const char *kSweepsNames[]    = {"auto", "aij", "layout", "single", "plain"}; // in the order of MatSpMVSweeps

/// A value as users write it.
FixedString Text(const OptionSpec &option, std::int64_t value)
{
  if (option.unit == 0) return FixedString("%lld", static_cast<long long>(value));
  return FixedString("%g", static_cast<double>(value) * option.unit);
}

FixedString Range(const OptionSpec &option)
{
  return FixedString("%s to %s", Text(option, option.lower).c_str(), Text(option, option.upper).c_str());
}

FixedString AllowedValues(const OptionSpec &option)
{
  FixedString text = Range(option);
  if (option.initial == kDecide) text.Add(", or PETSC_DECIDE");
  return text;
}

/// The text for -help, with the range; -1 is how the database shows PETSC_DECIDE.
FixedString Help(const OptionSpec &option)
{
  return FixedString("%s (%s%s)", option.help, Range(option).c_str(),
                     option.initial == kDecide ? "; -1: chosen automatically" : "");
}

bool IsFlag(const OptionSpec &option)
{
  return std::ranges::equal(
    option.names, kFlag, {}, [](const char *name) { return std::string_view(name); },
    [](const char *name) { return std::string_view(name); });
}

/// An option as users write it, with the matrix's prefix.
FixedString NameOf(Mat A, const TypeInfo &type, const OptionSpec &option)
{
  const char *prefix = ((PetscObject)A)->prefix;
  return FixedString("-%smat_%s_%s", prefix ? prefix : "", type.alias, option.key);
}

PetscErrorCode CheckReal(Mat A, const TypeInfo &type, const OptionSpec &option, PetscReal real)
{
  PetscFunctionBegin;
  const double value = static_cast<double>(real) / option.unit; // may be NaN, or too large for an integer
  PetscCheck(value >= static_cast<double>(option.lower) && value <= static_cast<double>(option.upper),
             PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "%s is %g, must be %s", NameOf(A, type, option).c_str(),
             static_cast<double>(real), AllowedValues(option).c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReadOption(OptionItems PetscOptionsObject, Mat A, const TypeInfo &type, const OptionSpec &option, bool asked,
                          std::int64_t &value)
{
  const FixedString key("-mat_%s_%s", type.alias, option.key), with_range = asked ? Help(option) : FixedString();
  const char       *help    = asked ? with_range.c_str() : option.help;
  const auto        allowed = [&option] { return AllowedValues(option); };
  PetscInt          v       = static_cast<PetscInt>(value);

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

/// Whether the database has any option of A's type. Matrices are made often, and looking is cheaper than reading all options.
PetscErrorCode IsAnyGiven(Mat A, const TypeInfo &type, PetscBool *any)
{
  const auto look = [&](const char *key) {
    const auto name = FixedString::Of({"-mat_", type.alias, "_", key});
    return PetscOptionsHasName(((PetscObject)A)->options, ((PetscObject)A)->prefix, name.c_str(), any);
  };

  PetscFunctionBegin;
  *any = PETSC_FALSE;
  for (const char *key : {"eager", "transpose", "sweeps"}) {
    if (!*any) PetscCall(look(key));
  }
  for (const OptionSpec &option : type.options) {
    if (!*any) PetscCall(look(option.key));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reads all options of A's type; with `help` PETSc shows them, and their ranges are needed.
PetscErrorCode ReadAll(Mat A, bool help, Settings &settings)
{
  const TypeInfo   &type = *settings.type;
  const FixedString title("%s options", type.title), eager("-mat_%s_eager", type.alias), transpose("-mat_%s_transpose", type.alias),
    sweeps("-mat_%s_sweeps", type.alias);
  PetscInt by = settings.transpose_by, swept_by = settings.sweeps;

  PetscFunctionBegin;
  PetscOptionsBegin(PetscObjectComm((PetscObject)A), ((PetscObject)A)->prefix, title.c_str(), "Mat");
  for (std::size_t k = 0; k < type.options.size(); ++k)
    PetscCall(ReadOption(PetscOptionsObject, A, type, type.options[k], help, settings.options[k]));
  if (FormatOf(type)) {
    PetscCall(CheckFlagText(PetscOptionsObject, eager.c_str()));
    PetscCall(PetscOptionsBool(eager.c_str(), "Build the layout at assembly, not at the first product", "MatSpMVSetEager",
                               settings.eager, &settings.eager, NULL));
  }
  if (!type.transpose)
    PetscCall(PetscOptionsEList(transpose.c_str(), "How to multiply with the transpose", "MatSpMVSetTranspose", kTransposeNames,
                                static_cast<PetscInt>(std::size(kTransposeNames)), kTransposeNames[by], &by, NULL));
  PetscCall(PetscOptionsEList(sweeps.c_str(), "How to relax, and to solve with factors", "MatSpMVSetSweeps", kSweepsNames,
                              static_cast<PetscInt>(std::size(kSweepsNames)), kSweepsNames[swept_by], &swept_by, NULL));
  PetscOptionsEnd();
  settings.transpose_by = static_cast<MatSpMVTranspose>(by);
  settings.sweeps       = static_cast<MatSpMVSweeps>(swept_by);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Has the matrix create vectors of the type of -vec_type: a product runs on the device only if both of its vectors are there.
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

PetscErrorCode CheckOption(Mat A, const TypeInfo &type, const OptionSpec &option, PetscInt64 value)
{
  PetscFunctionBegin;
  const bool decide = value == kDecide && option.initial == kDecide;
  PetscCheck(decide || (value >= option.lower && value <= option.upper), PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
             "%s is %s, must be %s", NameOf(A, type, option).c_str(), Text(option, value).c_str(), AllowedValues(option).c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FindOption(Mat A, const TypeInfo &type, const char *key, std::size_t *index)
{
  PetscFunctionBegin;
  for (*index = 0; *index < type.options.size(); ++*index) {
    if (!std::strcmp(type.options[*index].key, key)) PetscFunctionReturn(PETSC_SUCCESS);
  }
  std::string known;
  for (const OptionSpec &option : type.options) AddName(known, option.key);
  SETERRQ(PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE, "%s has no option %s; it has %s", type.title, key,
          known.c_str());
}

PetscErrorCode ReadSettings(Mat A, Settings &settings)
{
  PetscBool help, any;

  PetscFunctionBegin;
  settings.options = settings.chosen;
  PetscCall(PetscOptionsHasHelp(((PetscObject)A)->options, &help));
  PetscCall(IsAnyGiven(A, *settings.type, &any));
  if (help || any) PetscCall(ReadAll(A, help, settings));
  if (kHasDevice) PetscCall(TakeVecType(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
