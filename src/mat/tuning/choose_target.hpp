// The target of host kernels, chosen by the user or by measurement.
#pragma once

#include "mat/registry/registry.hpp"
#include "petsc/fixed_string.hpp"

#include <cstddef>

namespace petscspmv {

/// Reads -spmv_simd; without it the target is chosen when it is first needed.
PetscErrorCode ReadTarget();

/// Call before host kernels run: chooses among the targets of this processor, once per process.
PetscErrorCode NeedTarget();
void           ChooseTarget(); // by measurement, unless one is chosen already; in a session; throws

/// The index of the target in use, or -1 if none was needed.
int TargetInUse();

/// Whether the user has set the target.
bool TargetIsForced();

/// The target of a format's kernels, if one has been chosen.
std::size_t TargetOf(const PetscFormat &format);

/// The fastest target with the format that loads x in the other way than TargetOf(); the same one if there is none.
std::size_t OtherTargetOf(const PetscFormat &format);

/// For -spmv_view: the target in use and the reason, or that none was needed.
FixedString DescribeTarget();

} // namespace petscspmv
