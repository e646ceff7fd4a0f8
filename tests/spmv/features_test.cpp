// The features that the type spmv finds, for patterns small enough to count by hand, and the digests by which it knows patterns.
#include "mat/format/divide.hpp"
#include "mat/tuning/digest.hpp"
#include "mat/tuning/features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
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

/// The parts that rows of these lengths are divided in.
int PartsOf(const std::vector<int> &lengths, int parts)
{
  std::vector<int> row_ptr{0};
  for (const int length : lengths) row_ptr.push_back(row_ptr.back() + length);
  const Csr<double, int> csr{static_cast<int>(lengths.size()), 1, row_ptr.data(), nullptr, nullptr};
  const std::vector<int> first = DivideRows(csr, parts);
  EXPECT_EQ(first.size(), static_cast<std::size_t>(parts) + 1);
  EXPECT_EQ(first.front(), 0);
  EXPECT_EQ(first.back(), csr.rows);
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  return EvenParts(csr, parts);
}

TEST(Parts, AreOfEqualWorkOrOne)
{
  std::vector<int> equal(800, 5), longer(800, 5), one_row(800, 1), few{100, 100}, empty_first(800, 0), none;
  std::fill(longer.begin() + 400, longer.end(), 9);
  one_row[10] = 5000;
  std::fill(empty_first.begin() + 600, empty_first.end(), 4);
  EXPECT_EQ(PartsOf(equal, 8), 8);
  EXPECT_EQ(PartsOf(longer, 8), 8);
  std::fill(longer.begin(), longer.begin() + 400, 1);
  EXPECT_EQ(PartsOf(longer, 8), 1);
  EXPECT_EQ(PartsOf(one_row, 8), 1);
  EXPECT_EQ(PartsOf(few, 8), 1);
  EXPECT_EQ(PartsOf(empty_first, 8), 1); // the first parts would tell nothing
  EXPECT_EQ(PartsOf(none, 8), 8);
  EXPECT_EQ(PartsOf(equal, 1), 1);
}

TEST(Parts, BeginWithBlocksOfRows)
{
  for (const auto &[rows, parts, multiple] : {std::array{80000, 8, 96}, {6144, 8, 96}, {4884, 8, 48}, {800, 4, 24}, {100, 8, 1}}) {
    std::vector<int> row_ptr;
    for (int row = 0; row <= rows; ++row) row_ptr.push_back(3 * row);
    const std::vector<int> first = DivideRows(Csr<double, int>{rows, 1, row_ptr.data(), nullptr, nullptr}, parts);
    for (int part = 1; part < parts; ++part) {
      const double equal = static_cast<double>(rows) / parts, begin = first[static_cast<std::size_t>(part)];
      EXPECT_EQ(first[static_cast<std::size_t>(part)] % multiple, 0);
      EXPECT_NEAR(begin, equal * part, equal / 15 + 1); // a sixteenth, of a part that may have begun as much too early
    }
  }
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
    EXPECT_EQ(features.length, 1);
    EXPECT_EQ(features.padded, 1);
    EXPECT_EQ(features.narrow, 1);
  }
}

