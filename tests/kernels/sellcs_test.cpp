#include "kernels/sellcs_layout.hpp"
#include "mat/impls/sellcs/spmv_device.hpp"
#include "support/emulated_device.hpp"
#include "support/execution.hpp"

#include <functional>

namespace petscspmv::test {

namespace {

using sellcs_layout::Build;
using sellcs_layout::Figure;
using sellcs_layout::Layout;
using sellcs_layout::Length;

/// Every entry is where section 3.3 says; padding, sorting and lengths are recomputed from the definition.
TEST(SellcsPaper, AllEntriesAreWhereTheDefinitionSays)
{
  for (std::uint64_t seed = 1; seed < 80; ++seed) {
    const TestMatrix a =
      seed % 8 ? Random(seed)
               : FromRowLengths("long rows", 50, 900, [&](int i) { return 400 + (i * 37 + static_cast<int>(seed)) % 400; });
    const int    chunk = 1 + static_cast<int>(seed % 9), sigma = 1 + static_cast<int>(seed * 7 % 40), most = seed % 3 ? 1000 : 10;
    const bool   trimmed = seed % 2;
    const Layout layout  = Build(a, {chunk, sigma, trimmed, most, 0, kFull, kNoShapes});
    SCOPED_TRACE(a.name);
    std::vector<int> order(static_cast<std::size_t>(a.rows));
    for (int row = 0; row < a.rows; ++row) order[static_cast<std::size_t>(row)] = row;
    for (int begin = 0; begin < a.rows; begin += sigma)
      std::stable_sort(order.begin() + begin, order.begin() + std::min(begin + sigma, a.rows),
                       [&](int r, int s) { return Length(a, r) > Length(a, s); });
    const int height = std::max(1, std::min(chunk, a.rows));
    ASSERT_EQ(layout.chunks, (a.rows + height - 1) / height);
    std::int64_t at = 0;
    for (int c = 0; c < layout.chunks; ++c) {
      std::vector<int> lengths(static_cast<std::size_t>(height), 0);
      for (int lane = 0; lane < height && c * height + lane < a.rows; ++lane) {
        const int length = Length(a, order[static_cast<std::size_t>(c * height + lane)]);
        if (length <= most) lengths[static_cast<std::size_t>(lane)] = length;
      }
      const int longest  = *std::max_element(lengths.begin(), lengths.end()),
                shortest = *std::min_element(lengths.begin(), lengths.end()), columns = trimmed ? shortest : longest;
      ASSERT_EQ(layout.chunk_ptr[static_cast<std::size_t>(c)], at) << "chunk " << c;
      ASSERT_EQ(layout.full[static_cast<std::size_t>(c)], shortest);
      for (int j = 0; j < columns; ++j) {
        for (int lane = 0; lane < height; ++lane, ++at) {
          const bool padding = j >= lengths[static_cast<std::size_t>(lane)];
          const int  entry =
            padding ? 0 : a.row_ptr[static_cast<std::size_t>(order[static_cast<std::size_t>(c * height + lane)])] + j;
          ASSERT_EQ(layout.values.full[static_cast<std::size_t>(at)], padding ? 0 : a.real[static_cast<std::size_t>(entry)]);
          const int column = layout.columns.plain[static_cast<std::size_t>(at)];
          ASSERT_TRUE(padding ? column >= 0 && column < a.cols : column == a.col_idx[static_cast<std::size_t>(entry)]);
        }
      }
      for (int lane = 0; lane < height; ++lane) { // TSELL: the rest row by row
        for (int j = columns; j < lengths[static_cast<std::size_t>(lane)]; ++j, ++at)
          ASSERT_EQ(layout.values.full[static_cast<std::size_t>(at)],
                    a.real[static_cast<std::size_t>(
                      a.row_ptr[static_cast<std::size_t>(order[static_cast<std::size_t>(c * height + lane)])] + j)]);
      }
    }
    ASSERT_EQ(layout.values.full.size(), static_cast<std::size_t>(at));
    int long_rows = 0, long_entries = 0;
    for (int row = 0; row < a.rows; ++row) {
      if (Length(a, row) <= most) continue;
      ++long_rows;
      long_entries += Length(a, row);
    }
    ASSERT_EQ(Figure(layout, "long_rows"), long_rows);
    ASSERT_EQ(Figure(layout, "long_row_entries"), long_entries);
    ASSERT_TRUE(!trimmed || layout.StoredEntries() == a.nnz()); // section 3.5: "There is no zero-padding"
  }
}

/// "SELL-1-1 is equivalent to CRS" and "SELL-N-1 is identical to ELLPACK" (section 3.3).
TEST(SellcsPaper, LimitsAreCrsAndEllpack)
{
  const TestMatrix a   = FromRowLengths("limits", 37, 40, [](int i) { return i % 6; });
  const Layout     crs = Build(a, {1, 1, 0, kDecide, 0, kFull, kNoShapes});
  ASSERT_EQ(crs.values.full.size(), static_cast<std::size_t>(a.nnz()));
  for (int e = 0; e < a.nnz(); ++e) {
    EXPECT_EQ(crs.values.full[static_cast<std::size_t>(e)], a.real[static_cast<std::size_t>(e)]);
    EXPECT_EQ(crs.columns.plain[static_cast<std::size_t>(e)], a.col_idx[static_cast<std::size_t>(e)]);
  }
  for (int row = 0; row <= a.rows; ++row)
    EXPECT_EQ(crs.chunk_ptr[static_cast<std::size_t>(row)], a.row_ptr[static_cast<std::size_t>(row)]);

  const Layout ellpack = Build(a, {37, 1, 0, kDecide, 0, kFull, kNoShapes});
  EXPECT_EQ(ellpack.chunks, 1);
  ASSERT_EQ(ellpack.values.full.size(), 37u * 5u);
  for (int row = 0; row < 37; ++row) {
    for (int j = 0; j < 5; ++j)
      EXPECT_EQ(ellpack.values.full[static_cast<std::size_t>(j * 37 + row)],
                j < Length(a, row) ? a.real[static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(row)] + j)] : 0);
  }
}

