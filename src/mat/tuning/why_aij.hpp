// Why AIJ did a product or a sweep that a format or a layout might have done.
#pragma once

#include <cstddef>

namespace petscspmv {

enum class WhyAij {
  Small,     // fewer nonzeros than formats are tried for
  Few,       // too few products for a layout to pay back
  Budget,    // a layout would pay, but costs more than the budget allows yet
  Changing,  // values change too often for a refresh to pay back
  NotFaster, // nothing was faster, or is expected to be
  NoMemory,  // no memory for a layout
  Asked,     // an option asks for AIJ
};
inline constexpr std::size_t kReasons = static_cast<std::size_t>(WhyAij::Asked) + 1;

} // namespace petscspmv
