// The shapes of SELL-C-sigma's chunks.
#include "kernels/sellcs_layout.hpp"
#include "mat/tuning/features.hpp"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace petscspmv::test {

namespace {

using sellcs_layout::Build;
using sellcs_layout::Figure;
using sellcs_layout::Layout;
using sellcs_layout::Length;

/// All rows are in chunks: rows outside of them, which depend on the others of a chunk, are summed in another order.
constexpr std::int64_t kNoBound = 1 << 20;

/// The products of two layouts have the same bits, also with an Inf or a NaN in each place of x, which ends where its memory ends.
void ExpectSameBits(const TestMatrix &a, const Layout &one, const Layout &other)
{
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE)), bytes = static_cast<std::size_t>(a.cols) * sizeof(double),
             pages   = std::max(page, (bytes + page - 1) / page * page);
  char *const memory = static_cast<char *>(mmap(nullptr, pages + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_EQ(mprotect(memory + page, pages, PROT_READ | PROT_WRITE), 0);
  const auto          values = RandomVector<double>(static_cast<std::size_t>(a.cols), 1);
  std::vector<double> y(static_cast<std::size_t>(a.rows)), z(y);
  for (const bool at_end : {false, true}) {
    double *const x = reinterpret_cast<double *>(memory + page + (at_end ? pages - bytes : 0));
    std::copy(values.begin(), values.end(), x);
    for (int bad = -1; bad < a.cols; ++bad) {
      if (bad >= 0) x[bad] = bad % 2 ? std::nan("") : std::numeric_limits<double>::infinity();
      Sellcs::Apply<Op::N, false>(one, x, y.data());
      Sellcs::Apply<Op::N, false>(other, x, z.data());
      ASSERT_EQ(std::memcmp(y.data(), z.data(), y.size() * sizeof(double)), 0) << bad;
      Sellcs::Apply<Op::N, true>(one, x, y.data());
      Sellcs::Apply<Op::N, true>(other, x, z.data());
      ASSERT_EQ(std::memcmp(y.data(), z.data(), y.size() * sizeof(double)), 0) << bad << ", added";
      if (bad >= 0) x[bad] = values[static_cast<std::size_t>(bad)];
    }
  }
  munmap(memory, pages + 2 * page);
}

/// On grids most chunks have runs, whose entries are where their steps say, in the order of their rows.
TEST(Sellcs, RunsOnGrids)
{
  for (const TestMatrix &a : {Grid("7-point", 21, 6, 5, false), Grid("27-point", 16, 5, 4, true), Grid("line", 203, 1, 1, false),
                              Grid("irregular", 24, 6, 5, true, 1, 37)}) {
    SCOPED_TRACE(a.name);
    const Layout plain = Build(a, {8, 1, 0, kNoBound, 0, kFull, kNoShapes});
    for (const std::int64_t sigma : {kDecide, std::int64_t{1}}) {
      const Layout                      layout = Build(a, {8, sigma, 0, kNoBound, 1, kFull, kShapes});
      const sellcs::Chunks<double, int> chunks(layout);
      EXPECT_EQ(Figure(plain, "run_entries"), 0);
      EXPECT_GT(Figure(layout, "run_entries"), 0.5);
      EXPECT_LE(Figure(layout, "run_entries"), 1);
      EXPECT_EQ(Figure(layout, "sigma"), 1); // sorting would tear grids apart
      EXPECT_LT(Sellcs::Bytes(layout), Sellcs::Bytes(Build(a, {8, 1, 0, kNoBound, 1, kFull, kNoShapes})));
      int with_holes = 0;
      for (int c = 0; c < layout.chunks; ++c) {
        if (!chunks.HasRuns(c)) continue;
        const auto *steps = chunks.Steps(c);
        with_holes += chunks.HasHoles(c);
        for (int lane = 0; lane < 8; ++lane) {
          const int row = 8 * c + lane;
          int       e   = row < a.rows ? a.row_ptr[static_cast<std::size_t>(row)] : a.nnz();
          for (std::int64_t j = 0; j < chunks.Width(c); ++j) {
            const double value = layout.values.full[static_cast<std::size_t>(chunks.chunk_ptr[c] + 8 * j + lane)];
            const int    first = chunks.run_base[c] + steps[j].first;
            ASSERT_TRUE(first >= 0 && first + 8 <= a.cols); // all lanes are loaded
            if (steps[j].lanes >> lane & 1) {
              ASSERT_EQ(a.col_idx[static_cast<std::size_t>(e)], first + lane);
              ASSERT_EQ(a.real[static_cast<std::size_t>(e++)], value);
            } else {
              ASSERT_GE(j, chunks.full[c]);
              ASSERT_EQ(value, 0);
            }
          }
          ASSERT_EQ(e, a.row_ptr[static_cast<std::size_t>(std::min(row + 1, a.rows))]);
        }
      }
      EXPECT_EQ(with_holes > 0, a.name != "line");
      ExpectSameBits(a, layout, plain);
    }
  }
}

/// A user's sigma is taken; rows in another order than the grid's have no runs.
TEST(Sellcs, SortedGridsHaveNoRuns)
{
  const TestMatrix a      = Grid("irregular", 24, 6, 5, true, 1, 3);
  const Layout     sorted = Build(a, {8, 256, 0, kNoBound, 1, kFull, kShapes});
  EXPECT_EQ(Figure(sorted, "sigma"), 256);
  ExpectSameBits(a, sorted, Build(a, {8, 1, 0, kNoBound, 0, kFull, kNoShapes}));
}

/// Blocks of rows with the same columns are side by side in chunks, which store the columns once.
TEST(Sellcs, BlocksOfRows)
{
  for (const auto &[unknowns, block] : {std::pair{2, 2}, {3, 3}, {4, 4}, {6, 3}, {8, 4}}) {
    for (const int odd : {0, 67}) {
      const TestMatrix a      = Grid(std::to_string(unknowns) + " unknowns", 9, 5, 4, true, unknowns, odd);
      const Layout     layout = Build(a, {8, kDecide, 0, kNoBound, 1, kFull, kShapes}),
                   plain      = Build(a, {8, 1, 0, kNoBound, 0, kFull, kNoShapes});
      SCOPED_TRACE(a.name);
      ASSERT_EQ(layout.block, block);
      ASSERT_EQ(layout.height, 8 * block);
      EXPECT_EQ(Figure(layout, "run_entries"), 0);
      EXPECT_GT(Figure(layout, "block_entries"), 0.5);
      EXPECT_EQ(Figure(layout, "block_entries") > 0.9, odd == 0);
      EXPECT_LT(Sellcs::Bytes(layout), Sellcs::Bytes(Build(a, {8, 1, 0, kNoBound, 1, kFull, kNoShapes})));
      const sellcs::Chunks<double, int> chunks(layout);
      std::vector<int>                  seen(static_cast<std::size_t>(a.rows), 0);
      int                               shared = 0;
      for (int c = 0; c < layout.chunks; ++c) {
        const int first = static_cast<int>(c * chunks.height), lanes = static_cast<int>(chunks.ColumnLanes(c));
        shared += chunks.SharesColumns(c);
        for (int lane = 0; lane < chunks.height && first + lane < a.rows; ++lane) {
          const int  row     = chunks.RowOf(first + lane);
          const auto entries = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(row)]);
          ++seen[static_cast<std::size_t>(row)];
          ASSERT_EQ(row, chunks.RowOf(first + lane % lanes) + lane / lanes);
          for (int j = 0; j < Length(a, row); ++j) {
            ASSERT_EQ(chunks.columns.Column(c, chunks.ColumnsBegin(c), lanes * j + lane % lanes),
                      a.col_idx[entries + static_cast<std::size_t>(j)]);
            ASSERT_EQ(layout.values.full[static_cast<std::size_t>(chunks.chunk_ptr[c] + chunks.height * j + lane)],
                      a.real[entries + static_cast<std::size_t>(j)]);
          }
        }
      }
      EXPECT_GT(shared, layout.chunks / 2);
      EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), a.rows);
      ExpectSameBits(a, layout, plain);
      EXPECT_EQ(Build(a, {8, 1, 0, kNoBound, 1, kFull, kShapes}).block,
                1); // a user's sigma is taken
    }
  }
}

