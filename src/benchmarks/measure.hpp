// Products of one matrix, timed with each of several matrix types.
#pragma once

#include "benchmarks/matrix_run.hpp"

#include <algorithm>
#include <functional>
#include <petscmat.h>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

/// Products with the transpose after which a layout of that does them, if any does (MatSpMVTranspose).
inline constexpr int kTransposes = 40;

struct Settings {
  int         builds    = 3;    // times that each type's matrix is made anew, so that its memory lies elsewhere
  int         rounds    = 7;    // rounds of products with each of them
  int         most      = 0;    // rounds of short whole runs, see RoundsOf()
  double      seconds   = 0.01; // the least that a sample takes: it is of as many products as need that with the first type
  double      longest   = 5;    // seconds of products up to which totals go, and what is chosen is watched
  bool        transpose = true; // time products with A^T too
  int         vectors   = 0;    // and with so many vectors at once, columns of a dense matrix
  std::string vec_type;         // of the vectors; empty for PETSc's own choice
  int         steps = 1;        // of whole runs, with new values in each
  std::string commit;           // of the sources, for the report

  std::vector<std::string> targets; // of the library, to run its types with one after the other; empty for the chosen one alone

  /// Of whole runs that take so many seconds: the shorter they are, the more they are disturbed.
  int RoundsOf(double seconds) const
  {
    constexpr double kEnough = 0.5; // seconds, of all rounds
    return std::max(rounds, static_cast<int>(std::min<double>(most, kEnough / seconds)));
  }
};

/// Measures products of an AIJ matrix. Collective. `progress` gets a line on what is being measured.
PetscErrorCode Measure(Mat A, const std::vector<std::string> &types, const Settings &settings,
                       const std::function<void(const std::string &)> &progress, MatrixRun &run);

} // namespace petscspmv::benchmarks
