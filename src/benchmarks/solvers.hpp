// Solvers for whole runs, as PETSc's options choose them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

/// What a solver asks for, and what a system has.
struct SystemKind {
  bool symmetric = false;
  bool diagonal  = false; // no zero there
  bool saddle    = false; // three velocities and a pressure at each node
  bool grid      = false; // a DMDA, which can be coarsened
};

struct Solver {
  const char *name; // cg+icc
  SystemKind  asks;
  const char *options;
  const char *in_parallel = nullptr; // the options on several processes, where they differ
};

std::span<const Solver> Solvers();

/// Of use for a system.
bool Fits(const Solver &solver, const SystemKind &system);

std::vector<std::string> OptionsOf(const Solver &solver, int processes);

} // namespace petscspmv::benchmarks
