// A kernel's room on the stack.
#pragma once

#include "mat/exec/function.hpp"

#include <cstddef>

namespace petscspmv {

/// What lanes on the stack begin at, a cache line. Compilers store sums side by side at every step: across two pages, as
/// one process of a hundred had them, such a store takes longer than all the rest.
inline constexpr std::size_t kStackLine = 64;

/// Room for n values, which are not set: std::complex would be, at every call.
template <class Scalar, int n>
struct Scratch {
  alignas(kStackLine) std::byte room[n * sizeof(Scalar)];

  KOKKOS_FUNCTION Scalar *data() { return reinterpret_cast<Scalar *>(room); }
};

} // namespace petscspmv
