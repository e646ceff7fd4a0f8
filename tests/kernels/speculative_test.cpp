#include "kernels/speculative.hpp"

#include "kernels/conformance.hpp"
#include "mat/impls/speculative/host.hpp"

namespace petscspmv::test {

using Speculative = WithExec<speculative::Speculative>;

INSTANTIATE_TYPED_TEST_SUITE_P(Speculative, Conformance, ConformanceTypes<speculative::Speculative>);

namespace {

using Layout = speculative::Layout<double, int, HostExec>;

double Figure(const Layout &layout, const std::string &key)
{
  return test::Figure(Speculative::Statistics(layout), key);
}

/// The matrix of section 2.1 with a, b, ..., l = 1, 10, 100, ..., so that sums can be told apart.
struct SixBySix {
  std::vector<int>    row_ptr{0, 3, 6, 8, 8, 9, 12}, col_idx{0, 2, 5, 0, 1, 2, 2, 4, 4, 2, 3, 4};
  std::vector<double> value, x{1, 2, 3, 4, 5, 6};
  Csr<double, int>    csr;

  SixBySix()
  {
    for (double v = 1; value.size() < 12; v *= 10) value.push_back(v);
    csr = {6, 6, row_ptr.data(), col_idx.data(), value.data()};
  }

  /// y^T as given in the paper.
  std::vector<double> Product() const
  {
    const double a = value[0], b = value[1], c = value[2], d = value[3], e = value[4], f = value[5], g = value[6], h = value[7],
                 i = value[8], j = value[9], k = value[10], l = value[11];
    return {a + 3 * b + 6 * c, d + 2 * e + 3 * f, 3 * g + 5 * h, 0, 5 * i, 3 * j + 4 * k + 5 * l};
  }
};

TEST(SpeculativePaper, ProductOfTheSixBySixMatrix)
{
  const SixBySix m;
  for (int width = 1; width <= 6; ++width) {
    for (int height = 1; height <= 6; ++height) {
      for (int steps = 1; steps <= 3; ++steps) {
        SCOPED_TRACE(std::to_string(width) + " x " + std::to_string(height) + ", steps " + std::to_string(steps));
        Layout              layout;
        std::vector<double> y(6, std::nan("")), z(6, 0.5);
        Speculative::Build(m.csr, {width, height, 1, steps, 0}, layout);
        Speculative::Apply<Op::N, false>(layout, m.x.data(), y.data());
        Speculative::Apply<Op::N, true>(layout, m.x.data(), z.data());
        EXPECT_EQ(y, m.Product());
        for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(z[i], m.Product()[i] + 0.5);
      }
    }
  }
}

/// "segment descriptor = [1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0]", in lanes of any height.
TEST(SpeculativePaper, DescriptorOfTheSixBySixMatrix)
{
  const SixBySix             m;
  const std::vector<int>     printed{1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0};
  int                        starts[12 + 18];
  speculative::Segments<int> segments{};
  segments.starts = starts;
  speculative::Describe(m.row_ptr.data(), 6, 0, 0, 12, segments);
  EXPECT_EQ(segments.count, 5);
  EXPECT_EQ(segments.stop, 6);
  EXPECT_TRUE(segments.dirty); // row 3
  EXPECT_FALSE(segments.open);
  for (int height : {1, 2, 3, 4, 5, 7, 12}) {
    const int                                 lanes = (12 + height - 1) / height;
    const speculative::Shape<0, 0>            shape{lanes, height};
    std::array<speculative::LaneFlags<0>, 12> flags;
    speculative::ScatterFlags(shape, lanes, segments.count, starts, flags.data());
    for (std::size_t e = 0; e < 12; ++e)
      EXPECT_EQ(static_cast<int>(flags[e / static_cast<std::size_t>(height)] >> e % static_cast<std::size_t>(height) & 1),
                printed[e])
        << e;
  }
  speculative::LaneFlags<8> flags[2];
  speculative::ScatterFlags(speculative::Shape<2, 8>{}, 2, segments.count, starts, flags);
  for (std::size_t e = 0; e < 12; ++e) EXPECT_EQ(flags[e / 8] >> e % 8 & 1, printed[e]) << e;
}

/// The matrix of Figure 3: 12 rows, 48 entries, T = 4, W = 6, B = 1, S = 2. Rows 4 to 11 follow the row pointer in the text, row 0
/// has the three entries of "3a"; the lengths of rows 1 to 3 (16 together) are ours. a, b, ..., j = 1, 10, ..., 10^9; x is all
/// ones.
struct Figure3 {
  static constexpr double a = 1e0, b = 1e1, c = 1e2, d = 1e3, e = 1e4, f = 1e5, g = 1e6, h = 1e7, i = 1e8, j = 1e9;

