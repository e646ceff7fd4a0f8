// SELL-C-sigma for the kernel tests.
#pragma once

#include "kernels/config.hpp"
#include "mat/impls/sellcs/sellcs.hpp"

namespace petscspmv::test {

/// For the option "shapes".
inline constexpr std::int64_t kShapes = 0, kNoShapes = 1;

template <class E>
struct Config<sellcs::Sellcs, E> {
  using Format = sellcs::Sellcs;
  using Exec   = E;

  static std::vector<OptionValues> Options() // chunk, sigma, trimmed, row_bound, offsets, values, shapes
  {
    std::vector<OptionValues> all{{kDecide, kDecide, 0, kDecide, 1, 0, kShapes},
                                  {kDecide, kDecide, 0, kDecide, 0, kFull, kNoShapes},
                                  {kDecide, kDecide, 1, kDecide, 1, 0, kShapes}};
    if constexpr (!kOnHost<Exec>) {
      for (const OptionValues &options : {OptionValues{32, 1, 0, 3, 1, 0, kShapes},
                                          {32, 1024, 0, 1 << 20, 1, 0, kShapes},
                                          {64, 128, 0, 0, 0, kFull, kShapes},
                                          {7, 3, 0, kDecide, 1, 0, kShapes},
                                          {1, 1, 1, 5, 0, kFull, kShapes},
                                          {1 << 20, 1, 0, kDecide, 1, 0, kShapes}})
        all.push_back(options);
    } else {
      for (const auto &[chunk, sigma] : {std::pair{1, 1},
                                         {1, 5},
                                         {4, 1},
                                         {4, 16},
                                         {8, 1},
                                         {16, 256},
                                         {32, 7},
                                         {32, 1024},
                                         {3, 2},
                                         {13, 26},
                                         {1 << 20, 1},
                                         {1 << 20, 1 << 20}}) {
        for (const int offsets : {0, 1}) all.push_back({chunk, sigma, 0, kDecide, offsets, 1 - offsets, kShapes});
      }
      for (const auto &[chunk, sigma] : {std::pair{1, 1}, {8, 64}, {7, 3}, {1 << 20, 1}})
        all.push_back({chunk, sigma, 1, kDecide, 1, 0, kShapes});
      for (const int bound : {0, 3, 100}) {
        all.push_back({8, kDecide, 0, bound, 1, 0, kShapes});
        all.push_back({5, 20, 1, bound, 0, kFull, kShapes});
      }
    }
    return all;
  }
  static int Unit(const OptionValues &options)
  {
    return static_cast<int>(options[0] == kDecide ? sellcs::DefaultChunk<Exec, double>() : std::min<std::int64_t>(options[0], 64));
  }
  static bool         KeepsRowsApart(const OptionValues &) { return true; }
  static LargeOptions Large() { return {}; } // chunks: large_test.cpp
};

} // namespace petscspmv::test
