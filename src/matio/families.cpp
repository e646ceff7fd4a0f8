#include "matio/families.hpp"

#include "matio/elements.hpp"
#include "matio/twins.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace petscspmv::matio {

namespace {

constexpr std::int64_t kMostRows = std::int64_t{1} << 40;

/// The parameter at a position, an integer within bounds.
std::int64_t Number(const std::vector<std::string> &parameters, std::size_t place, const char *what, std::int64_t least,
                    std::int64_t most)
{
  const std::string &text  = parameters.at(place);
  std::int64_t       value = 0;
  const auto [end, error]  = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most) {
    throw FamilyError(std::string(what) + " is '" + text + "', must be " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value;
}

/// Points of an n^dimensions grid, each with its face neighbours, or with all neighbours if `corners`.
RowSource Stencil(std::int64_t n, int dimensions, bool corners)
{
  const std::int64_t plane = n * n, depth = dimensions == 3 ? 1 : 0;
  return {dimensions == 3 ? plane * n : plane, dimensions == 3 ? plane * n : plane,
          [=](std::int64_t row, std::vector<std::int64_t> &columns) {
            const std::int64_t x = row % n, y = row / n % n, z = row / plane;
            for (std::int64_t dz = -depth; dz <= depth; ++dz) {
              for (std::int64_t dy = -1; dy <= 1; ++dy) {
                for (std::int64_t dx = -1; dx <= 1; ++dx) {
                  if (!corners && std::abs(dx) + std::abs(dy) + std::abs(dz) > 1) continue;
                  if (x + dx < 0 || x + dx >= n || y + dy < 0 || y + dy >= n || z + dz < 0 || (depth && z + dz >= n)) continue;
                  columns.push_back(row + dx + n * dy + plane * dz);
                }
              }
            }
          }};
}

RowSource Stencil5(const std::vector<std::string> &p)
{
  return Stencil(Number(p, 0, "the grid's side", 1, 1 << 20), 2, false);
}
RowSource Stencil7(const std::vector<std::string> &p)
{
  return Stencil(Number(p, 0, "the grid's side", 1, 1 << 13), 3, false);
}
RowSource Stencil27(const std::vector<std::string> &p)
{
  return Stencil(Number(p, 0, "the grid's side", 1, 1 << 13), 3, true);
}

RowSource OfBall(const std::vector<std::string> &p)
{
  return Ball(Number(p, 0, "the diameter", 1, 1 << 13));
}
RowSource OfElasticity(const std::vector<std::string> &p)
{
  return Elasticity(Number(p, 0, "the grid's side", 2, 1 << 12));
}
RowSource OfFlow(const std::vector<std::string> &p)
{
  return Flow(Number(p, 0, "the grid's side", 1, 1 << 12));
}

RowSource Banded(const std::vector<std::string> &p)
{
  const std::int64_t n = Number(p, 0, "the number of rows", 1, kMostRows), half = Number(p, 1, "the half band width", 0, n);
  return {n, n, [=](std::int64_t row, std::vector<std::int64_t> &columns) {
            for (std::int64_t col = std::max<std::int64_t>(0, row - half); col <= std::min(n - 1, row + half); ++col)
              columns.push_back(col);
          }};
}

/// A distribution of row lengths with mean `mean`, before rounding and clipping.
using Law = double (*)(double mean, double random);

double Constant(double mean, double)
{
  return mean;
}
double Uniform(double mean, double random)
{
  return 2 * mean * random;
}
double Exponential(double mean, double random)
{
  return -mean * std::log1p(-random);
}
double Power(double mean, double random)
{
  return mean / 3 * std::pow(1 - random, -2.0 / 3);
} // Pareto's with exponent 3/2

RowSource Random(const std::vector<std::string> &p)
{
  constexpr std::array<std::pair<const char *, Law>, 4> laws{
    {{"constant", Constant}, {"uniform", Uniform}, {"exponential", Exponential}, {"power", Power}}};
  const std::int64_t n = Number(p, 0, "the number of rows", 1, kMostRows), mean = Number(p, 1, "the mean row length", 0, n);
  const auto         law = std::find_if(laws.begin(), laws.end(), [&](const auto &each) { return each.first == p.at(2); });
  if (law == laws.end())
    throw FamilyError("the law of row lengths is '" + p.at(2) + "', must be constant, uniform, exponential or power");
  return {n, n, [n, mean, length = law->second](std::int64_t row, std::vector<std::int64_t> &columns) {
            SpreadColumns(row,
                          static_cast<std::int64_t>(
                            std::min(static_cast<double>(n), std::round(length(static_cast<double>(mean), RandomAt(row, -1))))),
                          0, n, columns);
          }};
}

/// R-MAT (Chakrabarti, Zhan and Faloutsos 2004) with the probabilities of Graph500. The number of edges in a row follows from the
/// bits of the row's number; each edge then draws the bits of its column. Edges drawn twice are merged.
RowSource RMat(const std::vector<std::string> &p)
{
  constexpr double   a = 0.57, b = 0.19, c = 0.19;
  const std::int64_t scale = Number(p, 0, "the scale (2^scale rows)", 1, 30),
                     edges = Number(p, 1, "the number of edges per row", 1, 1 << 20), n = std::int64_t{1} << scale;
  return {n, n, [=](std::int64_t row, std::vector<std::int64_t> &columns) {
            double mean = static_cast<double>(edges);
            for (std::int64_t bit = 0; bit < scale; ++bit) mean *= 2 * (row >> bit & 1 ? 1 - a - b : a + b);
            const auto draws = static_cast<std::int64_t>(std::min(static_cast<double>(n), mean) + RandomAt(row, -1));
            for (std::int64_t draw = 0; draw < draws; ++draw) {
              std::int64_t col = 0;
              for (std::int64_t bit = 0; bit < scale; ++bit) {
                const double zero = row >> bit & 1 ? c / (1 - a - b) : a / (a + b);
                if (RandomAt(row, draw * 64 + bit) >= zero) col |= std::int64_t{1} << bit;
              }
              columns.push_back(col);
            }
            std::sort(columns.begin(), columns.end());
            columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
          }};
}

/// Tridiagonal, with one dense row in the middle.
RowSource DenseRow(const std::vector<std::string> &p)
{
  const std::int64_t n = Number(p, 0, "the number of rows", 1, kMostRows);
  return {n, n, [=](std::int64_t row, std::vector<std::int64_t> &columns) {
            const bool dense = row == n / 2;
            for (std::int64_t col = dense ? 0 : std::max<std::int64_t>(0, row - 1); col < (dense ? n : std::min(n, row + 2)); ++col)
              columns.push_back(col);
          }};
}

/// Tridiagonal, with one dense column in the middle.
RowSource DenseColumn(const std::vector<std::string> &p)
{
  const std::int64_t n = Number(p, 0, "the number of rows", 1, kMostRows);
  return {n, n, [=](std::int64_t row, std::vector<std::int64_t> &columns) {
            columns = {row - 1, row, row + 1, n / 2};
            std::sort(columns.begin(), columns.end());
            columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
            std::erase_if(columns, [n](std::int64_t col) { return col < 0 || col >= n; });
          }};
}

/// Dense blocks: a fixed number per block row, at random positions.
RowSource Blocks(const std::vector<std::string> &p)
{
  const std::int64_t blocks = Number(p, 0, "the number of block rows", 1, 1 << 30),
                     size   = Number(p, 1, "a block's side", 1, 1 << 10),
                     many   = Number(p, 2, "the number of blocks per row", 1, blocks);
  return {blocks * size, blocks * size, [=](std::int64_t row, std::vector<std::int64_t> &columns) {
            std::vector<std::int64_t> of_blocks;
            SpreadColumns(row / size, many, 0, blocks, of_blocks);
            for (std::int64_t block : of_blocks) {
              for (std::int64_t col = 0; col < size; ++col) columns.push_back(block * size + col);
            }
          }};
}

RowSource TwinOf(const std::vector<std::string> &p)
{
  return MakeTwin(p.at(0));
}

constexpr std::array<Family, 13> families{{
  {"stencil5", "N", "5-point stencil on an N x N grid", Stencil5},
  {"stencil7", "N", "7-point stencil on an N x N x N grid", Stencil7},
  {"stencil27", "N", "27-point stencil on an N x N x N grid", Stencil27},
  {"ball", "N", "7-point stencil on the points of an N x N x N grid that lie in a ball", OfBall},
  {"elasticity", "N", "linear elasticity in N x N x N nodes of hexahedra, 3 unknowns each", OfElasticity},
  {"flow", "N", "flow in N x N x N nodes of hexahedra, 4 unknowns each: a saddle point", OfFlow},
  {"banded", "ROWS,HALF", "full band of 2 HALF + 1 diagonals", Banded},
  {"random", "ROWS,MEAN,LAW", "random columns; row lengths constant, uniform, exponential or power", Random},
  {"rmat", "SCALE,EDGES", "R-MAT graph of 2^SCALE nodes with EDGES edges each on average", RMat},
  {"dense-row", "ROWS", "tridiagonal, and one dense row", DenseRow},
  {"dense-column", "ROWS", "tridiagonal, and one dense column", DenseColumn},
  {"blocks", "ROWS,SIZE,MANY", "MANY dense SIZE x SIZE blocks in each of ROWS block rows", Blocks},
  {"twin", "NAME", "of the size and row lengths of a matrix in the papers, such as twin:dc2", TwinOf},
}};

const Family *Find(const std::string &name)
{
  const auto family = std::find_if(families.begin(), families.end(), [&](const Family &each) { return name == each.name; });
  return family == families.end() ? nullptr : &*family;
}

std::vector<std::string> Split(const std::string &text)
{
  std::vector<std::string> words(1);
  for (char c : text) {
    if (c == ',') words.emplace_back();
    else words.back() += c;
  }
  return words;
}

} // namespace

std::span<const Family> Families()
{
  return families;
}

bool NamesFamily(const std::string &name)
{
  return Find(name.substr(0, name.find(':')));
}

RowSource MakeFamily(const std::string &name)
{
  const std::size_t colon = name.find(':'), equals = name.find('=');
  if (equals != std::string::npos) {
    const auto rule =
      std::ranges::find_if(EntryRules(), [&](const EntryRule &each) { return name.substr(equals + 1) == each.name; });
    if (rule == EntryRules().end()) throw FamilyError(name + ": there is no such rule for values");
    RowSource source = MakeFamily(name.substr(0, equals));
    source.value     = rule->value;
    return source;
  }
  const Family *family = Find(name.substr(0, colon));
  if (!family) throw FamilyError(name + ": there is no such family of matrices");
  const std::vector<std::string> parameters =
    colon == std::string::npos ? std::vector<std::string>{} : Split(name.substr(colon + 1));
  if (parameters.size() != Split(family->parameters).size())
    throw FamilyError(name + ": write " + family->name + ":" + family->parameters);
  try {
    return family->make(parameters);
  } catch (const FamilyError &e) {
    throw FamilyError(name + ": " + e.what());
  }
}

double CountFamily(const std::string &name)
{
  constexpr std::int64_t kSample = 1000; // of a large matrix, no row in the middle, where dense ones are
  if (name.starts_with("twin:")) {
    for (const Twin &twin : Twins()) {
      if (name.substr(5, name.find('=') - 5) == twin.name) return static_cast<double>(twin.nonzeros);
    }
  }
  const RowSource           source = MakeFamily(name);
  const std::int64_t        sample = std::min(kSample, source.rows);
  std::vector<std::int64_t> columns;
  double                    nonzeros = 0;
  for (std::int64_t k = 0; k < sample; ++k) {
    columns.clear();
    source.columns(k * (source.rows - 1) / std::max<std::int64_t>(1, sample - 1), columns);
    nonzeros += static_cast<double>(columns.size());
  }
  return nonzeros * static_cast<double>(source.rows) / static_cast<double>(sample);
}

} // namespace petscspmv::matio
