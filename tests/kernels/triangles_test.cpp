// Solves with layouts of triangles, against a plain loop in the order of the matrix: the same bits.
#include "mat/triangles/host.hpp"
#include "mat/triangles/in_parts.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cfenv>
#include <complex>
#include <cstring>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

namespace petscspmv::test {

namespace {

template <class Scalar>
Scalar Number(double real, double imag)
{
  if constexpr (Parts<Scalar>::count == 2)
    return Scalar(static_cast<typename Parts<Scalar>::Real>(real), static_cast<typename Parts<Scalar>::Real>(imag));
  else return static_cast<Scalar>(real);
}

/// A triangle of a square matrix, with entries so small that results stay near one.
template <class Scalar, class Index>
struct TestTriangle {
  std::vector<Index>  begin, end, col_idx;
  std::vector<Scalar> val;
  bool                upper;

  TestTriangle(const TestMatrix &a, bool is_upper, double between = std::numeric_limits<double>::quiet_NaN()) : upper(is_upper)
  {
    const int n = std::min(a.rows, a.cols);
    for (int row = 0; row < n; ++row) {
      begin.push_back(static_cast<Index>(col_idx.size()));
      const int first = a.row_ptr[static_cast<std::size_t>(row)], last = a.row_ptr[static_cast<std::size_t>(row) + 1];
      for (auto k = static_cast<std::size_t>(first); k < static_cast<std::size_t>(last); ++k) {
        if (upper ? a.col_idx[k] <= row || a.col_idx[k] >= n : a.col_idx[k] >= row) continue;
        const double scale = 1 / (1 + std::abs(a.real[k])) / (last - first);
        col_idx.push_back(a.col_idx[k]);
        val.push_back(Number<Scalar>(a.real[k] * scale, a.imag[k] * scale));
      }
      end.push_back(static_cast<Index>(col_idx.size()));
      col_idx.push_back(std::numeric_limits<Index>::max()); // entries of no triangle between those of rows
      val.push_back(Number<Scalar>(between, 0));
    }
    begin.push_back(static_cast<Index>(col_idx.size()));
  }

  TriangleSource<Scalar, Index> Source() const
  {
    return {static_cast<Index>(end.size()), upper, begin.data(), end.data(), col_idx.data(), val.data()};
  }
};

/// One rounding for each operation, products of complex numbers by the textbook formula.
template <class Scalar, class Index>
void PlainSweep(const TestTriangle<Scalar, Index> &t, const std::vector<Scalar> &d, const Sweep<Scalar> &sweep)
{
  const std::vector<Scalar> before(sweep.x, sweep.x + t.end.size());
  for (std::size_t k = 0; k < t.end.size(); ++k) {
    const std::size_t row = t.upper ? t.end.size() - 1 - k : k;
    Scalar            sum = sweep.b ? sweep.b[row] : Scalar(0);
    if (sweep.kind == SweepKind::Start) sum = Multiply(sum, d[row]);
    for (auto e = static_cast<std::size_t>(t.begin[row]); e < static_cast<std::size_t>(t.end[row]); ++e) {
      const auto   j       = static_cast<std::size_t>(t.col_idx[e]);
      const Scalar product = Multiply(t.val[e], sweep.kind == SweepKind::Multiply ? before[j] : sweep.x[j]);
      sum                  = sum - product;
    }
    if (sweep.sum) sweep.sum[row] = sum;
    if (sweep.kind == SweepKind::Multiply) continue;
    if ((sweep.kind == SweepKind::Solve || sweep.kind == SweepKind::Relax) && sweep.more) sum = sum + sweep.more[row];
    if (sweep.kind == SweepKind::Scaled || sweep.kind == SweepKind::Relax) sum = Multiply(sum, d[row]);
    if (sweep.kind == SweepKind::Relax) sum = Multiply(sweep.keep, before[row]) + sum;
    sweep.x[row] = sum;
  }
}

/// Equal bits; any NaN for any other.
template <class Scalar>
void ExpectSame(const std::vector<Scalar> &a, const std::vector<Scalar> &b)
{
  using Real = typename Parts<Scalar>::Real;
  ASSERT_EQ(a.size(), b.size());
  const auto *of_a = reinterpret_cast<const Real *>(a.data()), *of_b = reinterpret_cast<const Real *>(b.data());
  for (std::size_t i = 0; i < a.size() * Parts<Scalar>::count; ++i)
    ASSERT_TRUE((std::isnan(of_a[i]) && std::isnan(of_b[i])) || std::memcmp(of_a + i, of_b + i, sizeof(Real)) == 0)
      << i << ": " << of_a[i] << ", must be " << of_b[i];
}

template <class Scalar>
std::vector<Scalar> Values(std::size_t n, int seed)
{
  std::vector<Scalar> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double at = static_cast<double>(i) + 0.37 * seed;
    values[i]       = Number<Scalar>(std::sin(at), std::cos(3 * at));
  }
  return values;
}

template <class Case>
class Triangles : public testing::Test {
};

template <class S, class I>
struct Case {
  using Scalar = S;
  using Index  = I;
};
using Cases = testing::Types<Case<double, int>, Case<double, std::int64_t>, Case<float, int>, Case<std::complex<double>, int>>;
TYPED_TEST_SUITE(Triangles, Cases);

/// Sweeps without a layout.
template <class Scalar, class Index>
struct WithoutLayout {
  const TriangleInParts<Scalar, Index> &of;