/// The example of the README page: entries are named after their rows.
TEST(Sellcs, ExampleOfThePage)
{
  const std::vector<int> lengths{4, 1, 0, 3, 2, 4, 1, 2};
  TestMatrix             a = FromRowLengths("page", 8, 8, [&](int i) { return lengths[static_cast<std::size_t>(i)]; });
  for (int row = 0; row < 8; ++row)
    std::fill(a.real.begin() + a.row_ptr[static_cast<std::size_t>(row)],
              a.real.begin() + a.row_ptr[static_cast<std::size_t>(row) + 1], row + 1.0);
  const auto rows = [](const Layout &layout) { // 1 for row 0; 0 for padding
    return std::vector<double>(layout.values.full.data(), layout.values.full.data() + layout.values.full.size());
  };
  const auto all = []<class T>(const Array<T> &array) {
    return std::vector<std::int64_t>(array.data(), array.data() + array.size());
  };
  using Numbers = std::vector<std::int64_t>;

  const Layout unsorted = Build(a, {4, 1, 0, kDecide, 0, kFull, kNoShapes});
  EXPECT_EQ(rows(unsorted),
            (std::vector<double>{1, 2, 0, 4, 1, 0, 0, 4, 1, 0, 0, 4, 1, 0, 0, 0, 5, 6, 7, 8, 5, 6, 0, 8, 0, 6, 0, 0, 0, 6, 0, 0}));
  EXPECT_EQ(all(unsorted.chunk_ptr), (Numbers{0, 16, 32}));
  EXPECT_EQ(all(unsorted.full), (Numbers{0, 1}));
  EXPECT_EQ(unsorted.perm.size(), 0u);
  EXPECT_DOUBLE_EQ(Figure(unsorted, "beta"), 17.0 / 32);

  const Layout sorted = Build(a, {4, 8, 0, kDecide, 0, kFull, kNoShapes});
  EXPECT_EQ(rows(sorted), (std::vector<double>{1, 6, 4, 5, 1, 6, 4, 5, 1, 6, 4, 0, 1, 6, 0, 0, 8, 2, 7, 0, 8, 0, 0, 0}));
  EXPECT_EQ(all(sorted.row_len), (Numbers{4, 4, 3, 2, 2, 1, 1, 0}));
  EXPECT_EQ(all(sorted.perm), (Numbers{0, 5, 3, 4, 7, 1, 6, 2}));
  EXPECT_EQ(all(sorted.full), (Numbers{2, 0}));
  EXPECT_DOUBLE_EQ(Figure(sorted, "beta"), 17.0 / 24);

  const Layout trimmed = Build(a, {4, 8, 1, kDecide, 0, kFull, kNoShapes});
  EXPECT_EQ(rows(trimmed), (std::vector<double>{1, 6, 4, 5, 1, 6, 4, 5, 1, 1, 6, 6, 4, 8, 8, 2, 7}));
  EXPECT_EQ(all(trimmed.chunk_ptr), (Numbers{0, 13, 17}));
}

