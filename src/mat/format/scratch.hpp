// A kernel's room on the stack.
#pragma once

#include <cstddef>

namespace petscspmv {

/// Room for n values, which are not set: std::complex would be, at every call.
template <class Scalar, int n>
struct Scratch {
  alignas(64) std::byte room[n * sizeof(Scalar)];

  Scalar *data() { return reinterpret_cast<Scalar *>(room); }
};

} // namespace petscspmv
