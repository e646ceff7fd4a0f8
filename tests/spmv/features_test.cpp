// The features that the type spmv finds, for patterns small enough to count by hand.
#include "mat/tuning/features.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace petscspmv::spmv::test {
namespace {

/// Rows of these lengths, with entry k of a row at column(row, k).
Features Of(int rows, const std::function<int(int)> &length, const std::function<int(int, int)> &column)
{
  std::vector<int>    row_ptr{0}, col_idx;
  std::vector<double> val;
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < length(row); ++k) col_idx.push_back(column(row, k));
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  return FeaturesOf(Csr<double, int>{rows, 1 << 20, row_ptr.data(), col_idx.data(), nullptr});
}

int Near(int row, int k)
{
  return row + k;
}

TEST(Features, OfNothing)
{
  for (const int rows : {0, 1, 100}) {
    const Features features = Of(
      rows, [](int) { return 0; }, Near);
    EXPECT_EQ(features.nnz, 0);
    EXPECT_EQ(features.padded, 1);
    EXPECT_EQ(features.narrow, 1);
  }
}

TEST(Features, EqualRows)
{
  const Features features = Of(
    8000, [](int) { return 5; }, Near);
  EXPECT_EQ(features.nnz, 40000);
  EXPECT_EQ(features.padded, 1);
  EXPECT_EQ(features.padded_sorted, 1);
  EXPECT_EQ(features.narrow, 1);
}

/// Of eight rows one has 9 entries and the others 1: chunks of 72 for 16; when sorted, those of 9 and those of 1 share none.
TEST(Features, Padding)
{
  const Features features = Of(
    80 * 64, [](int row) { return row % 8 == 0 ? 9 : 1; }, Near);
  EXPECT_EQ(features.padded, 72. / 16);
  EXPECT_EQ(features.padded_sorted, 1);
}

/// A row too long for chunks counts without padding.
TEST(Features, LongRows)
{
  const Features features = Of(
    8, [](int row) { return row == 0 ? 5000 : 2; }, Near);
  EXPECT_EQ(features.padded, (5000. + 16) / 5014); // the chunk is filled up
  EXPECT_EQ(features.padded_sorted, (5000. + 16) / 5014);
}

/// Half of the entries are in rows too wide for 16 bits.
TEST(Features, Columns)
{
  const Features features = Of(
    800, [](int) { return 4; }, [](int row, int k) { return row % 2 ? k * 30000 : k * 20000; });
  EXPECT_EQ(features.narrow, 0.5);
}

} // namespace
} // namespace petscspmv::spmv::test