/// The worst case of section 3.4: one full row in every chunk, single nonzeros beside it.
TestMatrix WorstCase(int n, int chunk)
{
  return FromRowLengths("worst case", n, n, [=](int i) { return i % chunk ? 1 : n; });
}

/// beta = (N + C - 1) / (C N) by eq. 3.6, and sigma = C^2 "results in a perfect beta = 1".
TEST(SellcsPaper, WorstCaseOccupancy)
{
  for (const int chunk : {4, 8, 16}) {
    const int        n = 2 * chunk * chunk;
    const TestMatrix a = WorstCase(n, chunk);
    EXPECT_DOUBLE_EQ(Figure(Build(a, {chunk, 1, 0, n, 0, kFull, kNoShapes}), "beta"), (n + chunk - 1.0) / (chunk * n));
    EXPECT_DOUBLE_EQ(Figure(Build(a, {chunk, chunk * chunk, 0, n, 0, kFull, kNoShapes}), "beta"), 1.0);
    EXPECT_DOUBLE_EQ(Figure(Build(a, {chunk, 1, 1, kDecide, 0, kFull, kNoShapes}), "beta"), 1.0); // trimmed
    EXPECT_GT(Figure(Build(a, {chunk, 1, 0, kDecide, 0, kFull, kNoShapes}), "beta"), 0.5); // without a user's bound: no blow-up
    EXPECT_DOUBLE_EQ(Figure(Build(a, {chunk, kDecide, 0, n, 0, kFull, kNoShapes}), "beta"), 1.0);
  }
}

/// One huge row must not blow up the memory, whether sigma and the bound are automatic or rows are not sorted at all.
TEST(Sellcs, AHugeRowIsStoredByItself)
{
  const TestMatrix a = FromRowLengths("huge row", 20000, 20000, [](int i) { return i == 77 ? 20000 : 3; });
  for (const std::int64_t chunk : {8, 32, 20000}) {
    const Layout layout = Build(a, {chunk, 1, 0, kDecide, 0, kFull, kNoShapes});
    EXPECT_EQ(Figure(layout, "long_rows"), 1);
    EXPECT_EQ(Figure(layout, "long_row_entries"), 20000);
    EXPECT_LT(static_cast<double>(layout.StoredEntries()), 1.01 * a.nnz());
    const Arrays<double, int> arrays(a);
    const auto                x = RandomVector<double>(20000, 1);
    std::vector<double>       y(20000);
    Sellcs::Apply<Op::N, false>(layout, x.data(), y.data()); // several pieces
    EXPECT_TRUE(Reference<double>(arrays.csr, Op::N, x, nullptr)[77].Matches(y[77])) << y[77];
  }
}

/// The entries that a product processes, from the layout: all entries of chunks, and twice those that are not in columns.
double Work(const Layout &layout)
{
  double entries = 2 * Figure(layout, "long_row_entries");
  for (int c = 0; c < layout.chunks; ++c) {
    const double stored  = static_cast<double>(layout.chunk_ptr[static_cast<std::size_t>(c) + 1] -
                                              layout.chunk_ptr[static_cast<std::size_t>(c)]),
                 columns = static_cast<double>(layout.full[static_cast<std::size_t>(c)]) * static_cast<double>(layout.height);
    entries += layout.trimmed ? 2 * stored - columns : stored;
  }
  return entries;
}