/// What is expected to be shared before there is a layout, beside what the layout shares.
TEST(Sellcs, SharingIsForeseen)
{
  std::vector<std::pair<TestMatrix, int>> all{{Grid("7-point", 21, 20, 20, false), 8},
                                              {Grid("line", 403, 1, 1, false), 8},
                                              {Grid("7 rows", 7, 1, 1, false), 1},
                                              {Random(3), 1},
                                              {Grid("3, 6 odd", 30, 8, 8, true, 3, 67), 3}};
  for (const auto &[unknowns, rows] : {std::pair{2, 2}, {3, 3}, {4, 4}, {5, 1}, {6, 3}, {7, 1}, {8, 4}, {10, 1}, {14, 8}})
    all.emplace_back(Grid(std::to_string(unknowns) + " unknowns", 9, 8, 8, true, unknowns), rows);
  for (const auto &[a, rows] : all) {
    SCOPED_TRACE(a.name);
    const Arrays<double, int> arrays(a);
    const sellcs::Sharing     expected = sellcs::SampleSharing(arrays.csr);
    const Layout              layout   = Build(a, {8, kDecide, 0, kNoBound, 1, kFull, kShapes});
    EXPECT_NEAR(expected.share, Figure(layout, "run_entries") + Figure(layout, "block_entries"), 0.2);
    EXPECT_EQ(expected.rows, rows);
  }
}