  void Run(const Execution &execution, const Sweep<Scalar> &sweep) const { of.RunPlain(execution, sweep); }
};

/// Runs all kinds of sweeps with a layout and in a plain loop; `by_columns`: those alone that our plain loop has for such
/// triangles.
template <class Layout, class Scalar, class Index>
void Check(const TestTriangle<Scalar, Index> &t, const Layout &layout, const std::vector<Scalar> &d, const std::vector<Scalar> &b,
           bool by_columns = false)
{
  const std::size_t   n     = t.end.size();
  std::vector<Scalar> start = Values<Scalar>(n, 2), more = Values<Scalar>(n, 3);
  for (const SweepKind kind : {SweepKind::Solve, SweepKind::Scaled, SweepKind::Start, SweepKind::Relax, SweepKind::Multiply}) {
    if (by_columns && (kind == SweepKind::Relax || kind == SweepKind::Multiply)) continue;
    for (const int what : {0, 1, 2, 3}) {
      if (by_columns && what == 2) continue;
      SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", " << what);
      const bool          in_place = what == 1 && kind != SweepKind::Multiply;
      std::vector<Scalar> x = in_place ? b : start, y = x, sum_x(n), sum_y(n);
      const auto          sweep = [&](std::vector<Scalar> &to, std::vector<Scalar> &sum) {
        return Sweep<Scalar>{.kind = kind,
                                      .b    = in_place    ? to.data()
                                              : what == 3 ? nullptr
                                                          : b.data(),
                                      .x    = to.data(),
                                      .sum  = kind == SweepKind::Multiply || (what != 0 && !by_columns) ? sum.data() : nullptr,
                                      .more = what == 2 ? more.data() : nullptr,
                                      .keep = Number<Scalar>(-0.25, 0)};
      };
      layout.Run({}, sweep(x, sum_x));
      PlainSweep(t, d, sweep(y, sum_y));
      ExpectSame(x, y);
      ExpectSame(sum_x, sum_y);
    }
  }
}