/// The smallest of 1, 32 C and 512 C that processes at most 1 / 0.97 of what fully sorted rows need.
TEST(Sellcs, AutomaticSigmaIsTheSmallestThatIsEnough)
{
  const auto sigma = [](const std::function<int(int)> &lengths, int trimmed = 0) {
    return Figure(Build(FromRowLengths("rows", 5000, 5000, lengths), {8, kDecide, trimmed, kDecide, 0, kFull, kNoShapes}), "sigma");
  };
  EXPECT_EQ(sigma([](int) { return 9; }), 1);
  EXPECT_EQ(sigma([](int i) { return 6 + i % 2 * 4; }), 256);
  EXPECT_EQ(sigma([](int i) { return i < 2000 ? 3 : 10; }), 1);
  EXPECT_EQ(sigma([](int i) { return i == 70 ? 4000 : 3; }), 1); // stored separately, however the others are sorted
  EXPECT_EQ(sigma([](int i) { return i % 8 ? 5 : 200; }), 256);  // not by moving most nonzeros out of the chunks
  EXPECT_EQ(sigma([](int i) { return i % 100 ? 7 : 500; }), 4096);
  EXPECT_EQ(sigma([](int i) { return i % 8 ? 5 : 200; }, 1), 256);
  for (std::uint64_t seed = 1; seed < 80; ++seed) {
    const TestMatrix a       = Random(seed);
    const int        trimmed = seed % 2;
    const Layout     chosen  = Build(a, {4, kDecide, trimmed, kDecide, 0, kFull, kNoShapes});
    const double     most    = Work(Build(a, {4, 1 << 30, trimmed, kDecide, 0, kFull, kNoShapes})) / 0.97;
    ASSERT_LT(a.rows, 2 * 8 * 32 * 4); // so all rows are looked at
    EXPECT_LE(Work(chosen), most) << a.name;
    for (const std::int64_t smaller : {1, 32 * 4}) {
      if (smaller >= chosen.sigma) continue;
      EXPECT_GT(Work(Build(a, {4, smaller, trimmed, kDecide, 0, kFull, kNoShapes})), most) << a.name;
    }
  }
}

/// With many rows a sample decides: for rows in no order, in a repeating order as on grids, and if few rows have all nonzeros.
TEST(Sellcs, AutomaticSigmaOfManyRowsIsAboutTheSmallest)
{
  constexpr int                 n         = 1 << 17;
  const std::function<int(int)> lengths[] = {
    [](int i) { return 1 + static_cast<int>((static_cast<unsigned>(i) * 2654435761u >> 13) % 20); },
    [](int i) { return i % 512 < 8 ? 60 : 4 + i % 2; }, [](int i) { return i / 256 % 128 < 8 ? 1 + i % 2 * 59 : 5; },
    [](int i) { return i < n - n / 100 ? 0 : 1 + i % 9; }};
  for (const auto &length : lengths) {
    const TestMatrix a      = FromRowLengths("many rows", n, n, length);
    const Layout     chosen = Build(a, {8, kDecide, 0, kDecide, 0, kFull, kNoShapes});
    const double     most   = Work(Build(a, {8, n, 0, kDecide, 0, kFull, kNoShapes})) / 0.97;
    EXPECT_GT(chosen.sigma, 1);
    EXPECT_LE(Work(chosen), 1.05 * most);
    EXPECT_GT(Work(Build(a, {8, chosen.sigma == 256 ? 1 : 256, 0, kDecide, 0, kFull, kNoShapes})), 0.95 * most);
  }
}

