#include "benchmarks/chosen.hpp"

#include "benchmarks/bench.hpp"
#include "benchmarks/entries.hpp"
#include "benchmarks/format.hpp"
#include "benchmarks/statistics.hpp"
#include "petsc/success.hpp"
#include "petscspmv.h"

#include <algorithm>
#include <utility>

namespace petscspmv::benchmarks {

namespace {

constexpr int kMost = 1000, kLeast = 50; // products of a round
constexpr int kEnd = 4;                  // the last quarter of them shows what is used in the end

/// A type that was chosen, and the seconds of a product by it, in a round.
using Chosen = std::pair<std::size_t, double>;

/// The type that the matrix multiplies with now.
PetscErrorCode TypeInUse(Mat B, const MatrixRun &run, std::size_t *type)
{
  MatSpMVChoiceInfo choice;

  PetscFunctionBegin;
  PetscCall(MatSpMVGetChoiceInfo(B, &choice));
  *type = static_cast<std::size_t>(std::ranges::find(run.types, choice.type, &TypeRun::type) - run.types.begin());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode OneRound(const Entries &entries, Vec x, Vec y, ChosenRun &run)
{
  Mat                      B;
  Choices                  choices;
  std::vector<std::size_t> of_last(run.matrix.types.size());
  std::vector<double>      seconds;

  PetscFunctionBegin;
  PetscCall(PetscSpMVForget());
  PetscCall(MakeIn(MATSPMV, entries, &B));
  for (int n = 0; n < run.products; ++n) {
    std::size_t  type  = 0;
    const double start = MPI_Wtime();
    PetscCall(MatMult(B, x, y));
    const double taken = MPI_Wtime() - start;
    PetscCall(TypeInUse(B, run.matrix, &type));
    if (type > 0 && choices.first == 0) {
      choices.first = type;
      choices.after = n;
    }
    if (n < run.products - run.products / kEnd) continue;
    ++of_last[type];
    seconds.push_back(taken);
  }
  choices.last    = static_cast<std::size_t>(std::ranges::max_element(of_last) - of_last.begin());
  choices.seconds = SpreadOf(seconds).median;
  run.rounds.push_back(choices);
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double Seconds(const TypeRun &type)
{
  return SpreadOf(type.product).median;
}

/// The fastest type's seconds over those of a product.
double OverBest(const ChosenRun &run, double seconds)
{
  double least = Seconds(run.matrix.types.front());
  for (const TypeRun &other : run.matrix.types) {
    if (other.failure.empty()) least = std::min(least, Seconds(other));
  }
  return least / seconds;
}

double OverAij(const ChosenRun &run, double seconds)
{
  return Seconds(run.matrix.types.front()) / seconds;
}

Chosen First(const ChosenRun &run, const Choices &round)
{
  return {round.first, Seconds(run.matrix.types[round.first])};
}

Chosen Last(const ChosenRun &, const Choices &round)
{
  return {round.last, round.seconds};
}

/// The types that were chosen, each with the number of rounds.
std::string Names(const ChosenRun &run, Chosen which(const ChosenRun &, const Choices &))
{
  std::string text;
  for (std::size_t type = 0; type < run.matrix.types.size(); ++type) {
    std::vector<double> products;
    for (const Choices &round : run.rounds) {
      if (const auto [chosen, seconds] = which(run, round); chosen == type) products.push_back(seconds);
    }
    if (products.empty()) continue;
    const double median = SpreadOf(products).median;
    if (!text.empty()) text += "; ";
    text += Format("%s in %zu of %zu rounds, %.2f of the best, %.2f of %s", run.matrix.types[type].type.c_str(), products.size(),
                   run.rounds.size(), OverBest(run, median), OverAij(run, median), run.matrix.types.front().type.c_str());
  }
  return text;
}

/// The products before the first format.
std::string Befores(const ChosenRun &run)
{
  std::vector<int> before;
  for (const Choices &round : run.rounds) {
    if (round.first > 0) before.push_back(round.after);
  }
  if (before.empty()) return "";
  const auto [least, most] = std::ranges::minmax(before);
  return least == most ? Format(" after %d", least) : Format(" after %d to %d", least, most);
}

} // namespace

int ProductsOfChosen(double product, const Settings &settings)
{
  const double products = settings.longest / product;
  return products < kMost ? std::max(kLeast, static_cast<int>(products)) : kMost;
}

PetscErrorCode MeasureChosen(Mat A, const std::vector<std::string> &types, const Settings &settings,
                             const std::function<void(const std::string &)> &progress, ChosenRun &run)
{
  Entries entries;
  Vec     x, y;

  PetscFunctionBegin;
  PetscCall(Measure(A, types, settings, progress, run.matrix));
  if (std::ranges::any_of(run.matrix.types, [](const TypeRun &type) { return !type.failure.empty(); }))
    PetscFunctionReturn(PETSC_SUCCESS);
  run.products = ProductsOfChosen(Seconds(run.matrix.types.front()), settings);
  PetscCall(EntriesOf(A, entries));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  for (int round = 0; round < settings.rounds; ++round) {
    progress("choosing " + std::to_string(round + 1) + " of " + std::to_string(settings.rounds));
    PetscCall(OneRound(entries, x, y, run));
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string Table(const ChosenRun &run)
{
  std::string text = Format("\n%s: %lld x %lld, %lld nonzeros\n", run.matrix.name.c_str(), static_cast<long long>(run.matrix.rows),
                            static_cast<long long>(run.matrix.cols), static_cast<long long>(run.matrix.nonzeros));
  for (std::size_t k = 0; k < run.matrix.types.size(); ++k) {
    const TypeRun &type = run.matrix.types[k];
    text += Format("  %-12s", type.type.c_str());
    text += type.failure.empty() ? Format("%10.1f us %8.2f of the best\n", 1e6 * Seconds(type), OverBest(run, Seconds(type)))
                                 : " " + type.failure + "\n";
  }
  if (run.rounds.empty()) return text;
  text += "  first" + Befores(run) + ": " + Names(run, First) + "\n";
  return text + Format("  after %d: ", run.products) + Names(run, Last) + "\n";
}

std::string Summary(const std::vector<ChosenRun> &runs)
{
  if (runs.empty()) return "";
  std::string text = Format("\n%zu matrices: speed of the chosen type, geometric mean (least)\n", runs.size());
  const auto  add  = [&](const char *when, Chosen which(const ChosenRun &, const Choices &)) {
    std::vector<double> of_best, of_aij;
    for (const ChosenRun &run : runs) {
      for (const Choices &round : run.rounds) {
        const double seconds = which(run, round).second;
        of_best.push_back(OverBest(run, seconds));
        of_aij.push_back(OverAij(run, seconds));
      }
    }
    if (of_best.empty()) return;
    text += Format("  %-12s %.2f (%.2f) of the best, %.2f (%.2f) of %s\n", when, GeometricMean(of_best),
                     *std::ranges::min_element(of_best), GeometricMean(of_aij), *std::ranges::min_element(of_aij),
                     runs.front().matrix.types.front().type.c_str());
  };
  add("first", First);
  add("in the end", Last);
  return text;
}

nlohmann::json ToJson(const ChosenRun &run)
{
  nlohmann::json types = nlohmann::json::array(), rounds = nlohmann::json::array();
  for (std::size_t k = 0; k < run.matrix.types.size(); ++k) {
    const TypeRun &type = run.matrix.types[k];
    if (!type.failure.empty()) types.push_back({{"type", type.type}, {"failure", type.failure}});
    else types.push_back({{"type", type.type}, {"seconds", type.product}});
  }
  for (const Choices &round : run.rounds)
    rounds.push_back({{"first", run.matrix.types[round.first].type},
                      {"after", round.after},
                      {"last", run.matrix.types[round.last].type},
                      {"last_seconds", round.seconds}});
  return {{"name", run.matrix.name},  {"rows", run.matrix.rows}, {"cols", run.matrix.cols}, {"nonzeros", run.matrix.nonzeros},
          {"products", run.products}, {"types", types},          {"rounds", rounds}};
}

} // namespace petscspmv::benchmarks
