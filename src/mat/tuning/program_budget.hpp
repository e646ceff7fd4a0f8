// The budget of this session, by the time that the program has taken.
#pragma once

#include "mat/tuning/account.hpp"
#include "petsc/compat.hpp"

#include <memory>

namespace petscspmv {

/// Starts the program's clock.
PetscErrorCode StartProgramClock();

/// What the program has taken since then, in seconds.
double SecondsOfProgram();

/// The budget since then.
std::shared_ptr<Budget> BudgetOfProgram();

} // namespace petscspmv
