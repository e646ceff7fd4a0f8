// The target of host kernels, chosen by the user or by measurement.
#pragma once

#include "mat/registry/registry.hpp"
#include "petsc/fixed_string.hpp"

#include <cstddef>

namespace petscspmv {

/// Reads -spmv_simd; without it the target is chosen when it is needed.
PetscErrorCode ReadTarget();

/// Call before host kernels run: until there is a measurement, once per process, the target that is expected to be the fastest is
/// in use.
PetscErrorCode NeedTarget();
void           ChooseTarget();                        // by measurement, unless one is forced; in a session; throws
void           ChooseTargetBefore(PetscInt nonzeros); // likewise, once products with that many more are worth it

/// The index of the target in use, or -1 if none was needed.
int TargetInUse();

/// Whether the user has set the target.
bool TargetIsForced();

/// Whether the target is forced, or the measured one.
bool TargetIsSettled();

/// The target of a format's kernels, if one has been chosen.
std::size_t TargetOf(const PetscFormat &format);

/// The fastest target with the format that loads x in the other way than TargetOf(); the same one if there is none.
std::size_t OtherTargetOf(const PetscFormat &format);

/// For -spmv_view: the target in use and the reason, or that none was needed.
FixedString DescribeTarget();

} // namespace petscspmv
