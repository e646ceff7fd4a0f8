// The speculative segmented sum for the kernel tests.
#pragma once

#include "kernels/config.hpp"
#include "mat/impls/speculative/speculative.hpp"

namespace petscspmv::test {

template <class E>
struct Config<speculative::Speculative, E> {
  using Format = speculative::Speculative;
  using Exec   = E;

  static std::vector<OptionValues> Options() // T, W, B, S, check
  {
    if (!kOnHost<Exec>)
      return {{kDecide, kDecide, kDecide, kDecide, 1},
              {1, 1, 1, 1, 1},
              {2, 4, 2, 2, 1},
              {3, 5, 4, 7, 1},
              {32, 8, 4, 1, 1},
              {31, 16, 1, 64, 1}};
    return {{kDecide, kDecide, kDecide, kDecide, 0},
            {kDecide, kDecide, kDecide, kDecide, 1},
            {1, 1, 1, 1, 0},
            {1, 1, 3, 2, 1},
            {2, 4, 2, 2, 0},
            {4, 6, 1, 2, 1},
            {3, 5, 4, 7, 0},
            {16, 8, 4, 6, 1},
            {32, 8, 1, 1, 0},
            {32, 8, 4, 7, 1},
            {8, 16, 4, 6, 0},
            {1, 33, 1, 64, 1},
            {61, 1, 64, 3, 0},
            {64, 64, 2, 5, 0}};
  }
  static int Unit(const OptionValues &options)
  {
    constexpr speculative::Defaults defaults = speculative::DefaultsFor<Exec, double>();
    return static_cast<int>((options[0] == kDecide ? defaults.width : options[0]) *
                            (options[1] == kDecide ? defaults.height : options[1]));
  }
  static bool         KeepsRowsApart(const OptionValues &) { return true; }
  static LargeOptions Large() { return {{{64, 8, 4, 8, 1}}, {{1, 1, 4, 64, 1}}}; }
};

} // namespace petscspmv::test