/// Columns that rows share save work and bytes, short rows and padding cost.
TEST(Sellcs, Forecasts)
{
  const auto forecast = [](const TestMatrix &a) {
    const Arrays<double, int> arrays(a);
    return sellcs::Sellcs::Expect(FeaturesOf(arrays.csr), arrays.csr);
  };
  const Forecast grid = forecast(Grid("7-point", 21, 20, 20, false)), nodes = forecast(Grid("3 unknowns", 9, 8, 8, true, 3)),
                 five = forecast(Grid("5 unknowns", 9, 8, 8, true, 5)), line = forecast(Grid("line", 403, 1, 1, false));
  EXPECT_LT(grid.work, 0.7);
  EXPECT_LT(nodes.work, 0.7);
  EXPECT_GT(five.work, nodes.work);
  EXPECT_GT(line.work, grid.work);
  EXPECT_LT(grid.bytes, 9.5);
  EXPECT_LT(nodes.bytes, five.bytes);
  for (const int rows : {0, 5}) {
    TestMatrix nothing;
    nothing.rows = nothing.cols = rows;
    nothing.row_ptr.resize(static_cast<std::size_t>(rows) + 1);
    const Forecast none = forecast(nothing);
    EXPECT_TRUE(std::isfinite(none.work) && std::isfinite(none.bytes));
  }
}

/// The format expects the work that its features say: rows of 8, as many as are measured, padded by a half and not sorted.
TEST(Sellcs, ForecastOfFeatures)
{
  const Csr<double, int> nothing{};
  const Forecast         equal = sellcs::Sellcs::Expect({.length = kMeasuredRow}, nothing),
                 padded        = sellcs::Sellcs::Expect({.length = kMeasuredRow, .padded = 1.5, .padded_sorted = 1.5}, nothing),
                 sorted        = sellcs::Sellcs::Expect({.length = kMeasuredRow, .padded = 1.5}, nothing),
                 small = sellcs::Sellcs::Expect({.length = 2}, nothing), large = sellcs::Sellcs::Expect({.length = 100}, nothing);
  EXPECT_DOUBLE_EQ(equal.work, 1);
  EXPECT_GT(padded.work, 1.3);
  EXPECT_DOUBLE_EQ(padded.bytes, 1.5 * equal.bytes);
  EXPECT_LT(sorted.work, 1.05);
  EXPECT_GT(small.work, 1.4);
  EXPECT_LT(large.work, 0.9);
}

/// Matrices with fewer blocks than a chunk would hold have none.
TEST(Sellcs, FewBlocksOfRows)
{
  for (const int nodes : {7, 8}) {
    const TestMatrix a = Grid("line", nodes, 1, 1, true, 3);
    EXPECT_EQ(Build(a, {kDecide, kDecide, 0, kDecide, 1, 0, kShapes}).block, nodes == 8 ? 3 : 1);
  }
}

/// Five and seven rows with the same columns hold pairs, but no chunk has these in all lanes: the layout is the one without shapes.
TEST(Sellcs, RowsThatBlocksDoNotFit)
{
  for (const int unknowns : {5, 7}) {
    const TestMatrix a      = Grid(std::to_string(unknowns) + " unknowns", 9, 5, 4, true, unknowns);
    const Layout     layout = Build(a, {8, kDecide, 0, kNoBound, 1, kFull, kShapes}),
                 plain      = Build(a, {8, kDecide, 0, kNoBound, 1, kFull, kNoShapes});
    EXPECT_EQ(layout.block, 1);
    EXPECT_EQ(layout.height, 8);
    EXPECT_EQ(Figure(layout, "block_entries"), 0);
    EXPECT_EQ(Sellcs::Bytes(layout), Sellcs::Bytes(plain));
    ExpectSameBits(a, layout, plain);
  }
}

