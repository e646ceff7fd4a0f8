// Options as users write them: an invalid value ends in an error that names the option and the allowed values.
#pragma once

#include "mat/impls/shadow/compat.hpp"

#include <string>

namespace petscspmv {

enum class OptionKind { Integer, Real, Flag };

inline constexpr char kFlagValues[] = "true or false";

/// Fails if an option in the database is not of its kind, or an integer does not fit in PetscInt: PETSc's own errors do not name
/// the option, and it silently takes a number of 25 digits for another one. An empty text keeps the default.
PetscErrorCode CheckOptionText(OptionItems items, const std::string &key, OptionKind kind, const std::string &allowed);

} // namespace petscspmv
