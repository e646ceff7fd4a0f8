#include "benchmarks/targets.hpp"

#include "benchmarks/format.hpp"
#include "benchmarks/statistics.hpp"
#include "petsc/success.hpp"
#include "petscspmv.h"

#include <algorithm>

namespace petscspmv::benchmarks {

namespace {

// Differences below this are those of a run from the next.
constexpr double kAsGood = 1.03;

bool Has(const TypeRun &type)
{
  return type.failure.empty() && !type.by_target.empty();
}

} // namespace

PetscErrorCode GetTargets(TargetList &list)
{
  PetscInt           n;
  const char *const *names;
  const char        *chosen, *why;

  PetscFunctionBegin;
  PetscCall(PetscSpMVGetTargets(&n, &names));
  list.names.assign(names, names + n);
  PetscCall(PetscSpMVGetTarget(&chosen, &why));
  list.chosen = chosen;
  list.why    = why;
  PetscFunctionReturn(PETSC_SUCCESS);
}

TargetFigures FiguresOfTargets(const MatrixRun &run, const TypeRun &type)
{
  TargetFigures figures;
  for (std::size_t k = 0; k < type.by_target.size(); ++k) {
    const Samples &product = type.by_target[k].product;
    figures.ns_per_nonzero.push_back(1e9 * SpreadOf(product).median / static_cast<double>(run.nonzeros));
    const double ratio = SpreadOf(Ratios(type.product, product)).median;
    if (ratio > figures.chosen_over_best) {
      figures.chosen_over_best = ratio;
      figures.best             = k;
    }
  }
  return figures;
}

std::string TargetTable(const MatrixRun &run)
{
  const auto first = std::ranges::find_if(run.types, Has);
  if (first == run.types.end()) return "";
  std::string text = Format("  %-12s", "ns/nnz by");
  for (const TargetRun &target : first->by_target) {
    text += Format(" %14s%s", target.name.c_str(), target.name == run.target ? "*" : " ");
  }
  text += Format(" %12s\n", "chosen/best");
  for (const TypeRun &type : run.types) {
    if (!Has(type)) continue;
    const TargetFigures figures = FiguresOfTargets(run, type);
    text += Format("  %-12s", type.type.c_str());
    for (std::size_t k = 0; k < type.by_target.size(); ++k) {
      text += Format(" %14.3f%s", figures.ns_per_nonzero[k], k == figures.best ? "!" : " ");
    }
    text += Format(" %12.2f\n", figures.chosen_over_best);
  }
  return text + "  * the process' target, ! the best; chosen: the table above, where products with this matrix have tried others\n";
}

std::string TargetSummary(const std::vector<MatrixRun> &runs, const TargetList &list)
{
  std::vector<double> ratios;
  std::string         worst;
  for (const MatrixRun &run : runs) {
    for (const TypeRun &type : run.types) {
      if (!Has(type)) continue;
      ratios.push_back(FiguresOfTargets(run, type).chosen_over_best);
      if (ratios.back() >= *std::ranges::max_element(ratios)) worst = run.name + " with " + type.type;
    }
  }
  if (ratios.empty()) return "";
  const auto   good  = std::ranges::count_if(ratios, [](double ratio) { return ratio <= kAsGood; });
  const double most  = *std::ranges::max_element(ratios);
  std::string  text  = Format("\nthe process' target: %s (%s)\n", list.chosen.c_str(), list.why.c_str());
  const auto   pairs = ratios.size();
  text += Format("  chosen within %.0f %% of the best target for %td of %zu pairs of matrix and type; ", 100 * (kAsGood - 1), good,
                 pairs);
  return text + Format("over the best: %.3f in the mean, at most %.2f (%s)\n", GeometricMean(ratios), most, worst.c_str());
}

} // namespace petscspmv::benchmarks
