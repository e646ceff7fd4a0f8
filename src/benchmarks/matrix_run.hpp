// What is measured with one matrix.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

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

} // namespace petscspmv::benchmarks
