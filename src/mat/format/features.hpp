// What a format may ask about a matrix before there is a layout.
#pragma once

namespace petscspmv {

/// Properties of a matrix's nonzero pattern.
struct Features {
  double nnz           = 0;
  double padded        = 1; // entries over nonzeros if 8 consecutive rows are padded to the longest of them,
  double padded_sorted = 1; // and if all rows have been sorted by length before
  double narrow        = 1; // share of the entries in rows whose columns fit in 16-bit offsets
  double follow        = 0; // share of the entries in rows with the columns of the row before, each moved by one: grids,
  double same          = 0; // and in rows with the same columns as the row before: several unknowns a node
};

/// What a format is expected to cost.
struct Forecast {
  double build = 0;  // time to build a layout, in products by rows: mostly first-touch passes over the entries; 0: as most formats
  double work  = 1;  // work of a product, relative to a matrix of the same size with equal rows
  double bytes = 12; // read from the matrix per nonzero
};

} // namespace petscspmv