template <class Scalar, class Index>
void CheckTriangle(const TestMatrix &a, std::int64_t window)
{
  static constexpr auto                        methods     = triangles::MethodsOf<Scalar, Index>();
  static const TriangleMethods<Scalar, Index> *by_target[] = {&methods};
  for (const bool upper : {false, true}) {
    SCOPED_TRACE(testing::Message() << a.name << (upper ? ", upper, window " : ", lower, window ") << window);
    TestTriangle<Scalar, Index> t(a, upper);
    Triangle<Scalar, Index>     layout(by_target);
    std::vector<Scalar>         d = Values<Scalar>(t.end.size(), 1), b = Values<Scalar>(t.end.size(), 4);
    ASSERT_TRUE(layout.Build({}, t.Source(), {.window = window, .always = true}));
    layout.SetDiagonal(d.data());
    Check(t, layout, d, b);
    for (Scalar &v : t.val) v = v * Scalar(-0.5);
    layout.Refresh({}, t.Source());
    Check(t, layout, d, b);
    if (b.size() < 9) continue;
    b[1] = std::numeric_limits<double>::infinity(); // reaches the rows that need this one, and no others
    b[7] = std::numeric_limits<double>::quiet_NaN();
    b[8] = -0.0;
    Check(t, layout, d, b);
  }
}

/// The same triangle with the entries of each row from the last to the first.
template <class Scalar, class Index>
TestTriangle<Scalar, Index> Reversed(TestTriangle<Scalar, Index> t)
{
  for (std::size_t row = 0; row < t.end.size(); ++row) {
    std::reverse(t.col_idx.begin() + t.begin[row], t.col_idx.begin() + t.end[row]);
    std::reverse(t.val.begin() + t.begin[row], t.val.begin() + t.end[row]);
  }
  return t;
}

/// The rows of the transpose.
template <class Scalar, class Index>
TestTriangle<Scalar, Index> Transposed(const TestTriangle<Scalar, Index> &of)
{
  TestTriangle<Scalar, Index>                        t = of;
  std::vector<std::vector<std::pair<Index, Scalar>>> rows(of.end.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    for (auto e = static_cast<std::size_t>(of.begin[k]); e < static_cast<std::size_t>(of.end[k]); ++e)
      rows[static_cast<std::size_t>(of.col_idx[e])].emplace_back(static_cast<Index>(k), of.val[e]);
  }
  t.upper = !of.upper;
  t.col_idx.clear();
  t.val.clear();
  for (std::size_t row = 0; row < rows.size(); ++row) {
    t.begin[row] = static_cast<Index>(t.col_idx.size());
    for (const auto &[col, val] : rows[row]) {
      t.col_idx.push_back(col);
      t.val.push_back(val);
    }
    t.end[row] = static_cast<Index>(t.col_idx.size());
  }
  t.begin.back() = static_cast<Index>(t.col_idx.size());
  return t;
}

/// Triangles that are not stored by rows in the order of their sums: PETSc's symmetric factors, and those of transposed solves.
template <class Scalar, class Index>
void CheckStoredOtherwise(const TestMatrix &a, std::int64_t window)
{
  static constexpr auto                        methods     = triangles::MethodsOf<Scalar, Index>();
  static const TriangleMethods<Scalar, Index> *by_target[] = {&methods};
  for (const int how : {0, 1, 2, 3, 4}) { // reversed; transposed, lower or upper; these two negated
    SCOPED_TRACE(testing::Message() << a.name << ", " << how << ", window " << window);
    const bool                     upper = how == 0 || how == 2 || how == 4, transposed = how > 0, negated = how != 1 && how != 2;
    TestTriangle<Scalar, Index>    sums(a, upper), stored = transposed ? Transposed(sums) : sums;
    TriangleInParts<Scalar, Index> layout(by_target);
    std::vector<Scalar>            d = Values<Scalar>(sums.end.size(), 1), b = Values<Scalar>(sums.end.size(), 4);
    if (upper) sums = Reversed(sums); // the rows of the transpose are gone through from the last to the first
    const auto source = [&] {
      TriangleSource<Scalar, Index> of = stored.Source();
      of.upper                         = upper;
      of.transposed                    = transposed;
      of.reversed                      = !transposed;
      of.negated                       = negated;
      return of;
    };
    if (negated) {
      for (Scalar &v : stored.val) v = -v;
    }
    ASSERT_TRUE(layout.Plan(source(), {.window = window, .always = true}, 8));
    ASSERT_EQ(layout.Parts(), 1);
    layout.SetDiagonal(d.data());
    Check(sums, WithoutLayout<Scalar, Index>{layout}, d, b, transposed);
    ASSERT_TRUE(layout.BuildNext({}));
    Check(sums, layout, d, b);
    for (Scalar &v : stored.val) v = v * Scalar(-0.5);
    for (Scalar &v : sums.val) v = v * Scalar(-0.5);
    layout.Lend(source());
    layout.Refresh({});
    Check(sums, layout, d, b);
    Check(sums, WithoutLayout<Scalar, Index>{layout}, d, b, transposed);
  }
}

