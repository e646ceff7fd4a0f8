// Values of the option -spmv_prefetch.
#pragma once

#include "mat/exec/execution.hpp"
#include "mat/format/by_enumerator.hpp"

namespace petscspmv {

inline constexpr auto kPrefetchingNames = ByEnumerator<Prefetching::On, const char *>({
  {Prefetching::Auto, "auto"},
  {Prefetching::Off, "off"},
  {Prefetching::On, "on"},
});

} // namespace petscspmv
