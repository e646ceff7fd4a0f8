// What kernel tests need to know about a format: Config<F, Exec> in kernels/<format>.hpp, with
//
//   static std::vector<OptionValues> Options();   // to sweep; the first is the default
//   static int  Unit(const OptionValues &);       // entries of a tile or chunk
//   static bool KeepsRowsApart(const OptionValues &); // no row's Inf, NaN or rounding reaches another
//   static LargeOptions Large();                  // for 2^31 entries, of which only the first and last blocks are processed
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

/// For the option "values": store in full.
inline constexpr std::int64_t kFull = static_cast<std::int64_t>(ValueStorage::Full);

/// Some options with many entries per block, and some with as many blocks as entries. None if a format has its own tests for large
/// matrices, or is not divided into blocks.
struct LargeOptions {
  std::vector<OptionValues> blocks, entries;
};

/// A format, and where its kernels run.
template <class F, class E>
struct Config;

} // namespace petscspmv::test
