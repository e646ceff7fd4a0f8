// Counts of entries, tiles and chunks around and beyond 2^31, and rows and columns up to there.
#include "host_formats.hpp"
#include "kernels/conformance.hpp"
#include "support/vast.hpp"

#include <array>
#include <type_traits>
#include <vector>

namespace petscspmv::test {

namespace {

constexpr std::int64_t k31   = std::int64_t{1} << 31;
constexpr std::int64_t kLast = k31 - 1; // the largest 32-bit index

/// `before` empty rows, a row of all entries but a few, and short rows, some of them empty, with those few. Values are small
/// integers, and 0 except for those of the first and last entries: sums are exact.
template <class Index>
class LargeMatrix {
public:
  LargeMatrix(std::int64_t before, std::int64_t cols, std::int64_t nnz,
              const std::array<std::size_t, 8> &lengths = {1, 0, 2, 0, 0, 3, 1, 5}) :
    before_(static_cast<std::size_t>(before)),
    row_ptr_(before_ + kRows + 1), col_idx_(static_cast<std::size_t>(nnz)), val_(col_idx_.size()),
    x_(static_cast<std::size_t>(cols)), product_(kRows, 0.0F)
  {
    csr = {static_cast<Index>(before_ + kRows), static_cast<Index>(cols), row_ptr_.data(), col_idx_.data(), val_.data()};
    std::size_t entry = 0;
    for (; entry < kFew; ++entry) Set(entry, 0);
    for (entry = col_idx_.size() - 2 * kFew; entry < col_idx_.size() - kFew; ++entry) Set(entry, 0);
    for (std::size_t row = 1; row < kRows; ++row) {
      row_ptr_[before_ + row] = static_cast<Index>(entry);
      for (std::size_t end = entry + lengths[row % 8]; entry < end; ++entry) Set(entry, row);
    }
    row_ptr_[before_ + kRows] = static_cast<Index>(entry);
  }

  const float *x() const { return x_.data(); }

  /// y + A x, where all of y is y0, in the rows from the long one on.
  void ExpectProduct(const Vast<float> &y, float y0) const
  {
    ASSERT_EQ(csr.nnz(), static_cast<std::int64_t>(col_idx_.size()));
    for (std::size_t row = 0; row < kRows; ++row) ASSERT_EQ(y[before_ + row], y0 + product_[row]) << "row " << row;
  }

  static constexpr std::size_t kRows = 65, kFew = 96; // entries of the short rows

  Csr<float, Index> csr;

private:
  /// In the last columns.
  void Set(std::size_t entry, std::size_t row)
  {
    const std::size_t col = x_.size() - 1 - entry % 31;
    col_idx_[entry]       = static_cast<Index>(col);
    val_[entry]           = static_cast<float>(1 + entry % 3);
    x_[col]               = static_cast<float>(1 + col % 5);
    product_[row] += val_[entry] * x_[col];
  }

