#include "matio/elements.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>

namespace petscspmv::matio {

namespace {

using Point   = std::array<std::int64_t, 3>;
using Columns = std::span<const std::int64_t>;

template <std::size_t n>
using Square = std::array<std::array<double, n>, n>;

constexpr std::size_t kCorners = 8; // of an element; the bits of a corner's number are its coordinates

Point PointAt(std::int64_t n, std::int64_t node)
{
  return {node % n, node / n % n, node / n / n};
}

/// Integrals over the unit cube of products of the corners' functions u and v.
struct Integrals {
  Square<kCorners>                               u_v{};
  std::array<Square<kCorners>, 3>                u_dv{}; // dv: by each coordinate
  std::array<std::array<Square<kCorners>, 3>, 3> du_dv{};
};

double Function(std::size_t corner, const std::array<double, 3> &at, std::size_t by = 3)
{
  double value = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool high = corner >> d & 1;
    value *= d == by ? (high ? 1 : -1) : high ? at[d] : 1 - at[d];
  }
  return value;
}

/// By Gauss' two points in each direction, which is exact.
Integrals Integrate()
{
  const std::array<double, 2> gauss{0.5 - std::sqrt(1. / 12), 0.5 + std::sqrt(1. / 12)};
  Integrals                   sums;
  for (std::size_t g = 0; g < kCorners; ++g) {
    const std::array<double, 3> at{gauss[g & 1], gauss[g >> 1 & 1], gauss[g >> 2]};
    for (std::size_t i = 0; i < kCorners; ++i) {
      for (std::size_t j = 0; j < kCorners; ++j) {
        sums.u_v[i][j] += Function(i, at) * Function(j, at) / kCorners;
        for (std::size_t a = 0; a < 3; ++a) {
          sums.u_dv[a][i][j] += Function(i, at) * Function(j, at, a) / kCorners;
          for (std::size_t b = 0; b < 3; ++b) sums.du_dv[a][b][i][j] += Function(i, at, a) * Function(j, at, b) / kCorners;
        }
      }
    }
  }
  return sums;
}

const Integrals &Unit()
{
  static const Integrals integrals = Integrate();
  return integrals;
}

/// A hexahedron between nodes, whose edges have other lengths than its neighbours'.
struct Element {
  std::int64_t          number;
  std::array<double, 3> edge{};
  double                volume = 1;

  Element(std::int64_t n, const Point &at) : number((at[0] + 1) + (n + 1) * ((at[1] + 1) + (n + 1) * (at[2] + 1)))
  {
    for (std::size_t d = 0; d < 3; ++d) volume *= edge[d] = 0.75 + 0.5 * RandomAt(at[d], -1 - static_cast<std::int64_t>(d));
  }

  /// A number from 0 to 1 for each of its properties.
  double Random(std::size_t property) const { return RandomAt(number, static_cast<std::int64_t>(property)); }

  double UV(std::size_t p, std::size_t q) const { return volume * Unit().u_v[p][q]; }
  double UDV(std::size_t p, std::size_t q, std::size_t a) const { return volume / edge[a] * Unit().u_dv[a][p][q]; }
  double DUDV(std::size_t p, std::size_t a, std::size_t q, std::size_t b) const
  {
    return volume / (edge[a] * edge[b]) * Unit().du_dv[a][b][p][q];
  }
  double Laplacian(std::size_t p, std::size_t q) const { return DUDV(p, 0, q, 0) + DUDV(p, 1, q, 1) + DUDV(p, 2, q, 2); }
};

/// Nodes of an n x n x n grid with `block` unknowns each, of which each node's are coupled with those of its neighbours, also
/// across corners. Elements lie between nodes, and beyond the first and last ones where `from` and `to` say so. An entry is the sum
/// of what its elements give: entry(element, corner and unknown of the row, those of the column).
template <class Entry>
RowSource Assembled(std::int64_t n, std::int64_t block, const Point &from, const Point &to, const Entry &entry)
{
  const auto columns = [=](std::int64_t row, std::vector<std::int64_t> &found) {
    const Point at = PointAt(n, row / block);
    for (std::int64_t z = std::max<std::int64_t>(0, at[2] - 1); z <= std::min(n - 1, at[2] + 1); ++z) {
      for (std::int64_t y = std::max<std::int64_t>(0, at[1] - 1); y <= std::min(n - 1, at[1] + 1); ++y) {
        for (std::int64_t x = std::max<std::int64_t>(0, at[0] - 1); x <= std::min(n - 1, at[0] + 1); ++x) {
          for (std::int64_t k = 0; k < block; ++k) found.push_back(block * (x + n * (y + n * z)) + k);
        }
      }
    }
  };
  const auto value = [=](std::int64_t row, std::int64_t col, Columns) {
    const Point p = PointAt(n, row / block), q = PointAt(n, col / block);
    Point       first, last; // elements of both nodes
    for (std::size_t d = 0; d < 3; ++d) {
      first[d] = std::max({p[d] - 1, q[d] - 1, from[d]});
      last[d]  = std::min({p[d], q[d], to[d]});
    }
    double sum = 0;
    for (std::int64_t z = first[2]; z <= last[2]; ++z) {
      for (std::int64_t y = first[1]; y <= last[1]; ++y) {
        for (std::int64_t x = first[0]; x <= last[0]; ++x) {
          const auto corner = [&](const Point &node) {
            return static_cast<std::size_t>((node[0] - x) + 2 * (node[1] - y) + 4 * (node[2] - z));
          };
          sum += entry(Element(n, {x, y, z}), corner(p), static_cast<std::size_t>(row % block), corner(q),
                       static_cast<std::size_t>(col % block));
        }
      }
    }
    return sum;
  };
  return {.rows = block * n * n * n, .cols = block * n * n * n, .columns = columns, .value = value, .block = block};
}

} // namespace

