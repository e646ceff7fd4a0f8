#include "mat/tuning/probe.hpp"

#include "mat/arithmetic/multiply_rows.hpp"
#include "mat/exec/target.hpp"
#include "mat/registry/registry.hpp"

#include <algorithm>
#include <chrono>

namespace petscspmv {

namespace {

/// A matrix that fits in an L1 cache with its vectors, where targets differ most.
struct ProbeMatrix {
  static constexpr PetscInt kRows = 192, kMostInRow = 15;

  std::vector<PetscInt>    row_ptr{0}, col_idx;
  std::vector<PetscScalar> val, x, y;

  ProbeMatrix() : x(kRows, PetscScalar(1)), y(kRows)
  {
    unsigned   state = 1; // of a pseudorandom number generator
    const auto next  = [&](PetscInt most) { return static_cast<PetscInt>((state = state * 1664525u + 1013904223u) >> 16) % most; };
    for (PetscInt row = 0; row < kRows; ++row) {
      for (PetscInt k = 1 + next(kMostInRow); k > 0; --k) {
        col_idx.push_back(next(kRows));
        val.push_back(PetscScalar(0.5));
      }
      row_ptr.push_back(static_cast<PetscInt>(col_idx.size()));
    }
  }

  Csr<PetscScalar, PetscInt> Arrays() const { return {kRows, kRows, row_ptr.data(), col_idx.data(), val.data()}; }
};

/// The matrix in every format, and products with it by any target.
class Bench {
public:
  Bench()
  {
    execution_.launch_work = static_cast<std::size_t>(-1); // no threads
    execution_.target      = WidestTarget();
    for (const PetscFormat *format : Formats()) {
      OptionValues options;
      for (const OptionSpec &option : format->options) options.push_back(option.initial);
      layouts_.emplace_back(*format, Place::Host);
      layouts_.back().Build(execution_, matrix_.Arrays(), options);
      workspaces_.push_back(layouts_.back().MakeWorkspace(false));
    }
  }

  Probed Measure(const std::vector<std::size_t> &targets)
  {
    constexpr int  kLeast = 3, kMost = 9;
    constexpr auto kTime = std::chrono::microseconds(300);
    const auto     start = std::chrono::steady_clock::now();

    std::vector<std::vector<std::vector<double>>> samples(layouts_.size(), std::vector<std::vector<double>>(targets.size()));
    std::vector<double>                           of_rows;
    for (int s = 0; s <= kLeast || (s <= kMost && std::chrono::steady_clock::now() - start < kTime); ++s) {
      for (std::size_t t = 0; t < targets.size(); ++t) {
        for (std::size_t f = 0; f < layouts_.size(); ++f) {
          const double ns = Sample(f, targets[t]);
          if (s > 0) samples[f][t].push_back(ns); // the first one warms the caches
        }
      }
      const double ns = Sample([&] { MultiplyRows<false>(matrix_.Arrays(), PetscInt(0), matrix_.x.data(), matrix_.y.data()); });
      if (s > 0) of_rows.push_back(ns);
    }
    Probed probed{.of_formats = std::vector<std::vector<double>>(layouts_.size()), .of_rows = Median(of_rows)};
    for (std::size_t f = 0; f < layouts_.size(); ++f) {
      for (std::vector<double> &of_target : samples[f]) probed.of_formats[f].push_back(Median(of_target));
    }
    return probed;
  }

private:
  static double Median(std::vector<double> &samples)
  {
    const auto median = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
    std::nth_element(samples.begin(), median, samples.end());
    return *median;
  }

  double Sample(std::size_t format, std::size_t target)
  {
    execution_.target    = target;
    execution_.workspace = workspaces_[format].data();
    return Sample([&] { layouts_[format].Apply(execution_, Op::N, false, matrix_.x.data(), matrix_.y.data()); });
  }

  template <class Product>
  double Sample(const Product &multiply)
  {
    constexpr int kProducts = 3;
    const auto    start     = std::chrono::steady_clock::now();
    for (int product = 0; product < kProducts; ++product) multiply();
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    return spent.count() / (kProducts * static_cast<double>(matrix_.val.size()));
  }

  Execution                                     execution_;
  ProbeMatrix                                   matrix_;
  std::vector<AnyLayout<PetscScalar, PetscInt>> layouts_;
  std::vector<Workspace>                        workspaces_;
};

} // namespace

Probed Probe(const std::vector<std::size_t> &targets)
{
  return Bench().Measure(targets);
}

} // namespace petscspmv