  std::size_t        before_;
  Vast<Index>        row_ptr_, col_idx_;
  Vast<float>        val_, x_;
  std::vector<float> product_;
};

/// Builds and multiplies, at both ends of everything. `Index` is the layout's.
template <class Format, class Index, class Wide>
void CheckEnds(const LargeMatrix<Wide> &matrix, const OptionValues &options)
{
  SCOPED_TRACE(std::string(Format::alias) + ", " + std::to_string(matrix.csr.nnz()) + " entries, " +
               std::to_string(8 * sizeof(Index)) + " bits");
  typename Format::template Layout<float, Index, EndsExec<256>> layout;
  const auto                                                    rows = static_cast<std::size_t>(matrix.csr.rows);
  Vast<float>                                                   y(rows);
  FoldBefore(y, rows - matrix.kRows);
  WithExec<Format>::Build(matrix.csr, options, layout);
  WithExec<Format>::template Apply<Op::N, false>(layout, matrix.x(), y.data());
  matrix.ExpectProduct(y, 0);
  for (std::size_t row = rows - matrix.kRows; row < rows; ++row) y[row] = 7;
  WithExec<Format>::template Apply<Op::N, true>(layout, matrix.x(), y.data());
  matrix.ExpectProduct(y, 7);
}

/// A list of options of every format, with all indices that its layouts may have.
template <class Wide>
void CheckFormats(const LargeMatrix<Wide> &matrix, std::vector<OptionValues> LargeOptions::*list)
{
  const auto check = [&]<class F>(std::type_identity<F>) {
    const LargeOptions large = Config<F, HostExec>::Large();
    for (const OptionValues &options : large.*list) {
      CheckEnds<F, Wide>(matrix, options);
      if constexpr (sizeof(Wide) > 4 && !kBorrows<F>) {
        if (FitsNarrow(matrix.csr.rows, matrix.csr.cols)) CheckEnds<F, std::int32_t>(matrix, options);
      }
    }
  };
  [&]<class... F>(::testing::Types<F...>) { (check(std::type_identity<F>()), ...); }(AllFormats());
}

/// With as many blocks as entries there are no empty rows, since CSR5 would store the position of each one.
const std::array<std::size_t, 8> kNoneEmpty{1, 1, 2, 1, 1, 2, 1, 3};

TEST(Large, EntriesUpToTheLargest32BitIndex)
{
  for (const std::int64_t nnz : {kLast - 255, kLast - 1, kLast}) // in complete tiles, and otherwise
    CheckFormats(LargeMatrix<std::int32_t>(0, 1000, nnz), &LargeOptions::blocks);
  CheckFormats(LargeMatrix<std::int32_t>(0, 1000, kLast, kNoneEmpty), &LargeOptions::entries);
}

TEST(Large, MoreEntriesThanA32BitIndexCounts)
{
  for (const std::int64_t nnz : {k31 - 1, k31, k31 + 1}) {
    const LargeMatrix<std::int64_t> matrix(0, kLast, nnz);
    ASSERT_TRUE(FitsNarrow(matrix.csr.rows, matrix.csr.cols));
    CheckFormats(matrix, &LargeOptions::blocks);
  }
  CheckFormats(LargeMatrix<std::int64_t>(0, k31 + 1, k31 + 1, kNoneEmpty), &LargeOptions::entries);
}

TEST(Large, RowsUpToTheLargest32BitIndex)
{
  const std::int64_t before = kLast - static_cast<std::int64_t>(LargeMatrix<std::int32_t>::kRows);
  CheckFormats(LargeMatrix<std::int32_t>(before, 1000, 65536), &LargeOptions::blocks); // in complete tiles
}

/// Two offsets share a word: positions of words exceed 32 bits.
TEST(LargeCsr5, OffsetsBeyond32Bits)
{
  const LargeMatrix<std::int64_t>                  matrix(0, 1000, 2 * k31 + 4096);
  const OptionValues                               options{64, 32, 0, 1, kFull};
  csr5::Layout<float, std::int32_t, EndsExec<256>> layout;
  WithExec<csr5::Csr5>::Build(matrix.csr, options, layout);
  EXPECT_EQ(Figure(WithExec<csr5::Csr5>::Statistics(layout), "offset_tiles"), static_cast<double>(matrix.csr.nnz() / 2048));
  CheckEnds<csr5::Csr5, std::int32_t>(matrix, options);
  CheckEnds<csr5::Csr5, std::int64_t>(matrix, options);
}

template <class Scalar, class Index>
using SellcsLayout = sellcs::Layout<Scalar, Index, EndsExec<1>>;

/// 1024 chunks of 8 rows, as equal as possible. Values are 0 except in the first and last rows of the last chunk.
template <class Index, class Wide>
void CheckSellcs(std::int64_t nnz, std::int64_t trimmed, std::int64_t offsets)
{
  constexpr std::size_t kRows = 8192;
  Vast<Wide>            row_ptr(kRows + 1), col_idx(static_cast<std::size_t>(nnz));
  Vast<float>           val(col_idx.size()), y(kRows);
  std::vector<float>    x(offsets ? 1 << 16 : 1 << 19, 1.0F), product(kRows, 0.0F);
  for (std::size_t row = 0; row <= kRows; ++row)
    row_ptr[row] = static_cast<Wide>(nnz * static_cast<std::int64_t>(row) / static_cast<std::int64_t>(kRows));
  for (std::size_t row = kRows - 8; row < kRows; ++row) {
    const auto first = static_cast<std::size_t>(row_ptr[row]), last = static_cast<std::size_t>(row_ptr[row + 1]) - 1;
    val[first]    = static_cast<float>(row % 8);
    val[last]     = 3;
    col_idx[last] = static_cast<Wide>(x.size() - 1);
    product[row]  = static_cast<float>(row % 8) + 3 * 5;
  }
  x.back() = 5;
  const Csr<float, Wide>     csr{kRows, static_cast<Wide>(x.size()), row_ptr.data(), col_idx.data(), val.data()};
  SellcsLayout<float, Index> layout;
  WithExec<sellcs::Sellcs>::Build(csr, {8, 1, trimmed, 1 << 30, offsets, kFull, kNoShapes}, layout);
  EXPECT_EQ(layout.chunks, 1024);
  EXPECT_EQ(layout.columns.offset_blocks, offsets ? 1024 : 0);
  EXPECT_EQ(layout.chunk_ptr[1024], layout.StoredEntries());
  std::int64_t stored = 0; // with each chunk padded to its longest row
  for (std::size_t c = 0; c < kRows; c += 8) {
    std::int64_t longest = 0;
    for (std::size_t row = c; row < c + 8; ++row) longest = std::max<std::int64_t>(longest, row_ptr[row + 1] - row_ptr[row]);
    stored += 8 * longest;
  }
  EXPECT_EQ(layout.StoredEntries(), trimmed ? nnz : stored);
  EXPECT_GE(stored, k31);
  WithExec<sellcs::Sellcs>::Apply<Op::N, false>(layout, x.data(), y.data());
  for (std::size_t row = kRows - 8; row < kRows; ++row) EXPECT_EQ(y[row], product[row]) << row;
}

TEST(LargeSellcs, EntriesBeyond32Bits)
{
  for (const std::int64_t trimmed : {0, 1}) {
    CheckSellcs<std::int32_t, std::int32_t>(kLast, trimmed, 0); // with padding, 2^31 entries are stored
    CheckSellcs<std::int32_t, std::int64_t>(k31 + 1, trimmed, 0);
    CheckSellcs<std::int64_t, std::int64_t>(k31 + 1, trimmed, 0);
  }
  CheckSellcs<std::int32_t, std::int32_t>(kLast, 0, 1);
  CheckSellcs<std::int32_t, std::int64_t>(k31 + 1, 0, 1);
  CheckSellcs<std::int64_t, std::int64_t>(k31 + 1, 0, 1);
}

/// A row stored outside of chunks, in pieces. They are only shaped: filling them would take the memory.
TEST(LargeSellcs, ALongRowBeyond32Bits)
{
  const std::int64_t                row_ptr[] = {0, 3, k31 + 4};
  SellcsLayout<float, std::int32_t> layout;
  sellcs::ShapeRemainder(Csr<float, std::int64_t>{2, 10, row_ptr, nullptr, nullptr}, {1}, 4096, layout);
  auto &remainder = layout.remainder;
  ASSERT_EQ(remainder.Pieces(), k31 / 4096 + 1);
  ASSERT_EQ(remainder.entries, k31 + 1);
  remainder.col_idx.Allocate(static_cast<std::size_t>(remainder.entries));
  remainder.val.Allocate(remainder.col_idx.size());
  const auto pieces = static_cast<std::size_t>(remainder.Pieces());
  EXPECT_EQ(remainder.piece_ptr[pieces - 1], k31);
  EXPECT_EQ(remainder.piece_ptr[pieces], k31 + 1);
  const float x[]        = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  float       y[]        = {1, 1};
  remainder.col_idx[k31] = 9;
  remainder.val[k31]     = 3;
  const OwnExec<EndsExec<1>> exec(WorkspaceBytes<sellcs::Sellcs>(layout));
  sellcs::AddRemainder(*exec, layout, x, Prefetch<true>(), y);
  EXPECT_EQ(y[1], 31);
}

/// As many rows as a 32-bit index can count, with the last chunk incomplete. A build would store every row.
TEST(LargeSellcs, RowsUpToTheLargest32BitIndex)
{
  SellcsLayout<float, std::int32_t> layout;
  layout.rows   = kLast;
  layout.height = 8;
  layout.chunks = sellcs::ChunksOf(kLast, 8);
  ASSERT_EQ(layout.chunks, k31 / 8);
  const auto chunks = static_cast<std::size_t>(layout.chunks), slots = 8 * chunks;
  layout.chunk_ptr.Allocate(chunks + 1);
  layout.full.Allocate(chunks);
  layout.row_len.Allocate(slots);
  layout.chunk_ptr[chunks] = 8; // one entry per row
  layout.columns.plain.Allocate(8);
  layout.values.full.Allocate(8);
  for (std::size_t lane = 0; lane < 7; ++lane) {
    layout.row_len[slots - 8 + lane] = 1;
    layout.values.full[lane]         = static_cast<float>(lane + 1);
  }
  Vast<float> y(static_cast<std::size_t>(layout.rows));
  const float x = 2;
  sellcs::Mult<true>(*OwnExec<EndsExec<1>>(), layout, &x, y.data());
  for (std::size_t lane = 0; lane < 7; ++lane) EXPECT_EQ(y[y.size() - 7 + lane], 2 * static_cast<float>(lane + 1)) << lane;
}

template <class F>
class LargeColumns : public ::testing::Test {
};
TYPED_TEST_SUITE(LargeColumns, AllFormats);

/// 64-bit builds, on both sides of the 32-bit limit.
TYPED_TEST(LargeColumns, OneRowInTheLastOfThem)
{
  OptionValues options;
  for (const OptionSpec &option : TypeParam::options) options.push_back(option.initial);
  for (const std::int64_t cols : {k31 - 1, k31, k31 + 1}) {
    const std::int64_t                                 row_ptr[] = {0, 2, 2, 3}, col_idx[] = {0, cols - 1, cols - 2};
    const float                                        val[] = {3, 4, 5};
    const Csr<float, std::int64_t>                     csr{3, cols, row_ptr, col_idx, val};
    LayoutOf<TypeParam, float, std::int64_t, HostExec> layout;
    layout.Build(*OwnExec<HostExec>(), csr, options);
    const OwnExec<HostExec> exec(layout.MakeWorkspace(false).bytes());
    if constexpr (!kBorrows<TypeParam>) {
      EXPECT_EQ(Figure(layout.Statistics(*exec), "index_bits"), cols <= kLast ? 32 : 64) << cols;
    }
    Vast<float> x(static_cast<std::size_t>(cols));
    x[0]            = 10;
    x[x.size() - 1] = 20;
    x[x.size() - 2] = 30;
    float y[]       = {1, 1, 1};
    layout.Apply(*exec, Op::N, x.data(), {.y = y, .v = y});
    EXPECT_EQ(y[0], 111);
    EXPECT_EQ(y[1], 1);
    EXPECT_EQ(y[2], 151);
  }
}

} // namespace

} // namespace petscspmv::test
