#include "kernels/ipcsr.hpp"

#include "kernels/conformance.hpp"
#include "mat/impls/ipcsr/host.hpp"

#include <map>

namespace petscspmv::test {

using Ipcsr = WithExec<ipcsr::Ipcsr>;
using ipcsr::Multiprocessor;

INSTANTIATE_TYPED_TEST_SUITE_P(Ipcsr, Conformance, ConformanceTypes<ipcsr::Ipcsr>);

namespace {

using Layout = ipcsr::Layout<double, int, HostExec>;

/// The matrix of the paper's equation 1, from its full rows.
TestMatrix Equation1()
{
  const double full[6][6] = {{4, 1, 0, 1, 0, 0}, {1, 4, 1, 0, 1, 0}, {0, 1, 4, 0, 0, 1},
                             {1, 0, 0, 4, 1, 0}, {0, 1, 0, 1, 4, 1}, {0, 0, 1, 0, 1, 4}};
  TestMatrix   a{"equation 1", 6, 6, {0}, {}, {}, {}};
  for (const auto &row : full) {
    for (int col = 0; col < 6; ++col) {
      if (row[col] == 0) continue;
      a.col_idx.push_back(col);
      a.real.push_back(row[col]);
      a.imag.push_back(0);
    }
    a.row_ptr.push_back(a.nnz());
  }
  return a;
}

std::vector<int> BlockRows(const Layout &layout)
{
  return {layout.block_rows.data(), layout.block_rows.data() + layout.block_rows.size()};
}

std::vector<int> BlockRows(const TestMatrix &a, int nt, int shared_size)
{
  const Arrays<double, int> arrays(a);
  Layout                    layout;
  Ipcsr::Build(arrays.csr, {nt, shared_size, 0}, layout);
  return BlockRows(layout);
}

std::map<std::string, double> Figures(const Layout &layout)
{
  std::map<std::string, double> figures;
  for (const Stat &stat : Ipcsr::Statistics(layout)) figures[stat.key] = stat.Figure();
  return figures;
}

/// Algorithm 4 with Algorithm 6 in place of its line 8, step by step as printed.
std::vector<int> Algorithm4(const std::vector<int> &IA, int nt, int SHARED_SIZE)
{
  const int        n = static_cast<int>(IA.size()) - 1;
  std::vector<int> blockRows(static_cast<std::size_t>(n) + 2, -1);
  int              nRows = 0, CTR = 1, sum = 0;
  blockRows[0] = 0;
  for (int i = 0; i < n; ++i) {
    sum += IA[i + 1] - IA[i];
    nRows++;
    if (sum == SHARED_SIZE || (nRows == nt && sum <= SHARED_SIZE)) {
      blockRows[CTR] = i + 1;
      CTR++;
      nRows = 0;
      sum   = 0;
    } else if (sum > SHARED_SIZE) {
      if (nRows > 1) {
        blockRows[CTR] = i;
        i--;
      } else {
        blockRows[CTR] = i + 1;
      }
      CTR++;
      nRows = 0;
      sum   = 0;
    }
  }
  if (blockRows[CTR - 1] != n) blockRows[CTR] = n;
  else CTR--;
  blockRows.resize(static_cast<std::size_t>(CTR) + 1);
  return blockRows;
}

TEST(IpcsrPaper, ArraysAndProductOfEquation1)
{
  const TestMatrix a = Equation1();
  EXPECT_EQ(a.real, (std::vector<double>{4, 1, 1, 1, 4, 1, 1, 1, 4, 1, 1, 4, 1, 1, 1, 4, 1, 1, 1, 4}));
  EXPECT_EQ(a.col_idx, (std::vector<int>{0, 1, 3, 0, 1, 2, 4, 1, 2, 5, 0, 3, 4, 1, 3, 4, 5, 2, 4, 5}));
  EXPECT_EQ(a.row_ptr, (std::vector<int>{0, 3, 7, 10, 13, 17, 20}));
  const Arrays<double, int> arrays(a);
  const std::vector<double> x{1, 2, 3, 4, 5, 6}, product{10, 17, 20, 22, 32, 32};
  for (int variant : {0, 1}) {
    for (int nt : {1, 2, 3, 4, 6, 8, 32, 256}) {
      for (int shared_size : {1, 3, 7, 10, 11, 20, 1000}) {
        Layout              layout;
        std::vector<double> y(6, std::nan(""));
        Ipcsr::Build(arrays.csr, {nt, shared_size, variant}, layout);
        Ipcsr::Apply<Op::N, false>(layout, x.data(), y.data());
        EXPECT_EQ(y, product) << nt << " " << shared_size << " " << variant;
      }
    }
  }
}

/// Its rows have 3, 4, 3, 3, 4 and 3 entries; the blocks follow from Algorithm 4 by hand.
TEST(IpcsrPaper, RowBlocksOfEquation1)
{
  const TestMatrix a = Equation1();
  EXPECT_EQ(BlockRows(a, 2, 8), (std::vector<int>{0, 2, 4, 6}));          // as many rows as threads
  EXPECT_EQ(BlockRows(a, 4, 7), (std::vector<int>{0, 2, 4, 6}));          // 3 + 4 = 7; 3 + 3, a further 4 is too many; 4 + 3 = 7
  EXPECT_EQ(BlockRows(a, 4, 10), (std::vector<int>{0, 3, 6}));            // 3 + 4 + 3 = 10, twice
  EXPECT_EQ(BlockRows(a, 6, 11), (std::vector<int>{0, 3, 6}));            // a fourth row is too many; the rest is the extra case
  EXPECT_EQ(BlockRows(a, 4, 20), (std::vector<int>{0, 4, 6}));            // four threads; the rest
  EXPECT_EQ(BlockRows(a, 6, 3), (std::vector<int>{0, 1, 2, 3, 4, 5, 6})); // rows of 3 fill a block, those of 4 are long
  EXPECT_EQ(BlockRows(a, 256, 2048), (std::vector<int>{0, 6}));
}

/// Section 4: 128 rows of 16 nonzeros and SHARED_SIZE 1024.
TEST(IpcsrPaper, RowBlocksOfTheExampleInSection4)
{
  for (int nt : {64, 100, 128, 512})
    EXPECT_EQ(BlockRows(FromRowLengths("16 each", 128, 200, [](int) { return 16; }), nt, 1024), (std::vector<int>{0, 64, 128}))
      << nt;
  for (int nt : {64, 100, 128, 512})
    EXPECT_EQ(BlockRows(FromRowLengths("32 first", 128, 200, [](int i) { return i == 0 ? 32 : 16; }), nt, 1024),
              (std::vector<int>{0, 63, 127, 128}))
      << nt;
}

/// Equation 3 by hand: shared memory / min(threads of a multiprocessor / nt, its blocks) / bytes of a scalar.
TEST(IpcsrPaper, SharedSizeOfEquation3)
{
  constexpr Multiprocessor C2050{48 * 1024, 1536, 8}, K20c{48 * 1024, 2048, 16};
  const auto               sizes = [](const Multiprocessor &gpu, std::size_t bytes) {
    std::vector<int> all;
    for (int nt : {64, 128, 256, 512, 1024}) all.push_back(ipcsr::SharedSize(gpu, nt, bytes));
    return all;
  };
  EXPECT_EQ(sizes(C2050, sizeof(float)), (std::vector<int>{1536, 1536, 2048, 4096, 12288})); // 8, 8, 6, 3, 1 blocks
  EXPECT_EQ(sizes(C2050, sizeof(double)), (std::vector<int>{768, 768, 1024, 2048, 6144}));
  EXPECT_EQ(sizes(K20c, sizeof(float)), (std::vector<int>{768, 768, 1536, 3072, 6144})); // 16, 16, 8, 4, 2 blocks
  EXPECT_EQ(sizes(K20c, sizeof(double)), (std::vector<int>{384, 384, 768, 1536, 3072}));
  EXPECT_EQ(sizes(K20c, sizeof(std::complex<double>)), (std::vector<int>{192, 192, 384, 768, 1536}));
  EXPECT_EQ(sizes(ipcsr::kHostCore, sizeof(double)), (std::vector<int>(5, 1024))); // one block at a time
}

/// The largest power of two that is at most nt / num_rows and nt / 2, by trial.
TEST(IpcsrPaper, ThreadsPerRow)
{
  for (int nt : {1, 2, 3, 4, 31, 32, 96, 128, 255, 256, 1000, 1024}) {
    for (int num_rows = 1; num_rows <= nt; ++num_rows) {
      int threads = 1;
      while (2 * threads * num_rows <= nt && 2 * threads <= nt / 2) threads *= 2;
      ASSERT_EQ(ipcsr::ThreadsPerRow(nt, num_rows), threads) << nt << " / " << num_rows;
    }
  }
  EXPECT_EQ(ipcsr::ThreadsPerRow(128, 128), 1);
  EXPECT_EQ(ipcsr::ThreadsPerRow(128, 64), 2);
  EXPECT_EQ(ipcsr::ThreadsPerRow(128, 33), 2);
  EXPECT_EQ(ipcsr::ThreadsPerRow(1024, 2), 512);
}

TEST(IpcsrBlocks, AgreeWithTheirDefinitionAndWithAlgorithm4)
{
  int long_blocks = 0, full_blocks = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const TestMatrix          a = Random(seed);
    const Arrays<double, int> arrays(a);
    std::mt19937_64           random(seed);
    const int                 nt = 1 + static_cast<int>(random() % (seed % 3 ? 40 : 1024)),
              shared_size        = 1 + static_cast<int>(random() % (seed % 2 ? 60 : 3000));
    SCOPED_TRACE(a.name + ", " + std::to_string(nt) + " threads, " + std::to_string(shared_size) + " products");
    Layout layout;
    Ipcsr::Build(arrays.csr, {nt, shared_size, 0}, layout);
    const std::vector<int> rows = BlockRows(layout);
    ASSERT_EQ(rows, a.rows ? Algorithm4(a.row_ptr, nt, shared_size) : std::vector<int>{0});
    ASSERT_EQ(rows.front(), 0);
    ASSERT_EQ(rows.back(), a.rows);
    ASSERT_EQ(layout.Blocks() + 1, static_cast<std::int64_t>(rows.size()));
    for (std::size_t k = 0; k + 1 < rows.size(); ++k) {
      const int num_rows = rows[k + 1] - rows[k], nnz = a.row_ptr[rows[k + 1]] - a.row_ptr[rows[k]];
      ASSERT_TRUE(num_rows >= 1 && num_rows <= nt);
      ASSERT_TRUE(nnz <= shared_size || num_rows == 1);
      // One more row would be too many rows or products. A block that is exactly full ends even before empty rows.
      if (rows[k + 1] < a.rows && nnz != shared_size) {
        ASSERT_TRUE(num_rows == nt || nnz + a.row_ptr[rows[k + 1] + 1] - a.row_ptr[rows[k + 1]] > shared_size);
      }
      ASSERT_EQ(layout.warps_block[k].threads(), ipcsr::ThreadsPerRow(nt, num_rows));
      int changes = 0;
      for (int row = rows[k] + 1; row < rows[k + 1]; ++row)
        changes += a.row_ptr[row + 1] - a.row_ptr[row] != a.row_ptr[row] - a.row_ptr[row - 1];
      ASSERT_EQ(layout.warps_block[k].even(), layout.warps_block[k].threads() == 1 && 16 * changes <= num_rows);
      long_blocks += nnz > shared_size;
      full_blocks += nnz == shared_size && num_rows > 1;
    }
  }
  EXPECT_GT(long_blocks, 100); // there were such blocks
  EXPECT_GT(full_blocks, 100);
}

/// Entries near the end of a 32-bit index.
TEST(IpcsrBlocks, DoNotOverflow)
{
  constexpr int          most = std::numeric_limits<int>::max();
  const std::vector<int> row_ptr{0, most - 10, most - 5, most - 1, most};
  std::vector<int>       rows{0};
  ipcsr::ForRowBlocks(row_ptr.data(), 4, 1024, 8192, [&](int, int end) { rows.push_back(end); });
  EXPECT_EQ(rows, (std::vector<int>{0, 1, 4}));
  EXPECT_EQ(ipcsr::EndOfBlock(row_ptr.data(), 4, 1, 1024, 10), 4);
  EXPECT_EQ(ipcsr::EndOfBlock(row_ptr.data(), 4, 1, 1024, 8), 2);
}

TEST(IpcsrBlocks, NothingElseIsStored)
{
  const TestMatrix    a = FromRowLengths("some", 3000, 500, [](int i) { return i % 13; });
  Arrays<double, int> arrays(a);
  Layout              layout;
  Ipcsr::Build(arrays.csr, {kDecide, kDecide, 0}, layout);
  const std::size_t blocks = static_cast<std::size_t>(layout.Blocks());
  EXPECT_GE(blocks, 9u); // of 18000 nonzeros, at most 2048 in each
  EXPECT_EQ(Ipcsr::Bytes(layout), (blocks + 1) * sizeof(int) + blocks);
  EXPECT_EQ(layout.csr.row_ptr, arrays.row_ptr.data());
  EXPECT_EQ(layout.csr.col_idx, arrays.col_idx.data());
  EXPECT_EQ(layout.csr.val, arrays.val.data());
  // It multiplies with the current contents of the borrowed arrays.
  std::vector<double> x(500, 1), y(3000), z(3000);
  Ipcsr::Apply<Op::N, false>(layout, x.data(), y.data());
  for (double &v : arrays.val) v *= 2;
  Ipcsr::Apply<Op::N, false>(layout, x.data(), z.data());
  for (std::size_t i = 0; i < y.size(); ++i) ASSERT_EQ(z[i], 2 * y[i]);

  Ipcsr::Build(arrays.csr, {kDecide, kDecide, 1}, layout);
  EXPECT_EQ(Ipcsr::Bytes(layout), 0u);
  EXPECT_EQ(WorkspaceBytes<ipcsr::Ipcsr>(layout), arrays.val.size() * sizeof(double)); // PCSR's products
  Ipcsr::Build(arrays.csr, {kDecide, kDecide, 0}, layout);
  EXPECT_EQ(Ipcsr::Bytes(layout), (blocks + 1) * sizeof(int) + blocks);
}

/// A caller may change row pointers without a refresh: a block is then larger than it was built for, and its products must not
/// overrun the buffer.
TEST(IpcsrBlocks, BlocksThatHaveGrown)
{
  const TestMatrix small = FromRowLengths("small", 40, 8000, [](int i) { return i < 20 ? 1 : 5000; }),
                   grown = FromRowLengths("grown", 40, 8000, [](int i) { return i < 20 ? 5000 : 1; });
  Arrays<double, int> arrays(small), changed(grown);
  Layout              layout;
  Ipcsr::Build(arrays.csr, {kDecide, kDecide, 0}, layout);
  std::copy(changed.row_ptr.begin(), changed.row_ptr.end(), arrays.row_ptr.begin());
  std::copy(changed.col_idx.begin(), changed.col_idx.end(), arrays.col_idx.begin());
  std::copy(changed.val.begin(), changed.val.end(), arrays.val.begin());
  const auto          x = RandomVector<double>(8000, 1);
  std::vector<double> y(40);
  Ipcsr::Apply<Op::N, false>(layout, x.data(), y.data());
  const auto reference = Reference<double>(changed.csr, Op::N, x, nullptr);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_TRUE(reference[i].Matches(y[i])) << i;
}

/// A matrix without rows.
TEST(IpcsrBlocks, NoRows)
{
  for (int variant : {0, 1}) {
    Layout              layout;
    std::vector<double> x(5, 1);
    const int           zero = 0;
    double             *y    = nullptr;
    Ipcsr::Build(Csr<double, int>{0, 5, &zero, nullptr, nullptr}, {kDecide, kDecide, variant}, layout);
    Ipcsr::Refresh(Csr<double, int>{0, 5, &zero, nullptr, nullptr}, layout);
    Ipcsr::Apply<Op::N, false>(layout, x.data(), y);
    Ipcsr::Apply<Op::N, true>(layout, x.data(), y);
    EXPECT_EQ(Figures(layout)["blocks"], 0);
  }
}

/// Rows of one length, with one other or many others among them: all ways of summing a row, up to full blocks of all sizes.
template <class Scalar>
void CheckEqualRows()
{
  using Suite = Conformance<Instance<Config<ipcsr::Ipcsr, HostExec>, Scalar, std::int32_t>>;
  for (int length = 0; length <= 40; ++length) {
    for (int every : {1, 2, 7, 19, 1000}) {
      const TestMatrix a = FromRowLengths("length " + std::to_string(length) + ", other every " + std::to_string(every), 300, 64,
                                          [&](int i) { return i % every == every - 1 ? (length * 7 + i) % 23 : length; });
      const Arrays<Scalar, std::int32_t> arrays(a);
      for (const OptionValues &options : {OptionValues{64, 64 * std::max(length, 1), 0}, OptionValues{256, 8192, 0},
                                          OptionValues{256, 100, 0}, OptionValues{256, 100, 1}}) {
        SCOPED_TRACE(Suite::Context(a, options));
        typename Suite::Layout layout;
        layout.Build(arrays.csr, options);
        Suite::template CheckProducts<Op::N>(layout, arrays.csr, options);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(IpcsrReductions, EqualAndUnequalRows)
{
  CheckEqualRows<double>();
  CheckEqualRows<float>();
  CheckEqualRows<std::complex<double>>();
  CheckEqualRows<std::complex<float>>();
}

/// A block of several rows that fills the largest shared memory to the last product.
TEST(IpcsrReductions, LargestBlock)
{
  for (int rows : {2, 8, 64, 1024}) {
    const TestMatrix                        a = FromRowLengths("full", rows, 8192, [&](int) { return 8192 / rows; });
    const Arrays<std::complex<double>, int> arrays(a);
    using Suite = Conformance<Instance<Config<ipcsr::Ipcsr, HostExec>, std::complex<double>, std::int32_t>>;
    Suite::Layout      layout;
    const OptionValues options{1024, 8192, 0};
    layout.Build(arrays.csr, options);
    ASSERT_EQ(Figure(layout.Statistics(), "blocks"), 1);
    Suite::CheckProducts<Op::N>(layout, arrays.csr, options);
  }
}

TEST(IpcsrStatistics, ShowBlocksAndThreads)
{
  const TestMatrix          a = Equation1();
  const Arrays<double, int> arrays(a);
  Layout                    layout;

  Ipcsr::Build(arrays.csr, {8, 17, 0}, layout); // rows 0-4 and row 5
  std::map<std::string, double> figures = Figures(layout);
  EXPECT_EQ(figures["blocks"], 2);
  EXPECT_EQ(figures["rows_per_block_min"], 1);
  EXPECT_EQ(figures["rows_per_block_mean"], 3);
  EXPECT_EQ(figures["rows_per_block_max"], 5);
  EXPECT_EQ(figures["rows_alone"], 1);
  EXPECT_EQ(figures["long_rows"], 0);
  EXPECT_EQ(figures["rows_with_1_thread"], 5); // 8 / 5

  Ipcsr::Build(arrays.csr, {32, 10, 0}, layout); // rows 0-2 and 3-5
  figures = Figures(layout);
  EXPECT_EQ(figures["rows_with_8_threads"], 6); // 32 / 3
  EXPECT_EQ(figures["rows_with_1_thread"] + figures["rows_with_2_threads"] + figures["rows_with_4_threads"] +
              figures["rows_with_16_threads"],
            0);

  Ipcsr::Build(arrays.csr, {8, 3, 0}, layout); // every row alone, the two of 4 entries because they are too long
  figures = Figures(layout);
  EXPECT_EQ(figures["rows_alone"], 6);
  EXPECT_EQ(figures["long_rows"], 2);

  Ipcsr::Build(arrays.csr, {4, 3, 1}, layout); // PCSR: rows 0-3 and 4-5
  figures = Figures(layout);
  EXPECT_EQ(figures["blocks"], 2);
  EXPECT_EQ(figures["rows_per_block_min"], 2);
  EXPECT_EQ(figures["rows_per_block_max"], 4);
  EXPECT_EQ(figures["rows_with_1_thread"], 6);
  EXPECT_EQ(figures["rows_alone"], 0);

  for (std::uint64_t seed = 1; seed < 50; ++seed) { // every row is counted once
    const TestMatrix          b = Random(seed);
    const Arrays<double, int> other(b);
    for (int variant : {0, 1}) {
      Ipcsr::Build(other.csr, {1 + static_cast<int>(seed * 37 % 1024), 50, variant}, layout);
      double rows = 0;
      for (const auto &[key, value] : Figures(layout)) rows += key == "rows_alone" || key.starts_with("rows_with_") ? value : 0;
      EXPECT_EQ(rows, b.rows) << b.name;
    }
  }
}

} // namespace

} // namespace petscspmv::test