/// Rows of which each needs one of the first rows, more than 16 bits away, and the one `distance` rows before.
TestMatrix FarChains(int rows, int distance)
{
  TestMatrix a{"far chains", rows, rows, {0}, {}, {}, {}};
  for (int row = 0; row < rows; ++row) {
    for (const int col : {row % distance, row - distance, row, row + distance, rows - 1 - row % distance}) {
      if (col < 0 || col >= rows || (a.nnz() > a.row_ptr.back() && col <= a.col_idx.back())) continue;
      a.col_idx.push_back(col);
      a.real.push_back(1 + row % 7);
      a.imag.push_back(1 + row % 3);
    }
    a.row_ptr.push_back(a.nnz());
  }
  return a;
}

TYPED_TEST(Triangles, AreStoredOtherwise)
{
  CheckStoredOtherwise<typename TypeParam::Scalar, typename TypeParam::Index>(FarChains(70000, 9), 8192);
  for (const TestMatrix &a : AllShapes(32)) {
    for (const std::int64_t window : {0, 7, 64})
      CheckStoredOtherwise<typename TypeParam::Scalar, typename TypeParam::Index>(a, window);
  }
}

/// Columns of a row that are not in ascending order, so that the row before is not where it is mostly found.
TYPED_TEST(Triangles, ArePlainlySolvedInAnyOrderOfColumns)
{
  using Scalar                                             = typename TypeParam::Scalar;
  using Index                                              = typename TypeParam::Index;
  static constexpr auto                        methods     = triangles::MethodsOf<Scalar, Index>();
  static const TriangleMethods<Scalar, Index> *by_target[] = {&methods};
  for (const TestMatrix &a : AllShapes(32)) {
    for (const bool upper : {false, true}) {
      SCOPED_TRACE(testing::Message() << a.name << ", upper " << upper);
      const TestTriangle<Scalar, Index> t = Reversed(TestTriangle<Scalar, Index>(a, upper));
      TriangleInParts<Scalar, Index>    layout(by_target);
      const std::vector<Scalar>         d = Values<Scalar>(t.end.size(), 1), b = Values<Scalar>(t.end.size(), 4);
      layout.Lend(t.Source());
      layout.SetDiagonal(d.data());
      Check(t, WithoutLayout<Scalar, Index>{layout}, d, b);
    }
  }
}

TYPED_TEST(Triangles, HaveTheBitsOfPlainLoops)
{
  for (const TestMatrix &a : AllShapes(32)) {
    for (const std::int64_t window : {0, 1, 7, 64}) CheckTriangle<typename TypeParam::Scalar, typename TypeParam::Index>(a, window);
  }
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    CheckTriangle<typename TypeParam::Scalar, typename TypeParam::Index>(Random(seed), static_cast<std::int64_t>(seed % 3 * 50));
}

