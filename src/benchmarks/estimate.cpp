#include "benchmarks/estimate.hpp"

#include "benchmarks/chosen.hpp"
#include "benchmarks/format.hpp"
#include "benchmarks/peers/use_peer.hpp"
#include "benchmarks/totals.hpp"
#include "mat/tuning/variant_trial.hpp"

#include <algorithm>
#include <cmath>

namespace petscspmv::benchmarks {

namespace {

// Measured on an AMD EPYC of family 25, model 17, with one process; other servers of today differ by less than a factor of two.
constexpr double kStart       = 0.1;    // s: MPI, and the choice of a target for each type
constexpr double kProduct     = 0.7e-9; // s a nonzero
constexpr double kFromMemory  = 1.2e-9; // the same where the matrix is larger than the caches
constexpr double kInCaches    = 1e6;    // nonzeros
constexpr double kCall        = 1e-6;   // s a product besides
constexpr double kOpen        = 200e-9; // s a nonzero: reading or generating, and assembly
constexpr double kMake        = 30e-9;  // s a nonzero: a new matrix from its entries
constexpr double kFirst       = 30;     // products that copying, conversion, the first product and changes of values take
constexpr double kCheck       = 10;     // products that a sum in long double takes
constexpr double kSample      = 1.6;    // of what is asked for: products are a power of two, and other types slower
constexpr double kTypesTotals = 0.8;    // time of products with the types over that of aij

// Of whole runs: what a solver takes, by a choice of systems, and how many solvers fit one.
constexpr double kStartOfRun       = 0.2;   // s: mpiexec takes longer
constexpr double kAssembly         = 60e-9; // s a nonzero: from its entries, row by row
constexpr double kProductsOfSolve  = 300;   // that set-up and iterations take
constexpr double kSolversOfMatrix  = 9;
constexpr double kSolversOfProblem = 2;

constexpr double kProductsOfSweep = 3;  // that an application takes
constexpr double kUntilDecided    = 22; // applications before the rounds

/// Types of the library try what is the fastest in their first products.
double Ours(const std::vector<std::string> &types)
{
  return static_cast<double>(
    std::ranges::count_if(types, [](const std::string &type) { return !IsPeer(type) && !type.starts_with("aij"); }));
}

double SecondsOfProducts(double nonzeros, double product, const Plan &plan)
{
  const Settings &settings = plan.settings;
  const double    types = static_cast<double>(plan.types.size()), ours = Ours(plan.types), transposes = settings.transpose ? 1 : 0;
  const double    several = settings.vectors > 0 ? 1 : 0, targets = static_cast<double>(settings.targets.size());
  const double    sample  = std::max(product, kSample * settings.seconds);
  const double    samples = 1 + types * (1 + transposes + several) + ours * targets;
  const double    products =
    types * (kFirst + kTransposes * transposes) + ours * (static_cast<double>(VariantTrial::kTurns) + targets);
  return nonzeros * kOpen + kCheck * product * (1 + transposes) +
         settings.builds * (settings.rounds * samples * sample + products * product);
}

double SecondsOfTotals(double nonzeros, double product, const Plan &plan)
{
  constexpr std::size_t kTried  = 3; // numbers of products that are reached in any case
  std::size_t           reached = kTried;
  while (reached < kTotals.size() && product * kTotals[reached] < plan.settings.longest) ++reached;
  const double passes = plan.settings.rounds * static_cast<double>(plan.types.size());
  return nonzeros * kOpen + passes * (nonzeros * kMake + kTypesTotals * kTotals[reached - 1] * product) +
         kTotals[kTried - 1] * product;
}

/// Products as without a task, and those of the type that chooses.
double SecondsOfChosen(double nonzeros, double product, const Plan &plan)
{
  return SecondsOfProducts(nonzeros, product, plan) +
         plan.settings.rounds * (nonzeros * kMake + kTypesTotals * ProductsOfChosen(product, plan.settings) * product);
}

/// Each sample reads the matrix in a process of its own.
double SecondsOfFirst(double nonzeros, double product, const Plan &plan)
{
  const double samples = plan.settings.rounds * static_cast<double>(plan.types.size());
  return nonzeros * kOpen + samples * (kStart + nonzeros * kMake + kFirst * product + plan.settings.seconds);
}

/// Each run is of a process of its own, and one shows whether it is too long.
double SecondsOfSolves(double nonzeros, double product, double solvers, const Plan &plan)
{
  const double seconds = plan.settings.steps * (kAssembly * nonzeros / plan.processes + kProductsOfSolve * product);
  const double rounds  = seconds > plan.settings.longest ? 0 : plan.settings.RoundsOf(seconds);
  const double wanted  = plan.solvers > 0 ? std::min(solvers, static_cast<double>(plan.solvers)) : solvers;
  return nonzeros * kOpen + wanted * (1 + rounds * static_cast<double>(plan.types.size() + 1)) * (kStartOfRun + seconds);
}

/// Three operations in several ways, and solves that count iterations.
double SecondsOfSweeps(double nonzeros, double product, const Plan &plan)
{
  const double ways   = 2 + 3 * static_cast<double>(plan.types.size() - 1);
  const double sample = std::max(kProductsOfSweep * product, kSample * plan.settings.seconds);
  return nonzeros * kOpen +
         3 * (ways * (nonzeros * kMake + (kUntilDecided * kProductsOfSweep + kFirst) * product + plan.settings.rounds * sample) +
              2 * kProductsOfSolve * product);
}

/// A product with such a matrix on one of the processes.
double SecondsOfProduct(double nonzeros, const Plan &plan)
{
  const double mine = nonzeros / plan.processes;
  return kCall + mine * (mine < kInCaches ? kProduct : kFromMemory);
}

std::string Count(std::size_t n, const std::string &one, const std::string &many)
{
  return Format("%zu ", n) + (n == 1 ? one : many);
}

std::string Duration(double seconds)
{
  const auto number = [](double value, const char *unit) {
    const double rounded = value < 10 ? std::max(1.0, std::round(value)) : 5 * std::round(value / 5);
    return Format("about %.0f %s%s", rounded, unit, rounded == 1 ? "" : "s");
  };
  if (seconds < 90) return number(seconds, "second");
  return seconds < 5400 ? number(seconds / 60, "minute") : number(seconds / 3600, "hour");
}

} // namespace

double EstimateSeconds(const Plan &plan)
{
  double seconds = kStart;
  for (const double nonzeros : plan.problems)
    seconds += SecondsOfSolves(nonzeros, SecondsOfProduct(nonzeros, plan), kSolversOfProblem, plan);
  for (const double nonzeros : plan.nonzeros) {
    const double product = SecondsOfProduct(nonzeros, plan);
    seconds += plan.task == Task::First    ? SecondsOfFirst(nonzeros, product, plan)
               : plan.task == Task::Totals ? SecondsOfTotals(nonzeros, product, plan)
               : plan.task == Task::Chosen ? SecondsOfChosen(nonzeros, product, plan)
               : plan.task == Task::Sweeps ? SecondsOfSweeps(nonzeros, product, plan)
               : plan.task == Task::Solves ? SecondsOfSolves(nonzeros, product, kSolversOfMatrix, plan)
                                           : SecondsOfProducts(nonzeros, product, plan);
  }
  return seconds;
}

std::string Describe(const Plan &plan)
{
  std::string text = Duration(EstimateSeconds(plan));
  text += ": " + Count(plan.nonzeros.size() + plan.problems.size(), "matrix", "matrices") + ", " +
          Count(plan.types.size(), "type", "types");
  if (plan.task == Task::Products || plan.task == Task::Chosen)
    text += ", " + Count(static_cast<std::size_t>(plan.settings.builds), "build", "builds");
  text += ", " + Count(static_cast<std::size_t>(plan.settings.rounds), "round", "rounds");
  return plan.settings.most > plan.settings.rounds ? text + Format(", up to %d of short runs", plan.settings.most) : text;
}

} // namespace petscspmv::benchmarks
