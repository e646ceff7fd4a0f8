// What tests of kernels need to know of a format: Config<F, Exec> in kernels/<format>.hpp, with
//
//   static std::vector<OptionValues> Options();   // to sweep; the first is the default
//   static int  Unit(const OptionValues &);       // entries of a tile or chunk
//   static bool KeepsRowsApart(const OptionValues &); // no row's Inf, NaN or rounding reaches another
//   static LargeOptions Large();                  // for 2^31 entries, of which the first and last blocks alone are looked at
#pragma once

#include "mat/arithmetic/value_kinds.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/options.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

namespace petscspmv::test {

/// Of the option "values": as they are.
inline constexpr std::int64_t kFull = static_cast<std::int64_t>(ValueStorage::Full);

/// Some with many entries a block and some with as many blocks as entries. None where a format has tests of its own for large
/// matrices, or is not cut into blocks.
struct LargeOptions {
  std::vector<OptionValues> blocks, entries;
};

/// A format, and where its kernels run.
template <class F, class E>
struct Config;

} // namespace petscspmv::test
