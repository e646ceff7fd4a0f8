// What a run has measured so far.
#pragma once

#include "benchmarks/arguments.hpp"
#include "benchmarks/chosen.hpp"
#include "benchmarks/first.hpp"
#include "benchmarks/report.hpp"
#include "benchmarks/solve_report.hpp"
#include "benchmarks/sweeps.hpp"
#include "benchmarks/totals.hpp"

namespace petscspmv::benchmarks {

struct Results {
  std::vector<MatrixRun> products;
  std::vector<TotalsRun> totals;
  std::vector<ChosenRun> chosen;
  std::vector<SolveRun>  solves;
  std::vector<FirstRun>  first;
  std::vector<SweepsRun> sweeps;
  nlohmann::json         json = nlohmann::json::array();

  template <class Run>
  void Add(std::vector<Run> &runs, Run run)
  {
    json.push_back(ToJson(run));
    runs.push_back(std::move(run));
  }
  bool Empty() const
  {
    return products.empty() && totals.empty() && chosen.empty() && solves.empty() && first.empty() && sweeps.empty();
  }
};

/// A line on what goes on; an empty one removes it.
using Say = std::function<void(const std::string &)>;

/// Measures one matrix as the arguments say and prints its table; leaves those that are too small. `target` is what the library
/// has chosen.
PetscErrorCode MeasureMatrix(const Arguments &arguments, Mat A, const std::string &name, const std::string &target, const Say &say,
                             Results &results);

/// Likewise a program that makes its matrices itself.
PetscErrorCode MeasureProgram(const Arguments &arguments, const std::string &name, const Say &say, Results &results);

} // namespace petscspmv::benchmarks
