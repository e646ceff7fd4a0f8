// How long a run will take, before it starts.
#pragma once

#include "benchmarks/measure.hpp"

#include <string>
#include <vector>

namespace petscspmv::benchmarks {

enum class Task { Products, Totals, Chosen, Solves, First, Sweeps };

/// What a run is about to do.
struct Plan {
  Task                     task = Task::Products;
  std::vector<double>      nonzeros;      // of each matrix; 0 where that is not known
  std::vector<double>      problems = {}; // of the matrices of programs that make their own, which fewer solvers solve
  std::size_t              solvers  = 0;  // that are wanted; 0 for all
  std::vector<std::string> types;
  Settings                 settings;
  int                      processes = 1;
};

/// Seconds, within a factor of two on a processor of today with a core for each process; solves with usual numbers of iterations.
double EstimateSeconds(const Plan &plan);

/// "about 4 minutes: 12 matrices, 6 types, 2 builds, 5 rounds"
std::string Describe(const Plan &plan);

} // namespace petscspmv::benchmarks
