// Options as users write them: an invalid value ends in an error that names the option and the allowed values.
#pragma once

#include "petsc/compat.hpp"
#include "petsc/fixed_string.hpp"

#include <string>
#include <string_view>

namespace petscspmv {

/// Adds a name to a list of names in an error message.
inline void AddName(std::string &names, std::string_view name)
{
  if (!names.empty()) names += ", ";
  names += name;
}

enum class OptionKind { Integer, Real, Flag };

/// Sets `wrong` to an option's text in the database if the text is not of that kind or is an integer that does not fit in PetscInt.
/// No option and empty text are not wrong: the default is kept.
PetscErrorCode GetWrongText(OptionItems items, const char *key, OptionKind kind, FixedString *wrong);

/// Fails for a wrong text. PETSc's own errors do not name the option, and PETSc silently turns a number of 25 digits into another
/// one. allowed() returns the allowed values in words, and is called only for the error, since matrices are made often.
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
