// The target of host kernels: the user's choice, or that of a measurement.
#pragma once

#include "mat/impls/shadow/compat.hpp"

#include <cstddef>
#include <string>

namespace petscspmv {

/// Obeys -spmv_simd; without it the target is chosen when it is first needed.
PetscErrorCode ReadTarget();

/// Host kernels are about to run: chooses among the targets of this processor, once in a process.
PetscErrorCode NeedTarget();

/// The place in the list of the target in use, or -1 if none was needed.
int TargetInUse();

/// Whether the user has said which.
bool TargetIsForced();

/// Of the targets that load x in the other way than the measured one, the fastest; where there is none, the measured one.
std::size_t OtherTarget();

/// For -spmv_view: the target in use and why, or that none was needed.
std::string DescribeTarget();

} // namespace petscspmv