RowSource Elasticity(std::int64_t n)
{
  constexpr double kPoisson = 0.3, kLambda = kPoisson / (1 + kPoisson) / (1 - 2 * kPoisson), kMu = 0.5 / (1 + kPoisson);
  const auto       entry = [](const Element &element, std::size_t p, std::size_t a, std::size_t q, std::size_t b) {
    const double stress = kLambda * element.DUDV(p, a, q, b) + kMu * element.DUDV(p, b, q, a);
    return (0.5 + element.Random(0)) * (stress + (a == b ? kMu * element.Laplacian(p, q) : 0));
  };
  return Assembled(n, 3, {-1, 0, 0}, {n - 2, n - 2, n - 2}, entry);
}

RowSource Flow(std::int64_t n)
{
  const auto entry = [](const Element &element, std::size_t p, std::size_t a, std::size_t q, std::size_t b) {
    constexpr double      kStabilization = 0.05, kGradient = 0.1; // of the pressure; of the velocity
    constexpr std::size_t kPressure = 3;
    if (a == kPressure && b == kPressure) return kStabilization * element.Laplacian(p, q);
    if (b == kPressure) return -element.UDV(q, p, a);
    if (a == kPressure) return element.UDV(p, q, b);
    double sum = kGradient * (element.Random(4 + 3 * a + b) - 0.5) * element.UV(p, q);
    if (a != b) return sum;
    sum += (0.5 + element.Random(0)) * element.Laplacian(p, q);
    for (std::size_t d = 0; d < 3; ++d) sum += (element.Random(1 + d) - 0.25) * element.UDV(p, q, d);
    return sum;
  };
  return Assembled(n, 4, {-1, -1, -1}, {n - 1, n - 1, n - 1}, entry);
}

RowSource Ball(std::int64_t n)
{
  // Of each line of points along x those in the ball lie side by side.
  struct Lines {
    std::vector<std::int64_t> first_row{0}, begin, end; // the first row of a line; its points' x
  };
  const auto   lines  = std::make_shared<Lines>();
  const double radius = 0.5 * static_cast<double>(n), middle = 0.5 * static_cast<double>(n - 1);
  for (std::int64_t line = 0; line < n * n; ++line) {
    const double y = static_cast<double>(line % n) - middle, z = static_cast<double>(line / n) - middle;
    const double left = radius * radius - y * y - z * z, half = left > 0 ? std::sqrt(left) : -1;
    const auto   begin = static_cast<std::int64_t>(std::ceil(middle - half)), end = static_cast<std::int64_t>(middle + half) + 1;
    lines->begin.push_back(begin);
    lines->end.push_back(half < 0 ? begin : end);
    lines->first_row.push_back(lines->first_row.back() + lines->end.back() - begin);
  }
  const std::int64_t rows = lines->first_row.back();
  return {.rows = rows, .cols = rows, .columns = [n, lines](std::int64_t row, std::vector<std::int64_t> &columns) {
            const auto        &first = lines->first_row;
            const auto         line  = std::upper_bound(first.begin(), first.end(), row) - first.begin() - 1;
            const auto         at    = [&](std::ptrdiff_t l) { return static_cast<std::size_t>(l); };
            const std::int64_t x     = lines->begin[at(line)] + row - first[at(line)];
            const auto         add   = [&](std::ptrdiff_t other, std::int64_t x_of_other) {
              if (other < 0 || other >= n * n || x_of_other < lines->begin[at(other)] || x_of_other >= lines->end[at(other)])
                return;
              columns.push_back(first[at(other)] + x_of_other - lines->begin[at(other)]);
            };
            add(line - n, x);
            if (line % n > 0) add(line - 1, x);
            for (const std::int64_t side : {-1, 0, 1}) add(line, x + side);
            if (line % n < n - 1) add(line + 1, x);
            add(line + n, x);
          }};
}

} // namespace petscspmv::matio
