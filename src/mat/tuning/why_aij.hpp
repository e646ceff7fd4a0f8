// Why AIJ did a product where a chooser decided.
#pragma once

#include <cstddef>

namespace petscspmv {

enum class WhyAij {
  Small,     // fewer nonzeros than the least
  Few,       // products, for a layout to pay back
  Budget,    // of the process: a layout would pay, but may not cost so much yet
  Changing,  // values, for a refresh to pay back
  NotFaster, // no format was, or is expected to be
  NoMemory,  // for a layout
  Asked,     // by an option
};
inline constexpr std::size_t kReasons = static_cast<std::size_t>(WhyAij::Asked) + 1;

} // namespace petscspmv
