// What can be wrong with a run before anything has been measured.
#pragma once

#include "benchmarks/arguments.hpp"

#include <petscsys.h>

namespace petscspmv::benchmarks {

/// `error` says what, if anything. Collective.
PetscErrorCode CheckArguments(const Arguments &arguments, std::string &error);

} // namespace petscspmv::benchmarks
