// The settings of a matrix in the options database.
#pragma once

#include "mat/layout/settings.hpp"

#include <cstddef>

namespace petscspmv {

/// Replaces settings by those of the database where it has some. Other options get the defaults or what setters have chosen.
PetscErrorCode ReadSettings(Mat A, Settings &settings);

/// The index of an option in its type's list; fails if there is none of that name.
PetscErrorCode FindOption(Mat A, const TypeInfo &type, const char *key, std::size_t *index);

/// Fails if an option may not have that value.
PetscErrorCode CheckOption(Mat A, const TypeInfo &type, const OptionSpec &option, PetscInt64 value);

} // namespace petscspmv