  std::vector<int>    row_ptr{0, 3, 9, 12, 19, 27, 29, 29, 34, 37, 37, 44, 48}, col_idx;
  std::vector<double> value, x = std::vector<double>(8, 1.0);
  Csr<double, int>    csr;

  Figure3()
  {
    const double letters[] = {a, b, c, d, e, f, 0, g, h, 0, i, j};
    for (std::size_t row = 0; row < 12; ++row) {
      for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
        col_idx.push_back(k - row_ptr[row]);
        value.push_back(letters[row]);
      }
    }
    csr = {12, 8, row_ptr.data(), col_idx.data(), value.data()};
  }

  static OptionValues Options(int check) { return {4, 6, 1, 2, check}; }
};

TEST(SpeculativePaper, Figure3BinarySearchAndDescriptors)
{
  const Figure3 m;
  const int    *row_ptr = m.row_ptr.data();
  // "The results of binary search of {0, 24, 48} on the CSR row pointer array are {0, 4, 12}", "the rightmost match".
  EXPECT_EQ(RowOf(row_ptr, 12, 0), 0);
  EXPECT_EQ(RowOf(row_ptr, 12, 24), 4);
  EXPECT_EQ(RowOf(row_ptr, 12, 48), 12);
  EXPECT_EQ(RowOf(row_ptr, 12, 29), 7);
  EXPECT_EQ(RowOf(row_ptr, 12, 37), 10);

  int                        starts[24 + 18];
  speculative::Segments<int> tile{};
  tile.starts = starts;
  speculative::Describe(row_ptr, 12, 0, 0, 24, tile);
  EXPECT_EQ(tile.stop, 4);
  EXPECT_FALSE(tile.dirty);
  EXPECT_TRUE(tile.open); // 5e
  speculative::Describe(row_ptr, 12, 4, 24, 48, tile);
  EXPECT_EQ(tile.stop, 12);
  EXPECT_TRUE(tile.dirty);
  EXPECT_FALSE(tile.open);
  // "The effective part {3, 5, 10, 13, 20}", and "the first bit of its segment descriptor should be TRUE".
  ASSERT_EQ(tile.count, 6);
  EXPECT_EQ((std::vector<int>(starts, starts + 6)), (std::vector<int>{0, 3, 5, 10, 13, 20}));
}

TEST(SpeculativePaper, Figure3StageByStage)
{
  using M = Figure3;
  const Figure3 m;
  for (int check : {0, 1}) {
    Layout              layout;
    const double        unset = -1;
    std::vector<double> y(12, unset);
    Speculative::Build(m.csr, Figure3::Options(check), layout);
    ASSERT_EQ(layout.Tiles(), 2);
    ASSERT_EQ(layout.Bunches(), 1);

    const OwnExec<HostExec>                    exec(WorkspaceBytes<speculative::Speculative>(layout));
    const speculative::Containers<double, int> containers(layout, (*exec).workspace());
    speculative::SpeculativeExecution<false>(*exec, layout, containers, m.x.data(), y.data());
    // "Its first partial sum is 3a, which is stored with its global index 0 to the synchronizer."
    EXPECT_EQ(containers.synchronizer[0].row, 0);
    EXPECT_EQ(containers.synchronizer[0].value, 3 * M::a);
    // "Dirty counter is 1 and speculator array has a pair of offsets {<4, 12>}."
    EXPECT_EQ(*containers.dirty_counter, 1);
    EXPECT_EQ(containers.speculator[0].start, 4);
    EXPECT_EQ(containers.speculator[0].stop, 12);
    // "The first tile's last value 5e is transmitted to the next tile": row 4 has 8e. "Entries 5g, 3h, 7i and
    // 4j generated by the second tile are located in wrong slots."
    EXPECT_EQ(y, (std::vector<double>{unset, 6 * M::b, 3 * M::c, 7 * M::d, 8 * M::e, 2 * M::f, 5 * M::g, 3 * M::h, 7 * M::i,
                                      4 * M::j, unset, unset}));

    // "After that, the value 3a is added to position 0 of y."
    std::vector<double> synchronized = y;
    speculative::Synchronize<false, double, int>{m.csr.row_ptr, 48, 1, containers.synchronizer, synchronized.data()}(0);
    EXPECT_EQ(synchronized[0], 3 * M::a);
    EXPECT_TRUE(std::equal(y.begin() + 1, y.end(), synchronized.begin() + 1));

    // "Entries 5g, 3h, 7i and 4j are moved to their correct positions. Then the SpMV operation is done."
    speculative::CheckPrediction<false>(*exec, layout, containers, y.data());
    EXPECT_EQ(y, (std::vector<double>{3 * M::a, 6 * M::b, 3 * M::c, 7 * M::d, 8 * M::e, 2 * M::f, 0, 5 * M::g, 3 * M::h, 0,
                                      7 * M::i, 4 * M::j}));
    EXPECT_EQ(Figure(layout, "tiles"), 2);
    EXPECT_EQ(Figure(layout, "dirty_tiles"), 1);
    EXPECT_EQ(Figure(layout, "corrections"), 4);
  }
}

/// Table 1's column for nVidia, for memory other than the host's (an execution space for this test only).
struct FarExec {
  static constexpr bool on_host = false;
};

TEST(SpeculativePaper, Table1)
{
  constexpr speculative::Defaults single = speculative::DefaultsFor<FarExec, float>(),
                                  twice  = speculative::DefaultsFor<FarExec, double>();
  EXPECT_EQ((std::array{single.width, single.height, single.bunches, single.steps}), (std::array{32, 8, 5, 7}));
  EXPECT_EQ((std::array{twice.width, twice.height, twice.bunches, twice.steps}), (std::array{32, 4, 5, 7}));
}

/// Dirty tiles and corrections counted from their definitions: the statistics, and the tiles that a product labels.
TEST(Speculative, CountsAreThoseOfTheDefinitions)
{
  int dirty_in_all = 0, corrections_in_all = 0;
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    const TestMatrix          a = Random(seed);
    const Arrays<double, int> arrays(a);
    const int width = 1 + static_cast<int>(seed % 9), height = 1 + static_cast<int>(seed % 7), size = width * height;
    SCOPED_TRACE(a.name);
    Layout layout;
    Speculative::Build(arrays.csr,
                       {width, height, 1 + static_cast<int>(seed % 3), 1 + static_cast<int>(seed % 5), static_cast<int>(seed % 2)},
                       layout);
    std::vector<int> row_of;
    for (int row = 0; row < a.rows; ++row)
      row_of.insert(row_of.end(), static_cast<std::size_t>(a.row_ptr[row + 1] - a.row_ptr[row]), row);
    int tiles = 0, dirty = 0, corrections = 0;
    for (int begin = 0; begin < a.nnz(); begin += size, ++tiles) {
      const int next  = begin + size < a.nnz() ? row_of[begin + size] : a.rows;
      bool      empty = false;
      for (int row = row_of[begin] + 1; row < next; ++row) {
        if (a.row_ptr[row] == a.row_ptr[row + 1]) empty = true;
        else corrections += empty; // after an empty row: it was stored too far left
      }
      dirty += empty;
    }
    EXPECT_EQ(Figure(layout, "tiles"), tiles);
    EXPECT_EQ(Figure(layout, "dirty_tiles"), dirty);
    EXPECT_EQ(Figure(layout, "corrections"), corrections);
    const auto                                 x = RandomVector<double>(static_cast<std::size_t>(a.cols), 7);
    std::vector<double>                        y(static_cast<std::size_t>(a.rows));
    const OwnExec<HostExec>                    exec(WorkspaceBytes<speculative::Speculative>(layout));
    const speculative::Containers<double, int> containers(layout, (*exec).workspace());
    speculative::SpeculativeExecution<false>(*exec, layout, containers, x.data(), y.data());
    EXPECT_EQ(*containers.dirty_counter, dirty);
    dirty_in_all += dirty;
    corrections_in_all += corrections;
  }
  EXPECT_GT(dirty_in_all, 1000);
  EXPECT_GT(corrections_in_all, 1000);
}

