// What formats are expected to cost, by what was measured on the processor.
#include "mat/tuning/prediction.hpp"

#include <gtest/gtest.h>

namespace petscspmv::spmv::test {
namespace {

constexpr MeasuredRates kRates{.rows = 0.5, .format = 0.4}; // ns per nonzero

Measurable Matrix(double ns_of_aij)
{
  return {.nnz = 1e6, .aij = ns_of_aij * 1e-3, .bytes = 12};
}

/// In seconds a layout costs the same, whether AIJ is fast or waits for x.
TEST(Predict, ALayoutCostsByItsEntries)
{
  for (const double aij : {0.4, 0.5, 3.}) {
    const Prediction expected = Predict(Matrix(aij), kRates, {.build = 6}, false);
    EXPECT_DOUBLE_EQ(expected.build * aij, 6 * 0.5) << aij;
    EXPECT_DOUBLE_EQ(expected.refresh * aij, 2 * 0.5) << aij;
  }
}

/// Of what AIJ takes beyond the measured rows, the format's share remains, more if the format reads more.
TEST(Predict, WhatAijWaits)
{
  EXPECT_DOUBLE_EQ(Predict(Matrix(0.5), kRates, {.work = 1.5, .waits = 0.3}, false).product, 1.5 * 0.4 / 0.5);
  EXPECT_DOUBLE_EQ(Predict(Matrix(2), kRates, {.waits = 0.3}, false).product * 2, 0.4 + 1.5 * 0.3);
  EXPECT_DOUBLE_EQ(Predict(Matrix(2), kRates, {.bytes = 18, .waits = 0.3}, false).product * 2, 0.4 + 1.5 * 0.3 * 1.5);
  EXPECT_DOUBLE_EQ(Predict(Matrix(0.25), kRates, {}, false).product, 0.4 / 0.5); // faster than the rows, and so is the format
}

/// Where nothing was measured, as with a target that the user sets, costs are in products by AIJ.
TEST(Predict, WithoutMeasurement)
{
  const Prediction copies = Predict(Matrix(2), {}, {.build = 6}, false), borrows = Predict(Matrix(2), {}, {}, true);
  EXPECT_DOUBLE_EQ(copies.build, 6);
  EXPECT_LT(copies.product, 1);
  EXPECT_LT(borrows.product, 1);
  EXPECT_LT(borrows.build, copies.build);
}

} // namespace
} // namespace petscspmv::spmv::test