/// Of a sweep: the work of the rows without a part.
template <class Scalar, class Index>
void CheckRest(const TestTriangle<Scalar, Index> &t, const TriangleInParts<Scalar, Index> &layout, std::int64_t window)
{
  const auto          rows = static_cast<std::int64_t>(t.end.size()), windows = (rows + window - 1) / window;
  const std::int64_t  of_part = (windows + 3) / 4 * window;
  std::vector<Scalar> b(t.end.size()), x(t.end.size());
  RestOfSweeps        rest;
  double              work = 0, all = 0;
  layout.Run({}, {.kind = SweepKind::Solve, .b = b.data(), .x = x.data()}, &rest);
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto number = t.upper ? rows - 1 - row : row;
    const auto at     = static_cast<std::size_t>(row);
    const auto of_row = static_cast<double>(t.end[at] - t.begin[at] + 1);
    all += of_row;
    if (number >= layout.Made() * of_part) work += of_row;
  }
  EXPECT_DOUBLE_EQ(rest.Share() * all, work);
}

/// With every number of parts that there may be, values that change between them, and factors of rows that do.
template <class Scalar, class Index>
void CheckParts(const TestMatrix &a, std::int64_t window)
{
  static constexpr auto                        methods     = triangles::MethodsOf<Scalar, Index>();
  static const TriangleMethods<Scalar, Index> *by_target[] = {&methods};
  for (const bool upper : {false, true}) {
    TestTriangle<Scalar, Index>    t(a, upper);
    TriangleInParts<Scalar, Index> layout(by_target);
    std::vector<Scalar>            d = Values<Scalar>(t.end.size(), 1), b = Values<Scalar>(t.end.size(), 4);
    ASSERT_TRUE(layout.Plan(t.Source(), {.window = window, .always = true}, 4));
    layout.SetDiagonal(d.data());
    EXPECT_LE(layout.Parts(), 4);
    for (;;) {
      SCOPED_TRACE(testing::Message() << a.name << ", upper " << upper << ", window " << window << ", " << layout.Made() << " of "
                                      << layout.Parts() << " parts");
      Check(t, layout, d, b);
      for (Scalar &v : t.val) v = v * Scalar(-0.5);
      layout.Lend(t.Source());
      layout.Refresh({});
      d = Values<Scalar>(t.end.size(), layout.Made());
      layout.SetDiagonal(d.data());
      Check(t, layout, d, b);
      CheckRest(t, layout, window);
      if (layout.Made() == layout.Parts()) break;
      ASSERT_TRUE(layout.BuildNext({}));
    }
  }
}

TYPED_TEST(Triangles, InPartsHaveTheBitsOfPlainLoops)
{
  for (const TestMatrix &a : AllShapes(16)) {
    for (const std::int64_t window : {1, 7, 1000}) CheckParts<typename TypeParam::Scalar, typename TypeParam::Index>(a, window);
  }
}

/// The five-point grid of 40 x 40: its levels are the diagonals.
TestMatrix Grid(int n)
{
  TestMatrix a{"grid", n * n, n * n, {0}, {}, {}, {}};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const auto add = [&](int k, int l) {
        if (k < 0 || l < 0 || k >= n || l >= n) return;
        a.col_idx.push_back(k * n + l);
        a.real.push_back(1 + 0.1 * a.nnz());
        a.imag.push_back(0.5);
      };
      add(i - 1, j), add(i, j - 1), add(i, j), add(i, j + 1), add(i + 1, j);
      a.row_ptr.push_back(a.nnz());
    }
  }
  return a;
}

/// The layout of the lower triangle of a matrix.
class LayoutOf {
public:
  explicit LayoutOf(const TestMatrix &a, const TriangleOptions &options = {})
  {
    const TestTriangle<double, int> t(a, false);
    const Execution                 execution;
    EXPECT_TRUE(triangles::Build(HostExec(execution), t.Source(), options, layout));
  }
  double SideBySide() const { return static_cast<double>(layout.rows) / static_cast<double>(layout.levels); }

  triangles::Layout<double, int> layout;
};

TEST(TriangleLayout, SolvesTheRowsOfALevelSideBySide)
{
  const LayoutOf grid(Grid(40));
  EXPECT_DOUBLE_EQ(grid.SideBySide(), 1600.0 / 79);   // 79 diagonals
  EXPECT_GE(grid.layout.chunks.entries, 2 * 40 * 39); // each row has those to the left and above
  EXPECT_LT(grid.layout.chunks.entries, 1.5 * 2 * 40 * 39);
}

