// Options as users write them: nonsense ends in an error that names the option and what it may be.
#pragma once

#include "mat/impls/shadow/compat.hpp"

#include <string>

namespace petscspmv {

enum class OptionKind { Integer, Real, Flag };

inline constexpr char kFlagValues[] = "true or false";

/// Fails if an option in the database is not of its kind, or an integer beyond PetscInt: PETSc's own errors do not say which
/// option it is, and it takes a number of 25 digits as another one without a word. An empty text keeps the default.
PetscErrorCode CheckOptionText(OptionItems items, const std::string &key, OptionKind kind, const std::string &allowed);

} // namespace petscspmv