/// Section 3.3: nnz/(S W T) for the synchronizer, nnz/(W T) for the speculator, and the counter, each aligned to a cache line.
/// They belong to a product; a layout has nothing. Products read the borrowed arrays: values written to them take effect without a
/// refresh.
TEST(Speculative, KeepsNoCopyOfTheMatrix)
{
  const TestMatrix    a = FromRowLengths("regular", 2000, 500, [](int) { return 9; });
  Arrays<double, int> arrays(a);
  for (const auto &[width, height, steps] : {std::array{32, 8, 16}, {1, 1, 1}, {7, 3, 5}, {64, 64, 64}}) {
    Layout layout;
    Speculative::Build(arrays.csr, {width, height, 2, steps, 0}, layout);
    const std::size_t tiles   = static_cast<std::size_t>((18000 + width * height - 1) / (width * height)),
                      bunches = (tiles + static_cast<std::size_t>(steps) - 1) / static_cast<std::size_t>(steps);
    const auto in_lines       = [](std::size_t bytes) { return (bytes + 63) / 64 * 64; };
    EXPECT_EQ(Speculative::Bytes(layout), 0u);
    EXPECT_EQ(WorkspaceBytes<speculative::Speculative>(layout),
              in_lines(bunches * 2 * sizeof(double)) + in_lines(tiles * 2 * sizeof(int)) + in_lines(sizeof(std::int64_t)));
    const std::vector<double> x(500, 1.0);
    std::vector<double>       y(2000);
    std::fill(arrays.val.begin(), arrays.val.end(), 0.25);
    Speculative::Apply<Op::N, false>(layout, x.data(), y.data());
    EXPECT_EQ(y, std::vector<double>(2000, 2.25));
    std::fill(arrays.val.begin(), arrays.val.end(), 0.5);
    Speculative::Apply<Op::N, false>(layout, x.data(), y.data());
    EXPECT_EQ(y, std::vector<double>(2000, 4.5));
  }
  static_assert(kBorrows<speculative::Speculative>);
}

