// What follows from the samples.
#pragma once

#include "benchmarks/measure.hpp"
#include "benchmarks/statistics.hpp"

namespace petscspmv::benchmarks {

/// Figures of one type on one matrix. "The first type" is aij unless the user wants another.
struct Figures {
  double ns_per_nonzero = 0;
  double gflops         = 0; // two a nonzero
  Spread limit;              // of the speed at which the ideal CSR traffic is read
  double own_limit = 0;      // of that at which the layout's own bytes are, and the vectors; 0 without a layout that has columns
  Spread speedup;            // over the first type, round by round
  Spread transpose_speedup;
  Spread many_speedup;      // with several vectors at once, a vector
  double many_time     = 0; // of that, in products of the same type with one
  double first         = 0; // the first product, conversion and all, in products of the first type
  double preprocessing = 0; // what it takes more than later ones, in products of the first type (CSR5, Table 3)
  double refresh       = 0; // a product after a change of values, in products of the first type
  double fresh         = 0; // writing as much fresh memory as the layout has, and a product, likewise; 0 without
  double copy          = 0; // copying the values, and a product, likewise; 0 without a layout that stores values
  double bytes_ratio   = 0; // the layout's memory over that of the AIJ arrays
  double break_even    = 0; // products from which on the type has paid for its conversion; infinite if never
  double speedup_50    = 0; // of 50 products with the conversion, over the first type's (CSR5, Table 3)
  double speedup_500   = 0;
};

Figures FiguresOf(const MatrixRun &run, const TypeRun &type);

/// A matrix with a row 20 times as long as its average is called irregular.
bool IsIrregular(const MatrixRun &run);

} // namespace petscspmv::benchmarks
