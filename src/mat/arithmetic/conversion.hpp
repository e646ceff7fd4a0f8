// The conversion of a number of the matrix to the type in which a layout stores it.
#pragma once

#include "mat/exec/function.hpp"

namespace petscspmv {

template <class To>
struct Convert {
  template <class Number>
  KOKKOS_FORCEINLINE_FUNCTION To operator()(const Number &number) const
  {
    return static_cast<To>(number);
  }
};

} // namespace petscspmv