/// Columns equal those of the layout without offsets; offsets are used in chunks where 16 bits suffice and in no others.
TEST(Sellcs, OffsetsWhereColumnsAreNear)
{
  for (const int reach : {60, 70000, 1000000}) {
    for (const auto &[height, sigma, trimmed] : {std::array{8, 1, 0}, {8, 64, 0}, {5, 64, 0}, {32, 1, 0}, {8, 64, 1}, {5, 1, 1}}) {
      const TestMatrix a     = NearAndFar(3000, reach, 80);
      const Layout     plain = Build(a, {height, sigma, trimmed, kDecide, 0, kFull, kNoShapes}),
                   layout    = Build(a, {height, sigma, trimmed, kDecide, 1, kFull, kNoShapes});
      ASSERT_EQ(Figure(plain, "offset_chunks"), 0);
      const sellcs::Chunks<double, int> chunks(layout);
      std::int64_t                      near = 0, near_entries = 0;
      for (int c = 0; c < layout.chunks; ++c) {
        const std::int64_t begin = layout.chunk_ptr[static_cast<std::size_t>(c)];
        int                least = a.cols, most = 0;
        for (int lane = 0; lane < height; ++lane) {
          const auto         slot  = static_cast<std::size_t>(c * height + lane);
          const std::int64_t width = chunks.Width(c);
          for (int j = 0; j < layout.row_len[slot]; ++j) {
            const std::int64_t k      = j < width ? j * height + lane : layout.rest_ptr[slot] - begin + (j - width);
            const int          column = plain.columns.plain[static_cast<std::size_t>(begin + k)];
            least                     = std::min(least, column);
            most                      = std::max(most, column);
            if (chunks.columns.HasOffsets(c)) ASSERT_EQ(chunks.columns.base[c] + chunks.columns.Offsets(c)[k], column);
            else ASSERT_EQ(chunks.columns.Plain(c, begin)[k], column);
          }
        }
        if (most - least >= 65536) continue;
        ++near;
        near_entries += layout.chunk_ptr[static_cast<std::size_t>(c) + 1] - begin;
      }
      const bool any = static_cast<double>(near_entries) >= 0.875 * static_cast<double>(layout.StoredEntries());
      EXPECT_EQ(Figure(layout, "offset_chunks"), any ? static_cast<double>(near) : 0);
      EXPECT_EQ(any, reach == 60 || height < 32) << reach << ", " << height;
      if (any) EXPECT_LT(Sellcs::Bytes(layout), Sellcs::Bytes(plain));
      else EXPECT_EQ(Sellcs::Bytes(layout), Sellcs::Bytes(plain));
      const Arrays<double, int> arrays(a);
      const auto                x = RandomVector<double>(static_cast<std::size_t>(a.cols), 1);
      std::vector<double>       y(static_cast<std::size_t>(a.rows)), with_plain(y);
      Sellcs::Apply<Op::N, false>(layout, x.data(), y.data());
      Sellcs::Apply<Op::N, false>(plain, x.data(), with_plain.data());
      const auto reference = Reference<double>(arrays.csr, Op::N, x, nullptr);
      for (std::size_t i = 0; i < y.size(); ++i) ASSERT_TRUE(reference[i].Matches(y[i])) << i;
      EXPECT_EQ(y, with_plain);
    }
  }
}

/// The largest offset in columns filled by all rows of a chunk, at even and odd positions.
TEST(Sellcs, OffsetsReachAsFarAs16Bits)
{
  for (const int most : {65535, 65536}) {
    for (const std::size_t far : {12, 13}) {
      TestMatrix a = FromRowLengths("reach", 64, 70000, [](int) { return 4; });
      for (std::size_t e = 0; e < a.col_idx.size(); ++e) a.col_idx[e] = 100 * static_cast<int>(e) + 50;
      a.col_idx[9]               = 3; // columns of a row in any order
      a.col_idx[far]             = 3 + most;
      const Layout        layout = Build(a, {8, 1, 0, kDecide, 1, kFull, kNoShapes});
      const auto          x      = RandomVector<double>(70000, 1);
      std::vector<double> y(64);
      EXPECT_EQ(Figure(layout, "offset_chunks"), most == 65535 ? 8 : 7);
      Sellcs::Apply<Op::N, false>(layout, x.data(), y.data());
      const auto reference = Reference<double>(Arrays<double, int>(a).csr, Op::N, x, nullptr);
      for (std::size_t i = 0; i < y.size(); ++i) ASSERT_TRUE(reference[i].Matches(y[i])) << i;
    }
  }
}

