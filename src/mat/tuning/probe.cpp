#include "mat/tuning/probe.hpp"

#include "mat/arithmetic/multiply_rows.hpp"
#include "mat/exec/target.hpp"
#include "mat/format/features.hpp"

#include <algorithm>
#include <chrono>

namespace petscspmv {

namespace {

constexpr PetscInt kRows = 192, kMostInRow = 15; // 1 to 15 nonzeros
static_assert((1 + kMostInRow) / 2. == kMeasuredRow);
constexpr int kSamples = 7, kProducts = 3; // samples; timed products of each, after one that is not timed

} // namespace

Probe::Probe() : x_(kRows, PetscScalar(1)), y_(kRows)
{
  unsigned   state = 1; // of a pseudorandom number generator
  const auto next  = [&](PetscInt most) { return static_cast<PetscInt>((state = state * 1664525u + 1013904223u) >> 16) % most; };
  for (PetscInt row = 0; row < kRows; ++row) {
    for (PetscInt k = 1 + next(kMostInRow); k > 0; --k) {
      col_idx_.push_back(next(kRows));
      val_.push_back(PetscScalar(0.5));
    }
    row_ptr_.push_back(static_cast<PetscInt>(col_idx_.size()));
  }
  execution_.launch_work = static_cast<std::size_t>(-1); // no threads
}

std::vector<double> Probe::Measure(const PetscFormat &format, const std::vector<std::size_t> &targets)
{
  std::vector<std::vector<double>> samples(targets.size());
  std::vector<double>              medians;
  OptionValues                     options;
  AnyLayout<PetscScalar, PetscInt> layout(format, Place::Host);
  for (const OptionSpec &option : format.options) options.push_back(option.initial);
  execution_.target = WidestTarget();
  layout.Build(execution_, Arrays(), options);
  Workspace workspace  = layout.MakeWorkspace(false);
  execution_.workspace = workspace.data();
  for (int sample = 0; sample < kSamples; ++sample) {
    for (std::size_t t = 0; t < targets.size(); ++t) {
      execution_.target = targets[t];
      samples[t].push_back(Sample([&] { layout.Apply(execution_, Op::N, x_.data(), {.y = y_.data()}); }));
    }
    of_rows_.push_back(Sample([&] { MultiplyRows<false, false>(Arrays(), PetscInt(0), x_.data(), y_.data()); }));
  }
  for (std::vector<double> &of_target : samples) medians.push_back(Median(of_target));
  return medians;
}

double Probe::Median(std::vector<double> &samples)
{
  const auto median = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), median, samples.end());
  return *median;
}

Csr<PetscScalar, PetscInt> Probe::Arrays() const
{
  return {kRows, kRows, row_ptr_.data(), col_idx_.data(), val_.data()};
}

template <class Product>
double Probe::Sample(const Product &multiply) const
{
  multiply(); // another kernel has just filled caches and branch predictors
  const auto start = std::chrono::steady_clock::now();
  for (int product = 0; product < kProducts; ++product) multiply();
  const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
  return spent.count() / (kProducts * static_cast<double>(val_.size()));
}

} // namespace petscspmv
