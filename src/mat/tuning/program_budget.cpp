#include "mat/tuning/program_budget.hpp"

#include "mat/exec/session.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace petscspmv {

namespace {

/// The program's time so far: processor time, but at most elapsed time, in which users see the library's losses.
class ProgramClock {
public:
  double operator()()
  {
    const std::clock_t now = std::clock();
    if (now < last_) start_ -= last_ - now; // a child process, in which std::clock() begins anew, goes on with its parent's time
    last_                                      = now;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
    return std::min(passed.count(), static_cast<double>(now - start_) / CLOCKS_PER_SEC);
  }

private:
  std::clock_t                          start_ = std::clock(), last_ = start_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

struct OfProgram {
  ProgramClock            clock;
  std::shared_ptr<Budget> budget;
  bool                    in_rounds = false;
};

} // namespace

PetscErrorCode StartProgramClock()
{
  PetscMPIInt processes;

  PetscFunctionBegin;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &processes));
  OfSession<OfProgram>().in_rounds = processes > 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

double SecondsOfProgram()
{
  return OfSession<OfProgram>().clock();
}

std::shared_ptr<Budget> BudgetOfProgram()
{
  auto &[clock, budget, in_rounds] = OfSession<OfProgram>();
  if (!budget) budget = std::make_shared<Budget>(clock, in_rounds);
  return budget;
}

} // namespace petscspmv