TEST(Features, EqualRows)
{
  const Features features = Of(
    8000, [](int) { return 5; }, Near);
  EXPECT_EQ(features.nnz, 40000);
  EXPECT_EQ(features.length, 5);
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

/// A tenth of the rows is examined. Twenty rows of each of eight lengths, sorted: five chunks for two lengths, three of the longer.
/// Rows too long for chunks pad nothing.
TEST(Features, ASampleStandsForAllRows)
{
  for (const int longest : {701, 5000}) {
    const auto     length   = [longest](int row) { return row % 8 == 7 ? longest : 1 + 100 * (row % 8); };
    const Features features = Of(160, length, Near);
    const double   others   = 601 + 501 + 401 + 301 + 201 + 101 + 1;
    const double   stored   = longest == 701 ? 8 * (3 * (701 + 501 + 301 + 101) + 2 * (601 + 401 + 201 + 1))
                                             : 8 * (3 * (601 + 401 + 201) + 2 * (501 + 301 + 101)) + 3 * 8 * 1 + 20 * 5000;
    EXPECT_DOUBLE_EQ(features.padded_sorted, stored / (20 * (others + longest)));
    EXPECT_DOUBLE_EQ(features.length, (others + longest) / 8);
  }
}

/// Empty rows cost nothing: the mean length is that of the others.
TEST(Features, EmptyRows)
{
  const Features features = Of(
    800, [](int row) { return row % 8 == 0 ? 9 : 0; }, Near);
  EXPECT_EQ(features.length, 9);
}

/// Half of the entries are in rows too wide for 16 bits.
TEST(Features, Columns)
{
  const Features features = Of(
    800, [](int) { return 4; }, [](int row, int k) { return row % 2 ? k * 30000 : k * 20000; });
  EXPECT_EQ(features.narrow, 0.5);
}

/// Patterns that differ in a single row pointer or column, and those of few rows that differ in any.
template <class Index>
void ExpectDifferentDigests()
{
  std::vector<std::uint64_t> digests;
  const auto                 add = [&](const std::vector<Index> &row_ptr) {
    const std::vector<Index> col_idx(static_cast<std::size_t>(row_ptr.back()));
    const Index              rows = static_cast<Index>(row_ptr.size()) - 1;
    digests.push_back(PatternDigest(Csr<double, Index>{rows, 1, row_ptr.data(), col_idx.data(), nullptr}, true));
  };
  for (Index a = 0; a <= 3; ++a)
    for (Index b = a; b <= 4; ++b)
      for (Index c = b; c <= 5; ++c) add({0, a, b, c, 5});
  std::vector<Index> diagonal(200), columns(199);
  std::iota(diagonal.begin(), diagonal.end(), Index{0});
  for (std::size_t row = 1; row + 1 < diagonal.size(); ++row) {
    std::vector<Index> moved = diagonal;
    ++moved[row]; // an entry is in the row before
    add(moved);
    columns.assign(columns.size(), Index{2});
    columns[row] = 3;
    digests.push_back(PatternDigest(Csr<double, Index>{199, 4, diagonal.data(), columns.data(), nullptr}, true));
  }
  std::ranges::sort(digests);
  EXPECT_EQ(std::ranges::adjacent_find(digests), digests.end());
}

TEST(Digest, TellsPatternsApart)
{
  ExpectDifferentDigests<std::int32_t>();
  ExpectDifferentDigests<std::int64_t>();
}

/// A column that does not exist is seen wherever it is, the last one of the last row included.
template <class Index>
void ExpectColumnsChecked()
{
  constexpr Index least = std::numeric_limits<Index>::min(), most = std::numeric_limits<Index>::max();
  for (const Index cols : {Index{1}, Index{70}, static_cast<Index>(most - 1), most}) {
    for (std::size_t n = 1; n < 70; ++n) {
      std::vector<Index>       col_idx(n, static_cast<Index>(cols - 1));
      const Index              row_ptr[] = {0, static_cast<Index>(n / 2), static_cast<Index>(n)};
      const Csr<double, Index> csr{2, cols, row_ptr, col_idx.data(), nullptr};
      for (std::size_t at = 0; at < n; at += 2) col_idx[at] = 0;
      ASSERT_TRUE(LookAtPattern(csr, true).inside) << n << " of " << cols;
      for (Index &column : col_idx) {
        const Index kept = column;
        for (const Index wrong : {Index{-1}, least, cols, most}) {
          if (wrong >= 0 && wrong < cols) continue;
          column = wrong;
          ASSERT_FALSE(LookAtPattern(csr, true).inside) << wrong << " of " << cols << " at " << &column - col_idx.data();
          ASSERT_TRUE(LookAtPattern(csr, false).inside); // columns that are not looked at
        }
        column = kept;
      }
    }
  }
}

TEST(Digest, ColumnsThatDoNotExist)
{
  ExpectColumnsChecked<std::int32_t>();
  ExpectColumnsChecked<std::int64_t>();
}

/// Both ways of adding blocks find the same.
TEST(Digest, OnAnyProcessor)
{
  std::vector<std::uint64_t> data(1100);
  std::uint64_t              next = 1;
  for (std::uint64_t &word : data) word = next = next * 6364136223846793005u + 1442695040888963407u;
  for (const std::size_t words : {0, 1, 7, 8, 9, 40, 511, 512, 513, 1100}) {
    for (const std::uint64_t signs : {std::uint64_t{0}, std::uint64_t{1} << 63, std::uint64_t{1} << 31}) {
      const std::size_t bytes = words * sizeof(data[0]) - (words % 3 == 1 ? 4 : 0);
      const Look        here  = LookAt(data.data(), bytes, 77, signs, words),
                 portable     = LookAt(data.data(), bytes, 77, signs, words, 1, true);
      EXPECT_EQ(here.digest, portable.digest) << words;
      EXPECT_EQ(here.inside, portable.inside) << words;
    }
  }
}

/// So do any number of threads, of which the last has the rest; a word that is outside is seen in any part.
TEST(Digest, OnSeveralThreads)
{
  constexpr std::uint64_t    kSign = std::uint64_t{1} << 63;
  std::vector<std::uint64_t> data((std::size_t{5} << 20) + 13);
  std::iota(data.begin(), data.end(), std::uint64_t{1});
  for (const std::size_t wrong : {data.size(), std::size_t{0}, data.size() / 2, data.size() - 1}) {
    std::vector<std::uint64_t> with = data;
    if (wrong < with.size()) with[wrong] |= kSign;
    const std::size_t bytes = with.size() * sizeof(with[0]);
    const Look        one   = LookAt(with.data(), bytes, with.size(), kSign, 3);
    EXPECT_EQ(one.inside, wrong == data.size());
    for (const int threads : {2, 3, 5, 100}) {
      const Look several = LookAt(with.data(), bytes, with.size(), kSign, 3, threads);
      EXPECT_EQ(several.digest, one.digest) << threads;
      EXPECT_EQ(several.inside, one.inside) << threads;
      EXPECT_EQ(LookAt(with.data(), bytes, with.size(), kSign, 3, threads, true).digest, one.digest) << threads;
    }
  }
}

} // namespace
} // namespace petscspmv::spmv::test
