#include "benchmarks/legend.hpp"

#include "benchmarks/format.hpp"

namespace petscspmv::benchmarks {

namespace {

struct Column {
  const char *name, *meaning;
};

// The first type is the one that the others are compared with: aij, unless --types begins with another.
constexpr Column kProducts[] = {
  {"read at", "GB/s at which as many bytes as ideal CSR moves (arrays and vectors once) are read: median and quartiles"},
  {"ns/nnz", "time of a product y = A x in ns per nonzero; median of all rounds"},
  {"GFlop/s", "two operations per nonzero over that time"},
  {"limit", "share of the limit, which is the time that reading those bytes takes, in %"},
  {"own", "the same for the bytes of the type's own layout and the vectors, in %"},
  {"speed-up", "time of the first type over that of this one, round by round: median (quartiles)"},
  {"transpose", "the same for products with the transpose; \"wrong\" where their result is"},
  {"first", "conversion from AIJ and the first product, in products of the first type"},
  {"refresh", "a product after all values have changed, in products of the first type"},
  {"memory", "bytes of the type's own layout, over those of the AIJ arrays that it stands beside"},
  {"pays", "number of products from which on the type is faster than the first type, conversion included"},
  {"at 50", "speed-up of the first 50 products, conversion included"},
  {"at 500", "speed-up of the first 500 products, conversion included"},
  {"error", "largest error of a result, over the bound of rounding errors in any order: at most 1 if it is right"},
  {"-", "not measured, never, or no layout of its own"},
};

constexpr Column kSummary[] = {
  {"geo. mean", "geometric mean of the matrices' speed-ups; least and most likewise"},
  {"irregular", "the same for matrices with a row 20 times as long as the average"},
};

constexpr Column kTotals[] = {
  {"1 .. 5000", "time of the first type over that of this one, from making the matrix to the end of so many products"},
};

constexpr Column kChosen[] = {
  {"us", "time of a product with each type in microseconds; median of all rounds"},
  {"the best", "the fastest of these types: the share of its speed"},
  {"first", "the first format that a matrix of type spmv multiplied with, after so many products; aij if there was none"},
  {"after N", "what did most of the last quarter of its first N products"},
};

constexpr Column kSolves[] = {
  {"aij, s", "time of a whole run with the first type in s, from the matrix's first entry to the solution; median of all rounds"},
  {"KSPSolve", "the same, or its speed-up, without assembly and set-up"},
  {"its", "iterations of all steps; with other types, how many more or fewer"},
  {"others", "time of the first type over that of this one: median (quartiles)"},
  {"again", "the first type once more: its difference from 1 is noise"},
};

constexpr Column kFirst[] = {
  {"fresh", "conversion from AIJ and the first product, in a process that has just started, in products of aij"},
  {"used", "the same again after that layout was destroyed: in memory that was used before"},
  {"refresh", "a product after all values have changed, in products of aij"},
  {"start", "of fresh: what the process needs once, by the first products of two tiny matrices"},
  {"pages", "of fresh: page faults beyond those of the start, at the measured cost of one in ordinary memory"},
  {"passes", "of fresh: all else, which is the work on the matrix"},
  {"transposed", "as used, with the transpose: by a layout at once, with aij and spmv by AIJ"},
};

constexpr Column kSweeps[] = {
  {"us", "time of an application in microseconds: of both triangles of a factor, or of a symmetric relaxation from zero; median"},
  {"speed-up", "time of the first type over that of this one, round by round: median (quartiles)"},
  {"making", "what making the layouts takes, in applications of the first type"},
  {"its", "iterations of gmres, with ICC of cg, to a relative residual of 1e-8; 300 if it takes more"},
  {"error", "difference from the first type's result, over that"},
};

template <std::size_t n>
std::string Text(const char *title, const Column (&columns)[n])
{
  std::string text = Format("%s\n", title);
  for (const Column &column : columns) text += Format("  %-10s %s\n", column.name, column.meaning);
  return text;
}

} // namespace

std::string Legend()
{
  return Text("products, one table for each matrix:", kProducts) + Text("and over all matrices:", kSummary) +
         Text("totals:", kTotals) + Text("chosen:", kChosen) + Text("solves:", kSolves) + Text("first:", kFirst) +
         Text("sweeps:", kSweeps);
}

} // namespace petscspmv::benchmarks