/// The product with several vectors.
std::vector<double> ProductOfMany(const Layout &layout, const std::vector<double> &x, std::int64_t count)
{
  const OwnExec<HostExec> exec(sellcs::Sellcs::ManyWorkspaceBytes(layout));
  std::vector<double>     y(static_cast<std::size_t>(layout.rows * count));
  sellcs::Sellcs::ApplyMany<false>(*exec, layout, {x.data(), layout.cols, count}, {y.data(), layout.rows, count});
  return y;
}

/// Blocks share columns also where these are too far apart for offsets, and have values of all kinds, also new ones.
TEST(Sellcs, BlocksOfRowsOfAllKinds)
{
  constexpr std::int64_t kVectors = 5, kRounded = static_cast<std::int64_t>(ValueStorage::Single);
  const char *const      kFigures[]  = {"", "one_value_chunks", "few_values_chunks", "single_chunks"};
  const auto             with_values = [](TestMatrix a, std::size_t kind) {
    for (std::size_t e = 0; e < a.real.size(); ++e) {
      if (kind == 1 && e > a.real.size() / 2) a.real[e] = 3;
      if (kind == 2) a.real[e] = 1.1 + static_cast<double>(e % 7);
      if (kind == 3) a.real[e] = static_cast<float>(a.real[e]);
    }
    return a;
  };
  TestExecution().own_cache = 0; // as if the matrices were larger than the caches
  for (const int unknowns : {2, 3, 4}) {
    TestMatrix a = Grid("unknowns", 9, 5, 4, true, unknowns);
    for (const bool far : {false, true}) {
      for (int &column : a.col_idx) column *= far && column % unknowns == unknowns - 1 ? 400 : 1;
      a.cols       = far ? a.rows * 400 : a.rows;
      const auto x = RandomVector<double>(static_cast<std::size_t>(a.cols * kVectors), 1);
      for (std::size_t kind = 0; kind < std::size(kFigures); ++kind) {
        for (const std::int64_t storage : {std::int64_t{0}, kRounded}) {
          Layout layout = Build(with_values(a, kind), {8, kDecide, 0, kNoBound, 1, storage, kShapes});
          EXPECT_EQ(layout.block, unknowns);
          EXPECT_GT(Figure(layout, "block_entries"), 0.9);
          EXPECT_EQ(layout.columns.offset_blocks == 0, far);
          EXPECT_TRUE(kind == 0 || storage != 0 || Figure(layout, kFigures[kind]) > 0);
          for (const std::size_t now : {kind, (kind + 1) % std::size(kFigures)}) {
            const TestMatrix          b = with_values(a, now);
            const Arrays<double, int> arrays(b);
            if (now != kind) Sellcs::Refresh(arrays.csr, layout);
            const Layout plain   = Build(b, {8, 1, 0, kNoBound, 0, storage == 0 ? kFull : kRounded, kNoShapes});
            const auto   of_many = ProductOfMany(layout, x, kVectors);
            EXPECT_EQ(of_many, ProductOfMany(plain, x, kVectors));
            for (std::int64_t k = 0; k < kVectors; ++k) {
              std::vector<double> y(static_cast<std::size_t>(a.rows));
              Sellcs::Apply<Op::N, false>(layout, x.data() + k * a.cols, y.data());
              EXPECT_TRUE(std::equal(y.begin(), y.end(), of_many.begin() + k * a.rows)) << kind << " to " << now;
            }
          }
        }
      }
    }
  }
  TestExecution().own_cache = Execution().own_cache;
}

/// Chunks of the same steps share them, and a layout without runs is as it is without looking for them.
TEST(Sellcs, RunsTakeNoMoreMemory)
{
  const TestMatrix grid = Grid("grid", 40, 40, 10, false);
  const Layout     runs = Build(grid, {8, kDecide, 0, kNoBound, 1, kFull, kShapes});
  EXPECT_LT(runs.runs.steps.size(), static_cast<std::size_t>(grid.nnz()) / 100);
  for (std::uint64_t seed = 1; seed < 80; ++seed) {
    const TestMatrix a    = Random(seed);
    const Layout     with = Build(a, {8, kDecide, 0, kNoBound, 1, kFull, kShapes}),
                 without  = Build(a, {8, kDecide, 0, kNoBound, 1, kFull, kNoShapes});
    ExpectSameBits(a, with, without);
    EXPECT_TRUE(with.column_ptr.size() > 0 || Sellcs::Bytes(with) == Sellcs::Bytes(without)) << a.name;
  }
}

} // namespace

} // namespace petscspmv::test
