// A kernel's buffer on the stack.
#pragma once

#include "mat/exec/function.hpp"

#include <cstddef>

namespace petscspmv {

/// Alignment of lanes on the stack: a cache line. Compilers store sums to the stack at every step. Unaligned, such a store crosses
/// a page boundary in one process of a hundred, and then takes longer than all the rest.
inline constexpr std::size_t kStackLine = 64;

/// A buffer for n values, left uninitialized: an array of std::complex would be zeroed at every call.
template <class Scalar, int n>
struct Scratch {
  alignas(kStackLine) std::byte memory[n * sizeof(Scalar)];

  KOKKOS_FUNCTION Scalar *data() { return reinterpret_cast<Scalar *>(memory); }
};

} // namespace petscspmv
