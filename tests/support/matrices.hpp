// Small matrices that are hard for formats, without PETSc.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace petscspmv::test {

/// A matrix in CSR; entries have a real and an imaginary part, both used by complex tests.
struct TestMatrix {
  std::string         name;
  int                 rows = 0, cols = 0;
  std::vector<int>    row_ptr{0}, col_idx;
  std::vector<double> real, imag;

  int nnz() const { return static_cast<int>(col_idx.size()); }
};

/// A number of [-1, 1). Clang computes logarithms of constants for each number of a std::uniform_real_distribution.
inline double RandomValue(std::mt19937_64 &random)
{
  return static_cast<double>(random() >> 11) * 0x1p-52 - 1;
}

/// A rows x cols matrix whose row i has lengths(i) entries (at most cols) in sorted random columns, with random values of both
/// signs and various magnitudes.
inline TestMatrix FromRowLengths(std::string name, int rows, int cols, const std::function<int(int)> &lengths,
                                 std::uint64_t seed = 1)
{
  TestMatrix      a{std::move(name), rows, cols, {0}, {}, {}, {}};
  std::mt19937_64 random(seed);
  for (int row = 0; row < rows; ++row) {
    const int        length = std::min(lengths(row), cols);
    std::vector<int> columns;
    if (2 * length > cols) {
      for (int col = 0; col < cols; ++col) columns.push_back(col);
      std::shuffle(columns.begin(), columns.end(), random);
      columns.resize(static_cast<std::size_t>(length));
      std::sort(columns.begin(), columns.end());
    } else {
      while (static_cast<int>(columns.size()) < length) {
        for (int missing = length - static_cast<int>(columns.size()); missing > 0; --missing)
          columns.push_back(static_cast<int>(random() % static_cast<std::uint64_t>(cols)));
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
      }
    }
    for (int col : columns) {
      const double scale = random() % 8 ? 1 : 1e6;
      a.col_idx.push_back(col);
      a.real.push_back(RandomValue(random) * scale);
      a.imag.push_back(RandomValue(random));
    }
    a.row_ptr.push_back(a.nnz());
  }
  return a;
}

/// Rows of up to 7 consecutive entries, near those of adjacent rows; one in `every` reaches `reach` further.
inline TestMatrix NearAndFar(int rows, int reach, int every)
{
  TestMatrix a = FromRowLengths("near and far", rows, 10 * rows + reach + 10, [](int i) { return i * 5 % 8; });
  for (int row = 0; row < rows; ++row) {
    const int begin = a.row_ptr[static_cast<std::size_t>(row)], end = a.row_ptr[static_cast<std::size_t>(row) + 1];
    for (int e = begin; e < end; ++e)
      a.col_idx[static_cast<std::size_t>(e)] = 10 * row + e - begin + (e > begin && row % every == 7 ? reach : 0);
  }
  return a;
}

/// A grid of nx x ny x nz nodes in its natural order, with some unknowns each: those of neighbours are coupled, which are 6, or 26
/// if `corners`. Of every `odd`-th row some entries are missing, of every fourth of these all.
inline TestMatrix Grid(std::string name, int nx, int ny, int nz, bool corners, int unknowns = 1, int odd = 0)
{
  TestMatrix      a{std::move(name), nx * ny * nz * unknowns, nx * ny * nz * unknowns, {0}, {}, {}, {}};
  std::mt19937_64 random(7);
  const auto      near = [](int i, int n) { return std::pair{std::max(i - 1, 0), std::min(i + 1, n - 1)}; };
  for (int row = 0; row < a.rows; ++row) {
    const int node = row / unknowns, x = node % nx, y = node / nx % ny, z = node / nx / ny;
    for (int k = near(z, nz).first; k <= near(z, nz).second; ++k) {
      for (int j = near(y, ny).first; j <= near(y, ny).second; ++j) {
        for (int i = near(x, nx).first; i <= near(x, nx).second; ++i) {
          if (!corners && (i != x) + (j != y) + (k != z) > 1) continue;
          for (int of_node = 0; of_node < unknowns; ++of_node) {
            if (odd > 0 && row % odd == 0 && (row / odd % 4 == 0 || random() % 4 == 0)) continue;
            a.col_idx.push_back(((k * ny + j) * nx + i) * unknowns + of_node);
            a.real.push_back(RandomValue(random));
            a.imag.push_back(RandomValue(random));
          }
        }
      }
    }
    a.row_ptr.push_back(a.nnz());
  }
  return a;
}

