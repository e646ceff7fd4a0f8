// The settings of a matrix in the options database.
#pragma once

#include "mat/layout/settings.hpp"

#include <cstddef>

namespace petscspmv {

/// Replaces settings by those that the options database has. A format's other options get their defaults, or what setters have
/// chosen; settings of all types (eager, transpose, sweeps) stay as they are.
PetscErrorCode ReadSettings(Mat A, Settings &settings);

/// The index of an option in its type's list; fails if the list has none of that name.
PetscErrorCode FindOption(Mat A, const TypeInfo &type, const char *key, std::size_t *index);

/// Fails if the option may not have that value.
PetscErrorCode CheckOption(Mat A, const TypeInfo &type, const OptionSpec &option, PetscInt64 value);

} // namespace petscspmv
