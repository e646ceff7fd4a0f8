// Programs that make their matrices themselves, on grids.
#pragma once

#include "benchmarks/solve_clock.hpp"

#include <span>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

/// What a program took, and how good its result is.
struct WholeRun {
  double     seconds = 0; // on this process
  SolveClock clock;
  PetscReal  residual = 0; // relative, of the last step
};

/// |b - A x| / |b| of the system that was solved last.
PetscErrorCode LastResidual(KSP ksp, PetscReal *residual);

struct Problem {
  const char              *name; // bratu
  const char              *help;
  std::vector<std::string> solvers; // by their names
  PetscInt                 unit;    // of N - 1, which has to be a multiple
  PetscErrorCode (*solve)(PetscInt n, int steps, WholeRun &run);
};

/// Each is on a grid of N points a side: bratu:N.
std::span<const Problem> Problems();

/// The problem that a name begins with, before a colon; null if none is.
const Problem *FindProblem(const std::string &name);

/// What is wrong with the number in the name of a problem; empty if nothing is.
std::string FaultOfProblem(const std::string &name);

/// About how many its matrix has.
double NonzerosOfProblem(const std::string &name);

PetscErrorCode SolveProblem(const std::string &name, int steps, WholeRun &run);

} // namespace petscspmv::benchmarks
