// CSR5 for the kernel tests.
#pragma once

#include "kernels/config.hpp"
#include "mat/impls/csr5/csr5.hpp"

namespace petscspmv::test {

template <class E>
struct Config<csr5::Csr5, E> {
  using Format = csr5::Csr5;
  using Exec   = E;

  static std::vector<OptionValues> Options() // omega, sigma, segmented_sum, offsets, values
  {
    if (!kOnHost<Exec>) {
      return {{kDecide, kDecide, 0, 1, 0},
              {kDecide, kDecide, 1, 0, kFull},
              {32, 4, 0, 1, 0},
              {32, 7, 0, 0, kFull},
              {32, 32, 0, 1, 0},
              {16, 16, 1, 1, 0},
              {1, 1, 0, 1, 0},
              {5, 3, 0, 1, 0},
              {31, 1, 0, 0, kFull}};
    }
    std::vector<OptionValues> all{
      {kDecide, kDecide, 0, 1, 0}, {kDecide, kDecide, 0, 0, kFull}, {kDecide, kDecide, 1, 1, 0}, {kDecide, kDecide, 1, 0, kFull}};
    for (const auto &[omega, sigma] :
         {std::pair{16, 32}, {8, 16}, {4, 16}, {4, 4}, {1, 1}, {1, 7}, {5, 1}, {3, 5}, {32, 4}, {64, 32}, {2, 31}}) {
      for (const int offsets : {0, 1}) all.push_back({omega, sigma, 0, offsets, 1 - offsets});
    }
    all.push_back({4, 4, 1, 1, 0});
    return all;
  }
  static int Unit(const OptionValues &options)
  {
    const std::int64_t omega = options[0] == kDecide ? csr5::DefaultOmega<Exec>() : options[0];
    return static_cast<int>(omega * (options[1] == kDecide ? csr5::DefaultSigma<Exec>() : options[1]));
  }
  static bool         KeepsRowsApart(const OptionValues &options) { return options[2] == 0; }
  static LargeOptions Large() { return {{{8, 32, 0, 0, kFull}}, {{1, 1, 0, 0, kFull}}}; }
};

} // namespace petscspmv::test
