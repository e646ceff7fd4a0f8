// The transpose in CSR, against one made entry by entry.
#include "kernels/conformance.hpp"
#include "mat/format/transpose.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace petscspmv::test {

namespace {

using Entries = std::vector<std::tuple<int, int, double>>; // row, column, value

Entries EntriesOf(const Csr<double, int> &csr, bool transposed)
{
  Entries entries;
  for (int row = 0; row < csr.rows; ++row) {
    for (int e = csr.row_ptr[row]; e < csr.row_ptr[row + 1]; ++e)
      entries.emplace_back(transposed ? csr.col_idx[e] : row, transposed ? row : csr.col_idx[e], csr.val[e]);
  }
  return entries;
}

/// By row, with the entries of a row in the order of A's rows.
void Check(const Csr<double, int> &csr, const Csr<double, int> &transposed)
{
  Entries expected = EntriesOf(csr, true);
  std::ranges::stable_sort(expected, {}, [](const auto &entry) { return std::get<0>(entry); });
  EXPECT_EQ(transposed.rows, csr.cols);
  EXPECT_EQ(transposed.cols, csr.rows);
  EXPECT_EQ(EntriesOf(transposed, false), expected);
}

TEST(Transpose, HasEachEntryInItsPlace)
{
  for (const TestMatrix &a : AllShapes(64)) {
    SCOPED_TRACE(a.name);
    Arrays<double, int>    arrays(a);
    Transpose<double, int> transpose;
    Check(arrays.csr, transpose.Take(arrays.csr, 1, true));
    for (double &value : arrays.val) value = 3 * value + 1;
    Check(arrays.csr, transpose.Take(arrays.csr, 1, false)); // columns are still there
    const std::size_t with = transpose.Bytes();
    transpose.FreeEntries(true);
    EXPECT_EQ(with - transpose.Bytes(), static_cast<std::size_t>(a.nnz()) * 12);
    Check(arrays.csr, transpose.Take(arrays.csr, 1, true));
  }
}

TEST(Transpose, FollowsThePattern)
{
  Transpose<double, int>    transpose;
  const Arrays<double, int> one(Random(1)), other(Random(2));
  Check(one.csr, transpose.Take(one.csr, 1, true));
  Check(other.csr, transpose.Take(other.csr, 2, true));
}

} // namespace

} // namespace petscspmv::test
