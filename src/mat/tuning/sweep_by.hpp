// Who sweeps with the triangles of a matrix or factor.
#pragma once

#include <cstddef>

namespace petscspmv {

/// PETSc's loop, our plain loop over the same arrays, which needs little preparation, or layouts.
enum class SweepBy { Aij, Plain, Layouts };
inline constexpr std::size_t kSweepBys = static_cast<std::size_t>(SweepBy::Layouts) + 1;

} // namespace petscspmv