/// Of 10,000 rows in 100 lines the first window holds too few lines to have four chunks of rows side by side; the second one has
/// most of them.
TEST(TriangleLayout, HasTheWindowWithEnoughRowsSideBySide)
{
  const LayoutOf grid(Grid(100));
  EXPECT_EQ(grid.layout.window, 8192);
  EXPECT_DOUBLE_EQ(grid.SideBySide(), 10000.0 / (181 + 116)); // levels of both windows
}

/// Rows of which each needs the one `distance` rows before; every `distance`-th has `more` entries besides.
TestMatrix Chains(int rows, int distance, int more = 0)
{
  TestMatrix a{"chains", rows, rows, {0}, {}, {}, {}};
  for (int row = 0; row < rows; ++row) {
    const auto add = [&](int col) {
      a.col_idx.push_back(col);
      a.real.push_back(1);
      a.imag.push_back(0);
    };
    for (int col = std::max(row - distance - more, 0); col < row - distance; ++col)
      if (row % distance == 0) add(col);
    if (row >= distance) add(row - distance);
    add(row);
    a.row_ptr.push_back(a.nnz());
  }
  return a;
}

/// Parts are of windows, as many in each.
TEST(TriangleLayout, HasPartsOfWindows)
{
  static constexpr auto                      methods     = triangles::MethodsOf<double, int>();
  static const TriangleMethods<double, int> *by_target[] = {&methods};
  const TestTriangle<double, int>            t(Grid(150), true), chain(Chains(20000, 1), false);
  for (const auto &[window, most, parts] : {std::array{100, 8, 8}, std::array{3000, 8, 8}, std::array{5000, 8, 5},
                                            std::array{30000, 8, 1}, std::array{0, 8, 3}, std::array{100, 1, 1}}) {
    TriangleInParts<double, int> layout(by_target);
    ASSERT_TRUE(layout.Plan(t.Source(), {.window = window}, most));
    EXPECT_EQ(layout.Parts(), parts) << window;
    EXPECT_EQ(layout.Made(), 0);
  }
  TriangleInParts<double, int> layout(by_target);
  EXPECT_FALSE(layout.Plan(chain.Source(), {}, 8));
  EXPECT_TRUE(layout.Plan(chain.Source(), {.always = true}, 8));
}

/// Within the first window, and in samples of several.
TEST(TriangleLayout, IsRefusedWhereRowsWaitForEachOther)
{
  static constexpr auto                      methods     = triangles::MethodsOf<double, int>();
  static const TriangleMethods<double, int> *by_target[] = {&methods};
  for (const int rows : {500, 20000}) {
    const TestMatrix                a = Chains(rows, 1);
    const TestTriangle<double, int> t(a, false);
    EXPECT_FALSE((Triangle<double, int>(by_target).Build({}, t.Source(), {})));
    EXPECT_DOUBLE_EQ(LayoutOf(a, {.always = true}).SideBySide(), 1);
  }
}

/// One row in eight has 41 entries and the others have one: chunks of eight have 328 for 48.
TEST(TriangleLayout, IsRefusedWhereItIsMostlyPadding)
{
  static constexpr auto                      methods     = triangles::MethodsOf<double, int>();
  static const TriangleMethods<double, int> *by_target[] = {&methods};
  for (const int more : {0, 40}) {
    const TestTriangle<double, int> t(Chains(4000, 8, more), false);
    Triangle<double, int>           layout(by_target);
    EXPECT_EQ(layout.Build({}, t.Source(), {}), more == 0);
    EXPECT_TRUE(layout.Build({}, t.Source(), {.always = true}));
  }
}

