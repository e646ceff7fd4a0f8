// The library's targets: sets of instructions, each with a way to load x.
#pragma once

#include "benchmarks/measure.hpp"

#include <string>
#include <vector>

namespace petscspmv::benchmarks {

struct TargetList {
  std::vector<std::string> names;       // that this processor runs
  std::string              chosen, why; // by the library on this process
};

PetscErrorCode GetTargets(TargetList &list);

/// How the targets do with one type on one matrix.
struct TargetFigures {
  std::vector<double> ns_per_nonzero; // in the order of TypeRun::by_target
  std::size_t         best = 0;       // over which the time of products by the library's own choice, round by round, is largest
  double              chosen_over_best = 0; // that, in the median
};

/// The type has samples by targets.
TargetFigures FiguresOfTargets(const MatrixRun &run, const TypeRun &type);

/// A table of types and targets on one matrix; empty without targets.
std::string TargetTable(const MatrixRun &run);

/// On how many pairs of matrix and type the library's own choice is as good as the best target; empty without targets.
std::string TargetSummary(const std::vector<MatrixRun> &runs, const TargetList &list);

} // namespace petscspmv::benchmarks
