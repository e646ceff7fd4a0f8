// Products of one matrix, timed with each of several matrix types.
#pragma once

#include <cstdint>
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
  double      seconds   = 0.01; // the least that a sample takes: it is of as many products as need that with the first type
  double      longest   = 5;    // seconds of products up to which totals go
  bool        transpose = true; // time products with A^T too
  int         vectors   = 0;    // and with so many vectors at once, columns of a dense matrix
  std::string vec_type;         // of the vectors; empty for PETSc's own choice
  int         steps = 1;        // of whole runs, with new values in each
  std::string commit;           // of the sources, for the report

  std::vector<std::string> targets; // of the library, to run its types with one after the other; empty for the chosen one alone
};

/// Seconds of a product, one a round; on several processes those of the slowest.
using Samples = std::vector<double>;

/// Products by one of the library's targets, one a round.
struct TargetRun {
  std::string name;
  Samples     product;
};

struct TypeRun {
  std::string type;
  std::string failure; // why the matrix could not be had in this type, or that A x is wrong; nothing else counts then
  Samples     product, transpose;
  Samples     first;               // conversion of an AIJ matrix in place, and the first product
  Samples     refresh;             // the first product after a change of values
  Samples     fresh;               // writing as much fresh memory as the layout has, if it has one, on hosts
  double      error           = 0; // largest of a row over what rounding in any order explains: at most 1 if right
  double      transpose_error = 0; // beyond 1 there are no times of transposes
  double      layout_bytes    = 0; // beside the AIJ arrays; 0 with types that are not of this library

  std::vector<TargetRun> by_target = {}; // with types of this library, if targets are compared
  Samples                many      = {}; // with several vectors at once, a vector
};

struct MatrixRun {
  std::string          name;
  std::int64_t         rows = 0, cols = 0, nonzeros = 0, row_min = 0, row_max = 0;
  double               ideal_bytes = 0, vector_bytes = 0; // CSR arrays and vectors, each moved once, and the vectors alone
  int                  products = 0;                      // of a sample
  Samples              bandwidth;                         // bytes a second at which that much is read, one a round
  Samples              copy;                              // seconds that copying the values takes after all have changed, on hosts
  std::vector<TypeRun> types;                             // the first is what others are compared with
  std::string          target;                            // that the library chose
};

/// Measures products of an AIJ matrix. Collective. `progress` gets a line on what is being measured.
PetscErrorCode Measure(Mat A, const std::vector<std::string> &types, const Settings &settings,
                       const std::function<void(const std::string &)> &progress, MatrixRun &run);

} // namespace petscspmv::benchmarks
