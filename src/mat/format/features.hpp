// What a format may ask about a matrix before there is a layout.
#pragma once

namespace petscspmv {

/// Properties of a matrix's nonzero pattern.
struct Features {
  double nnz           = 0;
  double length        = 1; // mean length of the rows that are not empty
  double padded        = 1; // stored entries over nonzeros, with every 8 consecutive rows padded to their longest
  double padded_sorted = 1; // the same with all rows sorted by length first
  double narrow        = 1; // share of the entries in rows whose columns fit in 16-bit offsets

  /// Bytes of a column index in the mean, where those rows take two and other rows `wide`.
  [[nodiscard]] double ColumnBytes(double wide) const { return narrow * 2 + (1 - narrow) * wide; }
};

/// The mean length of the rows of the matrix by which kernels are measured.
inline constexpr double kMeasuredRow = 8;

/// What a format is expected to cost.
struct Forecast {
  double build = 0;    // time to build a layout, in products by a loop over rows whose entries are in the nearest cache; 0 for that
                       // of most formats
  double work  = 1;    // time that a product works by nonzero, over that for the matrix by which kernels are measured
  double bytes = 12;   // read from the matrix per nonzero, and the memory of a layout that copies
  double waits = 0.65; // share of the time for which AIJ waits, for memory or after a mispredicted branch, that remains
};

} // namespace petscspmv
