// Options and statistics of formats, as data.
#pragma once

#include "mat/format/by_enumerator.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

namespace petscspmv {

/// Value of an option that leaves the choice to the format (PETSC_DECIDE in the options database).
inline constexpr std::int64_t kDecide = -1;

/// An option of a format, as data. Its database key is -mat_<alias>_<key>.
struct OptionSpec {
  const char                  *key;
  const char                  *help;
  std::int64_t                 lower   = 0;       // smallest value allowed
  std::int64_t                 upper   = 1;       // largest value allowed
  std::int64_t                 initial = kDecide; // the default; kDecide if the format chooses
  std::span<const char *const> names   = {};      // names of the values 0, 1, ... if the option is a choice
  double                       unit    = 0;       // if the option is a real number: users see the value times `unit`
};

/// The names of a flag's values.
inline constexpr std::array<const char *, 2> kFlag{"false", "true"};

using OptionValues = std::vector<std::int64_t>; // one for each OptionSpec, in their order

/// A figure about a layout, for viewers, tests and benchmarks. Across processes counts are summed, ratios are sums of `value` over
/// sums of `over`, parameters must agree, and Least and Most are the minimum and maximum. IfNonzero is a count that is shown only
/// if nonzero. The Least or Most of an empty set is infinite, and shown as 0.
struct Stat {
  enum Kind { Parameter, Count, IfNonzero, Ratio, Least, Most };
  const char *key; // e.g. "tiles_with_empty_rows"
  double      value;
  Kind        kind = Count;
  double      over = 1;  // divisor of a ratio
  const char *unit = ""; // shown after the value, if the key does not name the unit

  double Figure() const { return over != 0 && !std::isinf(value) ? value / over : 0; }
};

using Stats = std::vector<Stat>;

} // namespace petscspmv