/// The number of bunches per worker and the place of the check do not affect the results.
TEST(Speculative, SameBitsForAllGroupsAndChecks)
{
  const TestMatrix a = FromRowLengths("irregular", 9000, 700, [](int i) { return i % 41 == 0 ? 600 : i % 7 % 4 * (i % 3); });
  const Arrays<double, int> arrays(a);
  const auto                x = RandomVector<double>(700, 8);
  std::vector<double>       first(9000), y(9000);
  for (int bunches : {1, 2, 7, 64}) {
    for (int check : {0, 1}) {
      Layout layout;
      Speculative::Build(arrays.csr, {kDecide, kDecide, bunches, 4, check}, layout);
      Speculative::Apply<Op::N, false>(layout, x.data(), y.data());
      if (bunches == 1 && check == 0) first = y;
      EXPECT_EQ(std::memcmp(first.data(), y.data(), 9000 * sizeof(double)), 0) << bunches << " " << check;
    }
  }
}

/// Each way of summing segments handles any tile, complete or not, whichever the kernel would choose.
template <class Scalar, int Width, int Height>
void CheckWays(int width, int height)
{
  using TileShape = speculative::Shape<Width, Height>;
  const TileShape shape{width, height};
  const auto      buffers = std::make_unique<speculative::TileBuffers<Scalar, TileShape>>();
  std::mt19937    random(11);
  for (int round = 0; round < 60; ++round) {
    const int n     = round % 3 ? width * height : 1 + static_cast<int>(random() % static_cast<unsigned>(width * height)),
              often = 1 + round % 13;
    std::vector<Scalar> product, expected;
    int                 count = 0;
    for (int e = 0; e < n; ++e) { // small integers: any order of additions is exact
      product.push_back(MakeScalar<Scalar>(static_cast<int>(random() % 19) - 9, static_cast<int>(random() % 7)));
      if (e == 0 || random() % static_cast<unsigned>(often) == 0) {
        buffers->starts[count++] = e;
        expected.push_back(Scalar(0));
      }
      expected.back() += product.back();
    }
    buffers->starts[count] = n;
    const auto check       = [&](const char *way, const Scalar *sums) {
      EXPECT_EQ(std::vector<Scalar>(sums, sums + count), expected) << way << " " << width << " x " << height << ", " << n;
    };
    std::copy(product.begin(), product.end(), buffers->Products());
    std::fill_n(buffers->Products() + n, kReadBehind, MakeScalar<Scalar>(std::nan(""), 0)); // must have no effect
    SumRows<false>(buffers->starts, 0, count, n, EntryProducts<Scalar>{0, buffers->Products()}, buffers->Other());
    check("one by one", buffers->Other());
    check("lanes", speculative::SumInLanes(shape, n, count, buffers->Products(), buffers->Other(), buffers->starts));
  }
}

template <class Scalar>
void CheckWaysOfAllShapes()
{
  CheckWays<Scalar, 64, 8>(64, 8);
  CheckWays<Scalar, 32, 8>(32, 8);
  CheckWays<Scalar, 16, 8>(16, 8);
  for (const auto &[width, height] : {std::pair{1, 1}, {1, 64}, {64, 1}, {3, 5}, {4, 6}, {7, 33}, {64, 64}})
    CheckWays<Scalar, 0, 0>(width, height);
}

TEST(Speculative, AllWaysToSumSegmentsAgree)
{
  CheckWaysOfAllShapes<double>();
  CheckWaysOfAllShapes<float>();
  CheckWaysOfAllShapes<std::complex<double>>();
  CheckWaysOfAllShapes<std::complex<float>>();
}

} // namespace

} // namespace petscspmv::test
