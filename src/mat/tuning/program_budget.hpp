// The budget of this session, a share of the time that the program has taken.
#pragma once

#include "mat/tuning/account.hpp"

#include <memory>

namespace petscspmv {

/// Starts the program's clock.
void StartProgramClock();

/// The budget since then.
std::shared_ptr<Budget> BudgetOfProgram();

} // namespace petscspmv
