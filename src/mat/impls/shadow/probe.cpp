#include "mat/impls/shadow/probe.hpp"

#include "mat/exec/target.hpp"
#include "mat/impls/shadow/shadow.hpp"

#include <algorithm>
#include <chrono>

namespace petscspmv {

namespace {

/// A matrix that fits into a first-level cache with its vectors: what differs between targets shows there most.
struct ProbeMatrix {
  static constexpr PetscInt kRows = 192, kMostInRow = 15;

  std::vector<PetscInt>    row_ptr{0}, col_idx;
  std::vector<PetscScalar> val, x, y;

  ProbeMatrix() : x(kRows, PetscScalar(1)), y(kRows)
  {
    unsigned   state = 1; // of a generator of pseudorandom numbers
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

/// The matrix in every format, and how to multiply with it by any target.
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
      workspaces_.push_back(layouts_.back().MakeWorkspace());
    }
  }

  std::vector<std::vector<double>> Measure(const std::vector<std::size_t> &targets)
  {
    constexpr int  kLeast = 3, kMost = 9;
    constexpr auto kTime = std::chrono::microseconds(600);
    const auto     start = std::chrono::steady_clock::now();

    std::vector<std::vector<std::vector<double>>> samples(layouts_.size(), std::vector<std::vector<double>>(targets.size()));
    for (int s = 0; s <= kLeast || (s <= kMost && std::chrono::steady_clock::now() - start < kTime); ++s) {
      for (std::size_t t = 0; t < targets.size(); ++t) {
        for (std::size_t f = 0; f < layouts_.size(); ++f) {
          const double ns = Sample(f, targets[t]);
          if (s > 0) samples[f][t].push_back(ns); // the first brings instructions and data to the caches
        }
      }
    }
    std::vector<std::vector<double>> medians(layouts_.size());
    for (std::size_t f = 0; f < layouts_.size(); ++f) {
      for (std::vector<double> &of_target : samples[f]) {
        const auto median = of_target.begin() + static_cast<std::ptrdiff_t>(of_target.size() / 2);
        std::nth_element(of_target.begin(), median, of_target.end());
        medians[f].push_back(*median);
      }
    }
    return medians;
  }

private:
  double Sample(std::size_t format, std::size_t target)
  {
    constexpr int kProducts = 3;
    execution_.target       = target;
    execution_.workspace    = workspaces_[format].data();
    const auto start        = std::chrono::steady_clock::now();
    for (int product = 0; product < kProducts; ++product)
      layouts_[format].Apply(execution_, Op::N, false, matrix_.x.data(), matrix_.y.data());
    const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
    return spent.count() / (kProducts * static_cast<double>(matrix_.val.size()));
  }

  Execution                execution_;
  ProbeMatrix              matrix_;
  std::vector<PetscLayout> layouts_;
  std::vector<Workspace>   workspaces_;
};

} // namespace

std::vector<std::vector<double>> Probe(const std::vector<std::size_t> &targets)
{
  return Bench().Measure(targets);
}

} // namespace petscspmv