/// They save nothing with one entry per row in small chunks, with many empty chunks, or without nonzeros.
TEST(Sellcs, OffsetsAreThereToSaveBytes)
{
  const TestMatrix diagonal = FromRowLengths("diagonal", 10000, 10000, [](int) { return 1; }),
                   few      = FromRowLengths("few", 10000, 100, [](int i) { return i % 100 == 0; }),
                   none     = FromRowLengths("none", 100, 100, [](int) { return 0; });
  for (const TestMatrix *a : {&diagonal, &few, &none}) {
    for (const int chunk : {1, 4}) {
      const Layout layout = Build(*a, {chunk, 1, 0, kDecide, 1, kFull, kNoShapes});
      EXPECT_EQ(Figure(layout, "offset_chunks"), 0) << a->name;
      EXPECT_EQ(Sellcs::Bytes(layout), Sellcs::Bytes(Build(*a, {chunk, 1, 0, kDecide, 0, kFull, kNoShapes}))) << a->name;
    }
  }
}

/// Rows that sorting does not move need no permutation.
TEST(Sellcs, NoPermutationWhereNoRowMoves)
{
  EXPECT_EQ(
    Build(FromRowLengths("regular", 1000, 100, [](int) { return 9; }), {8, 256, 0, kDecide, 0, kFull, kNoShapes}).perm.size(), 0u);
  EXPECT_EQ(Build(FromRowLengths("rising", 1000, 100, [](int i) { return i / 100; }), {8, 256, 0, kDecide, 0, kFull, kNoShapes})
              .perm.size(),
            1000u);
}

/// Eq. 4.3, 4.5 and 4.6 with the paper's numbers: doubles, four-byte indices, square matrices, x read once.
TEST(SellcsPaper, CodeBalance)
{
  const TestMatrix regular = FromRowLengths("regular", 400, 400, [](int) { return 20; });
  EXPECT_NEAR(Figure(Build(regular, {8, 1, 0, kDecide, 0, kFull, kNoShapes}), "code_balance"), 6 + 12.0 / 20, 1e-12); // beta = 1
  // The base and the position of a chunk's columns are 12 bytes for 160 entries of two bytes.
  EXPECT_NEAR(Figure(Build(regular, {8, 1, 0, kDecide, 1, kFull, kNoShapes}), "code_balance"), 5 + 12.0 / 20 + 12.0 / 320, 1e-12);
  const TestMatrix worst = WorstCase(128, 8);
  const double     beta = (128 + 7.0) / (8 * 128), nnzr = worst.nnz() / 128.0;
  const Layout     layout = Build(worst, {8, 1, 0, 128, 0, kFull, kNoShapes});
  EXPECT_NEAR(Figure(layout, "code_balance"), 6 / beta + 12 / nnzr, 1e-12);
  EXPECT_NEAR(Figure(layout, "nnzr"), nnzr, 1e-12);
  EXPECT_NEAR(Figure(layout, "alpha"), 1 / nnzr, 1e-12);
}

/// On a device of 1000 threads, as the emulated one says of itself.
TEST(Sellcs, RowsHaveSeveralThreadsWhereTheyAreFewAndLong)
{
  const EmulatedDevice exec(TestExecution());
  ASSERT_EQ(exec.Threads(), 1000);
  const auto threads = [&](int rows, std::int64_t nnz, std::int64_t outside_of_chunks) {
    sellcs::Layout<double, int, EmulatedDevice> layout;
    layout.rows              = rows;
    layout.nnz               = nnz;
    layout.remainder.entries = outside_of_chunks;
    return sellcs::ThreadsPerRow(exec, layout);
  };
  EXPECT_EQ(threads(100, 799, 0), 1);
  EXPECT_EQ(threads(100, 800, 0), 2);
  EXPECT_EQ(threads(100, 1600, 0), 4);
  EXPECT_EQ(threads(100, 3200, 0), 8);
  EXPECT_EQ(threads(100, 100000, 0), 8);
  EXPECT_EQ(threads(100, 3200, 1600), 4);
  EXPECT_EQ(threads(1999, 100000, 0), 2);
  EXPECT_EQ(threads(2000, 100000, 0), 1);
  EXPECT_EQ(threads(0, 0, 0), 8); // there is nothing to do
}

} // namespace

} // namespace petscspmv::test
