#include "kernels/csr5.hpp"

#include "kernels/conformance.hpp"
#include "mat/impls/csr5/host.hpp"

#include <cfenv>

namespace petscspmv::test {

using Csr5 = WithExec<csr5::Csr5>;

INSTANTIATE_TYPED_TEST_SUITE_P(Csr5, Conformance, ConformanceTypes<csr5::Csr5>);

namespace {

using Layout = csr5::Layout<double, int, HostExec>;

/// A matrix like that of the paper's Figure 4: 8 x 8, 34 nonzeros, omega = sigma = 4. We have the text without the figure; the row
/// lengths satisfy everything the text says about it (section 3: tile 0 has an empty row and 4 segments; only its third column has
/// no flag; tile 1 begins in row 4, its first column has 3 flags, the first three together 4; two entries are left over).
TestMatrix Figure4()
{
  const std::vector<int> lengths{5, 0, 7, 2, 3, 2, 8, 7};
  TestMatrix             a{"figure 4", 8, 8, {0}, {}, {}, {}};
  for (int length : lengths) {
    for (int k = 0; k < length; ++k) {
      a.col_idx.push_back(k);
      a.real.push_back(a.nnz());
      a.imag.push_back(0);
    }
    a.row_ptr.push_back(a.nnz());
  }
  return a;
}

TEST(Csr5Paper, AllDescriptorsOfSmallTilesAgreeWithTheirDefinitions)
{
  // Every field, recomputed by counting from the paper's description (section 3.4), for many matrices.
  for (std::uint64_t seed = 1; seed < 60; ++seed) {
    const TestMatrix          a = Random(seed);
    const Arrays<double, int> arrays(a);
    const int                 omega = 1 + static_cast<int>(seed % 7), sigma = 1 + static_cast<int>(seed % 5), size = omega * sigma;
    Layout                    layout;
    Csr5::Build(arrays.csr, {omega, sigma, 0, 0, kFull}, layout);
    SCOPED_TRACE(a.name);
    std::vector<int> row_of;
    for (int row = 0; row < a.rows; ++row)
      row_of.insert(row_of.end(), static_cast<std::size_t>(a.row_ptr[row + 1] - a.row_ptr[row]), row);
    ASSERT_EQ(layout.tiles, (a.nnz() + size - 1) / size);
    ASSERT_EQ(layout.complete, a.nnz() / size);
    for (int tile = 0; tile < layout.tiles; ++tile)
      ASSERT_EQ(static_cast<int>(csr5::RemoveSign(layout.tile_ptr[tile])), row_of[tile * size]);
    ASSERT_EQ(static_cast<int>(layout.tile_ptr[layout.tiles]), a.rows);
    for (int tile = 0; tile < layout.complete; ++tile) {
      const auto flag  = [&](int e) { return e % size == 0 || row_of[e] != row_of[e - 1]; };
      const int  begin = tile * size, next = static_cast<int>(csr5::RemoveSign(layout.tile_ptr[tile + 1]));
      bool       empty = false;
      for (int row = row_of[begin] + 1; row < next; ++row) empty |= a.row_ptr[row] == a.row_ptr[row + 1];
      ASSERT_EQ(csr5::HasEmptyRows(layout.tile_ptr[tile]), empty) << "tile " << tile;
      int before = 0, segment = 0;
      for (int i = 0; i < omega; ++i) {
        const std::uint64_t word = layout.fields.Load(layout.tile_desc.data() + tile * layout.fields.WordsPerTile(), i);
        std::uint32_t       bits = 0;
        for (int j = 0; j < sigma; ++j) bits |= static_cast<std::uint32_t>(flag(begin + i * sigma + j)) << j;
        ASSERT_EQ(layout.fields.BitFlag(word), bits);
        ASSERT_EQ(layout.fields.YOffset(word), before);
        int without = 0; // right neighbours without any flag
        for (int c = i + 1; c < omega; ++c, ++without) {
          bool any = false;
          for (int j = 0; j < sigma; ++j) any |= flag(begin + c * sigma + j);
          if (any) break;
        }
        ASSERT_EQ(layout.fields.SegOffset(word), bits ? without : 0);
        before += std::popcount(bits);
        for (int j = 0; j < sigma; ++j) {
          const int e = begin + i * sigma + j;
          ASSERT_EQ(layout.values.full[begin + j * omega + i], a.real[e]);
          ASSERT_EQ(layout.columns.plain[begin + j * omega + i], a.col_idx[e]);
          if (flag(e) && empty) {
            ASSERT_EQ(layout.empty_offset[layout.empty_ptr[tile] + segment++], row_of[e] - row_of[begin]);
          }
        }
      }
      if (empty) {
        ASSERT_EQ(layout.empty_ptr[tile + 1] - layout.empty_ptr[tile], before);
      }
    }
    for (std::int64_t e = layout.CompleteEntries(); e < a.nnz(); ++e) ASSERT_EQ(layout.values.full[e], a.real[e]); // in CSR order
  }
}

TEST(Csr5Paper, Figure4)
{
  const TestMatrix          a = Figure4();
  const Arrays<double, int> arrays(a);
  Layout                    layout;
  Csr5::Build(arrays.csr, {4, 4, 0, 0, kFull}, layout);
  ASSERT_EQ(a.nnz(), 34);
  EXPECT_EQ(layout.tiles, 3);
  EXPECT_EQ(layout.complete, 2);
  EXPECT_EQ(layout.nnz - layout.CompleteEntries(), 2);
  const auto field = [&](int tile, int column) {
    return layout.fields.Load(layout.tile_desc.data() + tile * layout.fields.WordsPerTile(), column);
  };
  // "If the first tile has any empty rows, we need to store a -0" (section 3.3).
  EXPECT_EQ(layout.tile_ptr[0], 0x80000000u);
  EXPECT_EQ(layout.tile_ptr[1], 4u); // "the first entry of Tile 1 is located in the 4th row"
  // Tile 0: "its 2nd column has one and only one right neighbor column (the 3rd column) without any TRUEs".
  EXPECT_EQ(layout.fields.SegOffset(field(0, 0)), 0);
  EXPECT_EQ(layout.fields.SegOffset(field(0, 1)), 1);
  EXPECT_EQ(layout.fields.SegOffset(field(0, 2)), 0);
  EXPECT_EQ(layout.fields.SegOffset(field(0, 3)), 0);
  EXPECT_EQ(layout.fields.BitFlag(field(0, 2)), 0u);
  // "Tile 0 in Figure 4 has 4 entries in its empty_offset since its bit_flag includes 4 TRUEs".
  EXPECT_EQ(layout.empty_ptr[1] - layout.empty_ptr[0], 4);
  // Tile 1: "because there are 3 TRUEs in the 1st column, the 2nd column's corresponding value in y_offset is 3 ...
  // 4 TRUEs in the 1st, 2nd and 3rd columns' bit_flag, Tile 1's y_offset[3] = 4".
  EXPECT_EQ(layout.fields.YOffset(field(1, 1)), 3);
  EXPECT_EQ(layout.fields.YOffset(field(1, 3)), 4);
  EXPECT_EQ(layout.tile_ptr.size(), 4u); // "The size of the tile_ptr array is p + 1"
}

/// Section 3.5: omega 32 and sigma 16 take 9 + 5 + 16 = 30 bits, one word; with 32-bit indices and doubles the descriptors are
/// about 2 percent.
TEST(Csr5Paper, StorageOfTheExampleInSection35)
{
  const auto fields = csr5::DescriptorFields::For(32, 16);
  EXPECT_EQ(fields.y_bits, 9);
  EXPECT_EQ(fields.seg_bits, 5);
  EXPECT_EQ(fields.packets, 1);
  const TestMatrix          a = FromRowLengths("long", 4000, 400, [](int) { return 50; });
  const Arrays<double, int> arrays(a);
  for (const OptionValues &options : {OptionValues{32, 16, 0, 0, 0}, OptionValues{kDecide, kDecide, 0, 0, 0}}) {
    Layout layout;
    Csr5::Build(arrays.csr, options, layout);
    for (const Stat &stat : Csr5::Statistics(layout)) {
      if (std::string(stat.key) == "extra_bytes") {
        EXPECT_LT(stat.value, 0.025 * 12.0 * a.nnz());
      }
    }
  }
}

/// What Algorithm 6 as printed does and the default does not: a large number in one row cancels the digits of another in the same
/// tile, and an Inf turns it into NaN.
TEST(Csr5Paper, PrefixSumsLeakBetweenRowsAndTheDefaultDoesNot)
{
  TestMatrix a{"two long rows", 2, 16, {0, 10, 32}, {}, {}, {}}; // both span several columns of an 8 x 4 tile
  for (int k = 0; k < 32; ++k) {
    a.col_idx.push_back(k < 10 ? k : k % 16);
    a.real.push_back(k < 10 ? 1e18 : 1.0);
    a.imag.push_back(0);
  }
  const Arrays<double, int> arrays(a);
  Layout                    separate, prefix;
  Csr5::Build(arrays.csr, {8, 4, 0, 0, kFull}, separate);
  Csr5::Build(arrays.csr, {8, 4, 1, 0, kFull}, prefix);
  std::vector<double> x(16, 1.0), y(2), z(2);
  Csr5::Apply<Op::N, false>(separate, x.data(), y.data());
  Csr5::Apply<Op::N, false>(prefix, x.data(), z.data());
  EXPECT_EQ(y[1], 22.0);
  EXPECT_NE(z[1], 22.0);
}

/// Only rows are summed: if all of their sums are finite, nothing overflows, and a program that traps overflow continues.
TEST(Csr5, OverflowsOnlyWhereRowsDo)
{
  for (const int length : {3, 20}) {
    TestMatrix a = FromRowLengths("large values", 40000, 40000, [&](int) { return length; });
    for (std::size_t k = 0; k < a.real.size(); ++k) a.real[k] = k % static_cast<std::size_t>(length) == 0 ? 1e307 : 1e280;
    const Arrays<double, int> arrays(a);
    const std::vector<double> x(40000, 1.0);
    for (const OptionValues &options : {OptionValues{kDecide, kDecide, 0, 1, 0}, {5, 3, 0, 1, 0}}) {
      Layout              layout;
      std::vector<double> y(40000);
      Csr5::Build(arrays.csr, options, layout);
      std::feclearexcept(FE_ALL_EXCEPT);
      Csr5::Apply<Op::N, false>(layout, x.data(), y.data());
      EXPECT_EQ(std::fetestexcept(FE_OVERFLOW | FE_INVALID), 0) << "rows of " << length << ", omega " << options[0];
      for (const double sum : y) ASSERT_TRUE(std::isfinite(sum));
    }
  }
}

TEST(Csr5, OffsetsAreThereToSaveBytes)
{
  const TestMatrix          a = FromRowLengths("regular", 1000, 1000, [](int) { return 8; });
  const Arrays<double, int> arrays(a);
  for (const auto &[omega, sigma] : {std::pair{1, 1}, {4, 1}, {1, 4}}) {
    Layout plain, layout;
    Csr5::Build(arrays.csr, {omega, sigma, 0, 0, kFull}, plain);
    Csr5::Build(arrays.csr, {omega, sigma, 0, 1, kFull}, layout);
    EXPECT_EQ(Csr5::Bytes(layout), Csr5::Bytes(plain));
  }
}

/// Columns equal those of the layout without offsets; offsets are used in tiles where 16 bits suffice and in no others; the
/// product is the same.
TEST(Csr5, OffsetsWhereColumnsAreNear)
{
  for (const int reach : {0, 100000}) {
    // Rows of many lengths, some of which contain whole tiles; a few entries `reach` further away.
    TestMatrix a = FromRowLengths("near and far", 3000, 70000 + reach, [](int i) { return i % 1000 == 77 ? 3000 : i * 5 % 8; });
    for (int row = 0; row < a.rows; ++row) {
      const int begin = a.row_ptr[row], end = a.row_ptr[row + 1];
      for (int e = begin; e < end; ++e) a.col_idx[e] = 20 * row + e - begin;
      if (row % 1000 == 500) a.col_idx[end - 1] += reach;
    }
    const Arrays<double, int> arrays(a);
    for (const auto &[omega, sigma, sum] : {std::array{8, 32, 0}, {8, 32, 1}, {8, 16, 0}, {5, 7, 0}, {2, 15, 0}}) {
      Layout plain, layout;
      Csr5::Build(arrays.csr, {omega, sigma, sum, 0, kFull}, plain);
      Csr5::Build(arrays.csr, {omega, sigma, sum, 1, kFull}, layout);
      const ColumnsView<int> columns(layout.columns);
      int                    near = 0;
      for (int tile = 0; tile < layout.complete; ++tile) {
        const int *from = a.col_idx.data() + tile * omega * sigma, *to = from + omega * sigma;
        ASSERT_EQ(columns.HasOffsets(tile), *std::max_element(from, to) - *std::min_element(from, to) < 65536) << "tile " << tile;
        near += columns.HasOffsets(tile);
        for (int k = 0; k < omega * sigma; ++k) {
          const int j = k / omega, i = k % omega;
          if (columns.HasOffsets(tile)) ASSERT_EQ(columns.base[tile] + columns.Offsets(tile)[k], from[i * sigma + j]);
          else ASSERT_EQ(columns.Plain(tile, tile * omega * sigma)[k], from[i * sigma + j]);
        }
      }
      EXPECT_EQ(layout.complete - near, reach ? 3 : 0);
      EXPECT_EQ(Figure(Csr5::Statistics(layout), "offset_tiles"), near);
      EXPECT_EQ(Figure(Csr5::Statistics(plain), "offset_tiles"), 0);
      const std::int64_t far = layout.nnz - near * omega * sigma; // entries, which leave a hole among the offsets
      EXPECT_EQ(static_cast<std::int64_t>(Csr5::Bytes(plain)) - static_cast<std::int64_t>(Csr5::Bytes(layout)),
                2 * layout.nnz - 4 * far - 12 * layout.tiles);
      const auto          x = RandomVector<double>(static_cast<std::size_t>(a.cols), 1);
      std::vector<double> y(static_cast<std::size_t>(a.rows)), with_plain(y);
      Csr5::Apply<Op::N, false>(layout, x.data(), y.data());
      Csr5::Apply<Op::N, false>(plain, x.data(), with_plain.data());
      EXPECT_EQ(y, with_plain);
      if (sum) continue;
      const auto reference = Reference<double>(arrays.csr, Op::N, x, nullptr);
      for (std::size_t i = 0; i < y.size(); ++i) ASSERT_TRUE(reference[i].Matches(y[i])) << i;
    }
  }
}

} // namespace

} // namespace petscspmv::test
