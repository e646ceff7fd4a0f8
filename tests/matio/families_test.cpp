// Generated matrices match their names.
#include "matio/families.hpp"
#include "matio/twins.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

namespace petscspmv::matio {
namespace {

struct Generated {
  std::int64_t                           rows, cols;
  std::vector<std::vector<std::int64_t>> row;

  explicit Generated(const std::string &name)
  {
    const RowSource source = MakeFamily(name);
    rows                   = source.rows;
    cols                   = source.cols;
    row.resize(static_cast<std::size_t>(rows));
    for (std::int64_t r = 0; r < rows; ++r) source.columns(r, row[static_cast<std::size_t>(r)]);
  }

  std::int64_t Nonzeros() const
  {
    std::int64_t sum = 0;
    for (const auto &r : row) sum += static_cast<std::int64_t>(r.size());
    return sum;
  }
  std::size_t Longest() const
  {
    return std::max_element(row.begin(), row.end(), [](const auto &a, const auto &b) { return a.size() < b.size(); })->size();
  }
};

TEST(Families, ColumnsAscendAndAreThere)
{
  for (const char *name : {"stencil5:7",
                           "stencil7:4",
                           "stencil27:4",
                           "stencil5:1",
                           "ball:1",
                           "ball:2",
                           "ball:9",
                           "elasticity:3",
                           "flow:3",
                           "banded:50,3",
                           "banded:3,3",
                           "random:300,9,constant",
                           "random:300,9,uniform",
                           "random:300,9,exponential",
                           "random:300,9,power",
                           "random:5,0,constant",
                           "rmat:8,8",
                           "dense-row:50",
                           "dense-row:1",
                           "dense-column:50",
                           "dense-column:2",
                           "blocks:20,3,4",
                           "blocks:5,2,5",
                           "twin:epidemiology",
                           "twin:lp"}) {
    SCOPED_TRACE(name);
    const Generated a(name);
    for (const auto &row : a.row) {
      ASSERT_TRUE(std::adjacent_find(row.begin(), row.end(), std::greater_equal<>()) == row.end());
      if (!row.empty()) {
        ASSERT_GE(row.front(), 0);
        ASSERT_LT(row.back(), a.cols);
      }
    }
  }
}

TEST(Families, Sizes)
{
  EXPECT_EQ(Generated("stencil5:7").Nonzeros(), 5 * 49 - 4 * 7);
  EXPECT_EQ(Generated("stencil7:4").Nonzeros(), 7 * 64 - 6 * 16);
  EXPECT_EQ(Generated("stencil27:4").Nonzeros(), 10 * 10 * 10); // (3n - 2)^3
  EXPECT_EQ(Generated("stencil27:4").Longest(), 27u);
  EXPECT_EQ(Generated("banded:50,3").Nonzeros(), 7 * 50 - 2 * (3 + 2 + 1));
  EXPECT_EQ(Generated("random:300,9,constant").Nonzeros(), 2700);
  EXPECT_EQ(Generated("dense-row:50").Nonzeros(), 3 * 50 - 2 - 3 + 50);
  EXPECT_EQ(Generated("dense-row:50").row[25].size(), 50u);
  EXPECT_EQ(Generated("dense-column:50").Nonzeros(), 3 * 50 - 2 - 3 + 50);
  EXPECT_EQ(Generated("blocks:20,3,4").Nonzeros(), 20 * 3 * 4 * 3);
}

/// Entries by row and column.
std::map<std::pair<std::int64_t, std::int64_t>, double> EntriesOf(const std::string &name)
{
  std::map<std::pair<std::int64_t, std::int64_t>, double> entries;
  const RowSource                                         source = MakeFamily(name);
  const auto                                              rows   = Generate<double, std::int64_t>(source, 0, source.rows);
  for (std::size_t row = 0; row < static_cast<std::size_t>(source.rows); ++row) {
    for (auto k = static_cast<std::size_t>(rows.row_ptr[row]); k < static_cast<std::size_t>(rows.row_ptr[row + 1]); ++k)
      entries[{row, rows.col_idx[k]}] = rows.val[k];
  }
  return entries;
}

/// Values of the upper triangle that are there more than once.
std::size_t Repeated(const std::map<std::pair<std::int64_t, std::int64_t>, double> &entries)
{
  std::set<double> seen;
  std::size_t      repeated = 0;
  for (const auto &[at, value] : entries) {
    if (at.first <= at.second) repeated += !seen.insert(value).second;
  }
  return repeated;
}

TEST(Families, ElasticityHoldsOneSideAndMovesFreely)
{
  constexpr std::int64_t n       = 4;
  const auto             entries = EntriesOf("elasticity:4");
  EXPECT_EQ(entries.size(), 9u * 10 * 10 * 10); // (3n - 2)^3 pairs of nodes
  std::vector<double> moved(3 * n * n * n);
  for (const auto &[at, value] : entries) {
    const auto [row, col] = at;
    EXPECT_EQ(value, entries.at({col, row}));
    if (row == col) {
      EXPECT_GT(value, 0);
    }
    if (row % 3 == col % 3) moved[static_cast<std::size_t>(row)] += value;
  }
  for (std::size_t row = 0; row < moved.size(); ++row) {
    if (row / 3 % n > 0) {
      EXPECT_NEAR(moved[row], 0, 1e-14);
    } else {
      EXPECT_GT(moved[row], 0.01); // beside the clamped side
    }
  }
  EXPECT_LT(Repeated(entries), entries.size() / 4); // half of the triangle
}

TEST(Families, FlowIsASaddlePoint)
{
  const auto entries = EntriesOf("flow:4");
  EXPECT_EQ(entries.size(), 16u * 10 * 10 * 10);
  for (const auto &[at, value] : entries) {
    const bool   of_row = at.first % 4 == 3, of_col = at.second % 4 == 3; // pressures
    const double other = entries.at({at.second, at.first});
    if (at.first == at.second) {
      EXPECT_GT(value, 0);
    } else if (of_row && of_col) {
      EXPECT_EQ(value, other);
    } else if (of_row || of_col) {
      EXPECT_EQ(value, -other);
    } else {
      EXPECT_NE(value, other);
    }
  }
  EXPECT_LT(Repeated(entries), entries.size() / 4); // half of the triangle
}

TEST(Families, BallsAreConnectedAndRound)
{
  const Generated ball("ball:20");
  EXPECT_NEAR(static_cast<double>(ball.rows), 4. / 3 * 3.14159 * 1000, 50);
  std::set<std::pair<std::int64_t, std::int64_t>> pattern;
  for (std::int64_t row = 0; row < ball.rows; ++row) {
    for (const std::int64_t col : ball.row[static_cast<std::size_t>(row)]) pattern.emplace(row, col);
  }
  for (const auto &[row, col] : pattern) EXPECT_TRUE(pattern.contains({col, row}));
  EXPECT_EQ(ball.Longest(), 7u);
  EXPECT_EQ(Generated("ball:3").rows, 19); // a cube without its eight corners
}

TEST(Families, DiffusionIsSymmetricAndDominant)
{
  const auto                     entries = EntriesOf("stencil7:6=diffusion");
  std::map<std::int64_t, double> sums;
  for (const auto &[at, value] : entries) {
    EXPECT_EQ(value, entries.at({at.second, at.first}));
    if (at.first != at.second) {
      EXPECT_LE(value, -0.5);
      EXPECT_GT(value, -1.5);
    }
    sums[at.first] += value;
  }
  for (const auto &[row, sum] : sums) EXPECT_NEAR(sum / entries.at({row, row}), 0.001, 1e-5);
  EXPECT_EQ(Repeated(entries), 0u);
}

/// The means of many random lengths are near those of their distributions: 10 standard deviations of the exponential one.
TEST(Families, LawsHaveTheirMeans)
{
  for (const char *law : {"uniform", "exponential"}) {
    const auto nonzeros = static_cast<double>(Generated(std::string("random:20000,50,") + law).Nonzeros());
    EXPECT_NEAR(nonzeros / 20000, 50, 10 * 50 / std::sqrt(20000.0)) << law;
  }
  const Generated power("random:20000,50,power");
  EXPECT_GT(power.Longest(), 1000u);
  EXPECT_GE(
    std::min_element(power.row.begin(), power.row.end(), [](const auto &a, const auto &b) { return a.size() < b.size(); })->size(),
    17u); // mean / 3
  const Generated rmat("rmat:12,8");
  EXPECT_LE(rmat.Nonzeros(), 8 * 4096);
  EXPECT_GT(rmat.Nonzeros(), 6 * 4096); // some edges are drawn twice
  EXPECT_GT(rmat.Longest(), 100u);
}

TEST(Families, TwinsHaveTheirRows)
{
  for (const Twin &twin : Twins()) {
    SCOPED_TRACE(twin.name);
    const auto length = TwinRowLengths(twin);
    ASSERT_EQ(static_cast<std::int64_t>(length.size()), twin.rows);
    EXPECT_EQ(std::accumulate(length.begin(), length.end(), std::int64_t{0}), twin.nonzeros);
    EXPECT_EQ(*std::min_element(length.begin(), length.end()), twin.row_min);
    EXPECT_EQ(*std::max_element(length.begin(), length.end()), twin.row_max);
  }
}

TEST(Families, ValuesFollowTheirRule)
{
  const auto values = [](const char *name) {
    const RowSource source = MakeFamily(name);
    return Generate<double, int>(source, 0, source.rows);
  };
  for (double v : values("rmat:6,4=ones").val) EXPECT_EQ(v, 1);
  for (double v : values("banded:100,3=integers").val) EXPECT_TRUE(v == std::round(v) && v >= -8 && v <= 7) << v;
  const auto laplacian = values("stencil7:3=laplacian");
  for (std::size_t row = 0; row + 1 < laplacian.row_ptr.size(); ++row) {
    const auto begin = laplacian.val.begin() + laplacian.row_ptr[row], end = laplacian.val.begin() + laplacian.row_ptr[row + 1];
    EXPECT_EQ(std::accumulate(begin, end, 0.0), 0);
    EXPECT_EQ(*std::max_element(begin, end), static_cast<double>(end - begin) - 1);
  }
  EXPECT_EQ(values("banded:100,3").val, values("banded:100,3=random").val);
  const auto random = values("banded:100,3").val;
  EXPECT_TRUE(std::all_of(random.begin(), random.end(), [](double v) { return v >= -1 && v < 1; }));
  EXPECT_NE(static_cast<double>(static_cast<float>(random[7])), random[7]);
}

TEST(Families, CountsBySample)
{
  EXPECT_EQ(CountFamily("stencil5:3"), 33);
  EXPECT_EQ(CountFamily("twin:dc2=ones"), 766000);
  EXPECT_NEAR(CountFamily("dense-row:300000"), 3 * 300000, 1000); // the dense row is none of the sample
  for (const char *name : {"stencil27:20", "random:20000,12,power", "rmat:13,12", "blocks:1000,3,4"}) {
    const auto nonzeros = static_cast<double>(Generate<double, int>(MakeFamily(name), 0, MakeFamily(name).rows).val.size());
    EXPECT_NEAR(CountFamily(name) / nonzeros, 1, 0.3) << name;
  }
  EXPECT_THROW(CountFamily("stencil7:0"), FamilyError);
}

TEST(Families, WrongNamesAreRefused)
{
  for (const char *name : {"stencil7", "stencil7:", "stencil7:0", "stencil7:x", "stencil7:3,4", "stencil7:99999999999999999999",
                           "stencil7:3.5", "random:10,3,normal", "random:10,30,constant", "banded:10", "rmat:31,8", "blocks:3,2,4",
                           "twin:nobody", "nothing:3", "", "stencil7:3=", "stencil7:3=two", "stencil7=ones", "=ones"}) {
    EXPECT_THROW(MakeFamily(name), FamilyError) << name;
  }
  EXPECT_TRUE(NamesFamily("stencil7"));
  EXPECT_FALSE(NamesFamily("stencil7.mtx"));
}

} // namespace
} // namespace petscspmv::matio
