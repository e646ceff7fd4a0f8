// What a format is expected to cost for a matrix, from its forecast and from what was measured on this processor.
#pragma once

#include "mat/format/features.hpp"
#include "mat/tuning/choice.hpp"

#include <algorithm>

namespace petscspmv {

/// Nanoseconds per nonzero of a small matrix in the first-level cache: by a loop over rows, as in AIJ, and by a format.
struct MeasuredRates {
  double rows = 0, format = 0; // 0: not measured
};

/// What is known of a matrix with `nnz` nonzeros, whose product takes AIJ `aij` seconds (not 0). `bytes`: AIJ's per nonzero.
struct Measurable {
  double nnz, aij, bytes;
};

/// Predictions before any measurement where a format makes none: `product` over AIJ's, the others as in Forecast. Formats that copy
/// pass several times over the entries. Formats that borrow make only row blocks or tile descriptors, in one or two passes over the
/// row pointers.
inline Prediction WithoutForecast(bool borrows)
{
  if (borrows) return {.product = 0.8, .build = 1.5, .refresh = 0.5};
  return {.product = 0.7, .build = 8, .refresh = 2};
}

/// AIJ's time beyond its instructions is waiting: for entries, which take more or fewer bytes in the format, for x, of which
/// formats load more at a time, and at the ends of rows. Where AIJ takes less than the measured rows did, so do formats. A layout
/// is made by reading entries in their order, whatever AIJ waits for.
inline Prediction Predict(const Measurable &matrix, const MeasuredRates &ns, const Forecast &forecast, bool borrows)
{
  Prediction expected = WithoutForecast(borrows);
  if (forecast.build > 0) expected.build = forecast.build;
  if (ns.rows > 0 && ns.format > 0) {
    const double by_rows = ns.rows * 1e-9 * matrix.nnz / matrix.aij, works = std::min(1., by_rows);
    expected.build *= by_rows;
    expected.refresh *= by_rows;
    expected.product =
      ns.format / ns.rows * forecast.work * works + (1 - works) * forecast.waits * std::max(1., forecast.bytes / matrix.bytes);
  }
  expected.uncorrected = expected.product;
  return expected;
}

} // namespace petscspmv
