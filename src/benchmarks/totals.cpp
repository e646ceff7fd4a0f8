#include "benchmarks/totals.hpp"

#include "benchmarks/entries.hpp"
#include "benchmarks/errors.hpp"
#include "benchmarks/format.hpp"
#include "benchmarks/statistics.hpp"
#include "petsc/success.hpp"
#include "petscspmv.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace petscspmv::benchmarks {

namespace {

/// Times making a matrix that nothing is known of, and its first products up to as many as `reached` says.
PetscErrorCode OnePass(const Entries &entries, TotalsOfType &of, Vec x, Vec y, std::size_t reached,
                       std::array<double, kTotals.size()> &seconds)
{
  Mat         B;
  std::size_t next = 0;

  PetscFunctionBegin;
  PetscCall(PetscSpMVForget());
  PetscCall(VecSet(x, 1));
  PetscCall(VecSet(y, 0));
  PetscCallMPI(MPI_Barrier(entries.comm));
  const double start = MPI_Wtime();
  PetscCall(MakeIn(of.type, entries, &B));
  for (int n = 1; next < reached; ++n) {
    PetscCall(MatMult(B, x, y));
    if (n == kTotals[next]) seconds[next++] = MPI_Wtime() - start;
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(reached), MPI_DOUBLE, MPI_MAX, entries.comm));
  PetscCall(MatDestroy(&B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

double Median(const Samples &samples)
{
  return SpreadOf(samples).median;
}

/// Of the first type's time.
double SpeedUp(const TotalsRun &run, const TotalsOfType &of, std::size_t n)
{
  return Median(run.types.front().seconds[n]) / Median(of.seconds[n]);
}

double BestSpeedUp(const TotalsRun &run, std::size_t n)
{
  double best = 0;
  for (const TotalsOfType &of : run.types) best = std::max(best, SpeedUp(run, of, n));
  return best;
}

std::string Heading()
{
  std::string text = Format("  %-14s", "products");
  for (const int n : kTotals) text += Format("%8d", n);
  return text + "\n";
}

} // namespace

PetscErrorCode MeasureTotals(Mat A, const std::vector<std::string> &types, const Settings &settings, TotalsRun &run)
{
  PetscInt rows, cols;
  MatInfo  info;
  Entries  entries;
  Vec      x, y;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, &cols));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  run.rows     = rows;
  run.cols     = cols;
  run.nonzeros = static_cast<std::int64_t>(info.nz_used);
  for (const std::string &type : types) run.types.push_back({.type = type, .seconds = {}});

  PetscCall(EntriesOf(A, entries));
  PetscCall(MatCreateVecs(A, &x, &y));

  // How far to go, by the first type; the pass brings the vectors' and matrix's code and memory to where they stay.
  std::array<double, kTotals.size()> seconds{};
  constexpr std::size_t              kTried = 3;
  PetscCall(OnePass(entries, run.types.front(), x, y, kTried, seconds));
  const double product = (seconds[kTried - 1] - seconds[0]) / (kTotals[kTried - 1] - kTotals[0]);
  for (run.reached = kTried; run.reached < kTotals.size() && product * kTotals[run.reached] < settings.longest;) ++run.reached;
  for (int round = 0; round < settings.rounds; ++round) {
    for (TotalsOfType &of : run.types) {
      PetscCall(OnePass(entries, of, x, y, run.reached, seconds));
      for (std::size_t n = 0; n < run.reached; ++n) of.seconds[n].push_back(seconds[n]);
    }
  }
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::string Table(const TotalsRun &run)
{
  std::string text = Format("\n%s: %lld x %lld, %lld nonzeros\n", run.name.c_str(), static_cast<long long>(run.rows),
                            static_cast<long long>(run.cols), static_cast<long long>(run.nonzeros)) +
                     Heading();
  for (const TotalsOfType &of : run.types) {
    text += Format("  %-14s", of.type.c_str());
    for (std::size_t n = 0; n < run.reached; ++n) text += Format("%8.2f", SpeedUp(run, of, n));
    text += "\n";
  }
  return text;
}

std::string Summary(const std::vector<TotalsRun> &runs)
{
  if (runs.empty()) return "";
  const auto over = [&](const auto &ratio) { // the matrices: geometric mean and least, by number of products
    std::string means = Format("  %-14s", "  mean"), leasts = Format("  %-14s", "  least");
    for (std::size_t n = 0; n < kTotals.size(); ++n) {
      std::vector<double> ratios;
      for (const TotalsRun &run : runs) {
        if (n < run.reached) ratios.push_back(ratio(run, n));
      }
      if (ratios.empty()) continue;
      means += Format("%8.2f", GeometricMean(ratios));
      leasts += Format("%8.2f", *std::min_element(ratios.begin(), ratios.end()));
    }
    return means + "\n" + leasts + "\n";
  };
  std::string text = Format("\n%d matrices: time of %s for the first products, over that of each type\n",
                            static_cast<int>(runs.size()), runs.front().types.front().type.c_str()) +
                     Heading();
  for (std::size_t t = 1; t < runs.front().types.size(); ++t) {
    text += "  " + runs.front().types[t].type + "\n";
    text += over([&](const TotalsRun &run, std::size_t n) { return SpeedUp(run, run.types[t], n); });
  }
  text += "time of the type that was the fastest with each matrix, over that of each type\n";
  for (std::size_t t = 0; t < runs.front().types.size(); ++t) {
    text += "  " + runs.front().types[t].type + "\n";
    text += over([&](const TotalsRun &run, std::size_t n) { return SpeedUp(run, run.types[t], n) / BestSpeedUp(run, n); });
  }
  return text;
}

nlohmann::json ToJson(const TotalsRun &run)
{
  nlohmann::json types = nlohmann::json::array();
  for (const TotalsOfType &of : run.types) {
    nlohmann::json seconds = nlohmann::json::object();
    for (std::size_t n = 0; n < run.reached; ++n) seconds[std::to_string(kTotals[n])] = of.seconds[n];
    types.push_back({{"type", of.type}, {"seconds", seconds}});
  }
  return {{"name", run.name}, {"rows", run.rows}, {"cols", run.cols}, {"nonzeros", run.nonzeros}, {"types", types}};
}

} // namespace petscspmv::benchmarks