/// Whose arrays are not looked at.
TEST(TriangleLayout, IsRefusedForMoreRowsThanItCounts)
{
  static constexpr auto                               methods     = triangles::MethodsOf<double, std::int64_t>();
  static const TriangleMethods<double, std::int64_t> *by_target[] = {&methods};
  Triangle<double, std::int64_t>                      layout(by_target);
  EXPECT_FALSE(layout.Build({}, {.rows = std::int64_t{1} << 31}, {.window = 1, .always = true}));
}

TEST(TriangleLayout, RoundsValuesToSinglePrecision)
{
  static constexpr auto                      methods     = triangles::MethodsOf<double, int>();
  static const TriangleMethods<double, int> *by_target[] = {&methods};
  TestTriangle<double, int>                  t(Grid(40), false, 1);
  Triangle<double, int>                      layout(by_target);
  ASSERT_TRUE(layout.Build({}, t.Source(), {.single = true}));
  std::vector<double> b     = Values<double>(1600, 1), x(1600), y(1600), d;
  const auto          sweep = [&](std::vector<double> &to) { return Sweep<double>{.b = b.data(), .x = to.data()}; };
  layout.Run({}, sweep(x));
  PlainSweep(t, d, sweep(y));
  // At most two entries of less than 0.2 in a row, each with a relative error of 2^-24: with m the largest result, an error e obeys
  // e <= (2 * 0.2) (e + 2^-24 m).
  double most = 0, error = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    most  = std::max(most, std::abs(y[i]));
    error = std::max(error, std::abs(x[i] - y[i]));
  }
  EXPECT_LE(error, 0.4 / 0.6 * 0x1p-24 * most * 1.001);
  EXPECT_GT(error, 0);
}

/// A value that is infinite in single precision keeps values from being rounded, and no exception is raised.
TEST(TriangleLayout, RoundsNothingToInfinity)
{
  static constexpr auto                      methods     = triangles::MethodsOf<double, int>();
  static const TriangleMethods<double, int> *by_target[] = {&methods};
  const TestTriangle<double, int>            sums(Chains(100, 8, 8), false);
  for (const bool transposed : {false, true}) {
    TestTriangle<double, int> by_rows = sums, stored = transposed ? Transposed(sums) : sums;
    Triangle<double, int>     layout(by_target);
    const auto                source = [&] {
      TriangleSource<double, int> of = stored.Source();
      of.upper                       = false;
      of.transposed                  = transposed;
      return of;
    };
    std::fill(by_rows.val.begin(), by_rows.val.end(), 0.5); // exact in single precision
    std::fill(stored.val.begin(), stored.val.end(), 0.5);
    std::feclearexcept(FE_ALL_EXCEPT);
    ASSERT_TRUE(layout.Build({}, source(), {.always = true, .single = true}));
    const std::vector<double> d(sums.end.size(), 1), b = Values<double>(sums.end.size(), 4);
    layout.SetDiagonal(d.data());
    Check(by_rows, layout, d, b);
    const std::size_t bytes = layout.Bytes();
    for (const double value : {1e39, 1e-39, 0.5}) {
      by_rows.val[static_cast<std::size_t>(by_rows.begin[50])] = value;
      const auto first                                         = static_cast<std::size_t>(by_rows.begin[50]);
      const int  col                                           = by_rows.col_idx[first];
      for (auto e = static_cast<std::size_t>(stored.begin[transposed ? static_cast<std::size_t>(col) : 50]);; ++e) {
        if (stored.col_idx[e] != (transposed ? 50 : col)) continue;
        stored.val[e] = value;
        break;
      }
      layout.Refresh({}, source());
      EXPECT_FALSE(std::fetestexcept(FE_OVERFLOW | FE_UNDERFLOW)) << value;
      Check(by_rows, layout, d, b);
      std::feclearexcept(FE_ALL_EXCEPT);
    }
    if (transposed) {
      EXPECT_EQ(layout.Bytes(), bytes);
    }
  }
}

} // namespace

} // namespace petscspmv::test
