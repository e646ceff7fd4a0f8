// What a format may be asked about a matrix before there is a layout.
#pragma once

namespace petscspmv {

/// What the pattern of a matrix looks like.
struct Features {
  double nnz           = 0;
  double padded        = 1; // entries over nonzeros where 8 rows side by side are padded to the longest of them,
  double padded_sorted = 1; // and where all rows have been sorted by length before
  double narrow        = 1; // share of the entries in rows whose columns 16 bits tell apart
};

/// What a format takes with it.
struct Forecast {
  double build = 0;  // of a layout, in products by rows: mostly first-touch passes over the entries; 0: as formats do mostly
  double work  = 1;  // of a product, over that of a matrix of the same size whose rows are all alike
  double bytes = 12; // read of the matrix for a nonzero
};

} // namespace petscspmv
