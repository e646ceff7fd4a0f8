// The parallel type: MATMPIAIJ with blocks of the sequential type, since MATMPIAIJ's methods work with blocks of any type. What it
// shares with MATMPIAIJ itself is in shadow/parallel.cpp.
#pragma once

#include "mat/format/format.hpp"
#include "petsc/compat.hpp"

namespace petscspmv {

PetscErrorCode MatCreate_MPIAIJShadow(Mat A, const TypeInfo &type);

} // namespace petscspmv
