// CSRCopy for the kernel tests.
#pragma once

#include "formats/csrcopy/csrcopy.hpp"
#include "kernels/config.hpp"

namespace petscspmv::test {

template <class E>
struct Config<csrcopy::Csrcopy, E> {
  using Format = csrcopy::Csrcopy;
  using Exec   = E;

  static std::vector<OptionValues> Options() { return {{0, 7}, {1, 7}}; }
  static int                       Unit(const OptionValues &) { return 16; }
  static bool                      KeepsRowsApart(const OptionValues &) { return true; }
  static LargeOptions              Large() { return {}; }
};

} // namespace petscspmv::test
