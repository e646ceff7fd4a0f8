#include "benchmarks/figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace petscspmv::benchmarks {

namespace {

/// The time of n products, the first of which includes the conversion.
double Total(double first, double product, double n)
{
  return first + (n - 1) * product;
}

/// Whether a type has a layout with columns and values of its own: columns alone take more than a byte each.
bool HoldsEntries(const MatrixRun &run, const TypeRun &type)
{
  return type.layout_bytes > static_cast<double>(run.nonzeros);
}

double BreakEven(double first, double product, double aij_first, double aij_product)
{
  if (product < aij_product) return std::max(1.0, 1 + std::ceil((first - aij_first) / (aij_product - product)));
  return first <= aij_first ? 1 : std::numeric_limits<double>::infinity();
}

} // namespace

Figures FiguresOf(const MatrixRun &run, const TypeRun &type)
{
  const TypeRun      &aij     = run.types.front();
  const double        product = SpreadOf(type.product).median, aij_product = SpreadOf(aij.product).median;
  const double        first = SpreadOf(type.first).median, aij_first = SpreadOf(aij.first).median;
  const double        nonzeros = static_cast<double>(run.nonzeros), index = sizeof(PetscInt), scalar = sizeof(PetscScalar);
  std::vector<double> read_time; // of the ideal traffic
  Figures             f;
  for (double bandwidth : run.bandwidth) read_time.push_back(run.ideal_bytes / bandwidth);
  f.ns_per_nonzero    = 1e9 * product / nonzeros;
  f.gflops            = 2e-9 * nonzeros / product;
  f.limit             = SpreadOf(Ratios(read_time, type.product));
  f.own_limit         = HoldsEntries(run, type) ? f.limit.median * (type.layout_bytes + run.vector_bytes) / run.ideal_bytes : 0;
  f.speedup           = SpreadOf(Ratios(aij.product, type.product));
  f.transpose_speedup = SpreadOf(Ratios(aij.transpose, type.transpose));
  f.many_speedup      = SpreadOf(Ratios(aij.many, type.many));
  f.many_time         = SpreadOf(Ratios(type.many, type.product)).median;
  f.first             = first / aij_product;
  f.preprocessing     = (first - product) / aij_product;
  f.refresh           = SpreadOf(type.refresh).median / aij_product;
  f.fresh             = type.fresh.empty() ? 0 : (SpreadOf(type.fresh).median + product) / aij_product;
  f.copy              = !run.copy.empty() && HoldsEntries(run, type) ? (SpreadOf(run.copy).median + product) / aij_product : 0;
  f.bytes_ratio       = type.layout_bytes / (nonzeros * (scalar + index) + static_cast<double>(run.rows + 1) * index);
  f.break_even        = BreakEven(first, product, aij_first, aij_product);
  f.speedup_50        = Total(aij_first, aij_product, 50) / Total(first, product, 50);
  f.speedup_500       = Total(aij_first, aij_product, 500) / Total(first, product, 500);
  return f;
}

bool IsIrregular(const MatrixRun &run)
{
  return static_cast<double>(run.row_max) * static_cast<double>(run.rows) > 20 * static_cast<double>(run.nonzeros);
}

} // namespace petscspmv::benchmarks
