// Values of the option -spmv_prefetch.
#pragma once

#include "mat/exec/execution.hpp"
#include "mat/format/by_place.hpp"

namespace petscspmv {

inline constexpr auto kPrefetchingNames = ByPlace<Prefetching::On, const char *>({
  {Prefetching::Auto, "auto"},
  {Prefetching::Off, "off"},
  {Prefetching::On, "on"},
});

} // namespace petscspmv