/// The shapes that every format must handle. `unit` is the number of entries in the format's blocks (a tile, a chunk), so that
/// sizes fall on and next to block boundaries.
inline std::vector<TestMatrix> AllShapes(int unit)
{
  std::vector<TestMatrix> all;
  const auto              add = [&](std::string name, int rows, int cols, const std::function<int(int)> &lengths) {
    all.push_back(FromRowLengths(std::move(name), rows, cols, lengths, all.size() + 1));
  };
  const int n = 3 * unit + 5;

  add("0x0", 0, 0, [](int) { return 0; });
  add("0xn", 0, 5, [](int) { return 0; });
  add("nx0", 5, 0, [](int) { return 0; });
  add("1x1 empty", 1, 1, [](int) { return 0; });
  add("1x1", 1, 1, [](int) { return 1; });
  add("all rows empty", n, 7, [](int) { return 0; });
  add("diagonal-like", n, n, [](int) { return 1; });
  add("leading empty rows", n, 40, [&](int i) { return i < n / 2 ? 0 : 3; });
  add("trailing empty rows", n, 40, [&](int i) { return i > n / 2 ? 0 : 3; });
  add("runs of empty rows", n, 40, [](int i) { return i % 11 < 6 ? 0 : 2 + i % 3; });
  add("every second row empty", n, 40, [](int i) { return i % 2; });
  add("one row among empty ones", n, 4 * unit, [&](int i) { return i == n / 3 ? 4 * unit - 1 : 0; });
  add("one dense row", n, 5 * unit + 3, [&](int i) { return i == n / 2 ? 5 * unit + 3 : 2; });
  add("dense first row", 50, 5 * unit, [&](int i) { return i == 0 ? 5 * unit : 1; });
  add("dense last row", 50, 5 * unit, [&](int i) { return i == 49 ? 5 * unit : 1; });
  add("one dense column", n, 1, [](int) { return 1; });
  add("single long row", 1, 70 * unit + 1, [&](int) { return 70 * unit + 1; });
  add("rows longer than many tiles", 6, 9 * unit, [&](int i) { return 9 * unit - i; });
  add("wide", 3, 2000, [](int i) { return 500 + i; });
  add("tall", 2000, 3, [](int i) { return i % 4; });
  add("irregular", 2 * n, 300, [](int i) {
    return (static_cast<unsigned>(i) * 2654435761u >> 7) % 97 < 3
             ? 200
             : static_cast<int>((static_cast<unsigned>(i) * 2654435761u >> 9) % 7);
  });
  add("full square", 40, 40, [](int) { return 40; });
  all.push_back(NearAndFar(40 + 4 * unit, 70000, 40 + 4 * unit));
  all.push_back(Grid("7-point grid", 19, 5, 4, false));
  all.push_back(Grid("27-point grid", 13, 4, 3, true));
  all.push_back(Grid("27-point grid, irregular", 16, 4, 3, true, 1, 11));
  all.push_back(Grid("grid of 3 unknowns", 7, 4, 3, true, 3));
  all.push_back(Grid("grid of 4 unknowns, irregular", 9, 3, 2, false, 4, 29));
  for (int tiles : {1, 2, 63, 64, 65, 128}) { // 64 tiles are one block of CSR5
    for (int off : {-1, 0, 1}) {
      const int entries = tiles * unit + off, length = 5;
      if (entries <= 0 || entries > 70000) continue;
      const int rows = (entries + length - 1) / length;
      add(std::to_string(tiles) + " units " + std::to_string(off), rows, 64,
          [=](int i) { return std::min(length, entries - i * length); });
    }
  }
  return all;
}

/// A matrix for pseudo-random fuzzing: sizes, row lengths and empty rows all depend on the seed.
inline TestMatrix Random(std::uint64_t seed)
{
  std::mt19937_64 random(seed);
  const auto      pick = [&](int n) { return static_cast<int>(random() % static_cast<std::uint64_t>(n)); };
  const int rows = pick(4) ? pick(300) : pick(5), cols = pick(4) ? 1 + pick(400) : pick(5), kind = pick(5), most = 1 + pick(40),
            odd = 1 + pick(9);
  return FromRowLengths(
    "random " + std::to_string(seed), rows, cols,
    [&](int i) {
      switch (kind) {
      case 0:
        return most;
      case 1:
        return pick(most);
      case 2:
        return i % odd ? 0 : most;
      case 3:
        return pick(50) ? pick(3) : cols;
      default:
        return pick(3) ? 0 : pick(most);
      }
    },
    seed + 1);
}

} // namespace petscspmv::test
