// Whether the type that chooses has chosen well: what it multiplies with first besides AIJ, and in the end, beside all formats.
#pragma once

#include "benchmarks/measure.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace petscspmv::benchmarks {

/// What a matrix of the type spmv did in so many products, of a process that knew nothing of its pattern, but had memory and time.
struct Choices {
  std::size_t first = 0,
              last  = 0; // types of the run: the first format, or AIJ if there was none, and what did most of the last products
  int    after      = 0; // products before that first one; 0 if there was none
  double seconds    = 0; // of a product in the end, the median of the last ones: AIJ's may be by a loop of the library
};

struct ChosenRun {
  MatrixRun            matrix;       // the products of the types that it has to choose from
  int                  products = 0; // with the type spmv, a round
  std::vector<Choices> rounds;       // none if a product was wrong or failed
};

/// So many products are made with the type spmv, if one takes so many seconds.
int ProductsOfChosen(double product, const Settings &settings);

/// Measures an AIJ matrix on one process with all types that the type spmv may multiply with, AIJ first, and what that makes of it.
PetscErrorCode MeasureChosen(Mat A, const std::vector<std::string> &types, const Settings &settings,
                             const std::function<void(const std::string &)> &progress, ChosenRun &run);

/// Speed of what was chosen over that of the fastest type, and of AIJ; on one matrix, and over all.
std::string    Table(const ChosenRun &run);
std::string    Summary(const std::vector<ChosenRun> &runs);
nlohmann::json ToJson(const ChosenRun &run);

} // namespace petscspmv::benchmarks
