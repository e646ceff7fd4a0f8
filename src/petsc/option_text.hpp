// Options as users write them: an invalid value ends in an error that names the option and the allowed values.
#pragma once

#include "petsc/compat.hpp"
#include "petsc/fixed_string.hpp"

#include <string>
#include <string_view>

namespace petscspmv {

/// Adds a name to those that an error lists.
inline void AddName(std::string &names, std::string_view name)
{
  if (!names.empty()) names += ", ";
  names += name;
}

enum class OptionKind { Integer, Real, Flag };

/// The text of an option in the database if it is not of its kind, or an integer does not fit in PetscInt. An empty text keeps the
/// default.
PetscErrorCode GetWrongText(OptionItems items, const char *key, OptionKind kind, FixedString *wrong);

/// Fails for such a text. PETSc's own errors do not name the option, and it silently takes a number of 25 digits for another one.
/// allowed() returns the allowed values in words; it is called only then, since matrices are made often.
template <class Allowed>
PetscErrorCode CheckOptionText(OptionItems items, const char *key, OptionKind kind, const Allowed &allowed)
{
  FixedString wrong;

  PetscFunctionBegin;
  PetscCall(GetWrongText(items, key, kind, &wrong));
  PetscCheck(wrong.empty(), items->comm, PETSC_ERR_ARG_OUTOFRANGE, "-%s%s is %s, must be %s", items->prefix ? items->prefix : "",
             key + 1, wrong.c_str(), allowed().c_str());
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode CheckFlagText(OptionItems items, const char *key)
{
  return CheckOptionText(items, key, OptionKind::Flag, [] { return FixedString("true or false"); });
}

} // namespace petscspmv
