// The target of host kernels, chosen by the user or by measurement.
#pragma once

#include "mat/registry/registry.hpp"
#include "petsc/fixed_string.hpp"

#include <cstddef>

namespace petscspmv {

/// Reads -spmv_simd; without it the target is chosen when it is needed.
PetscErrorCode ReadTarget();

/// Call before host kernels run: takes the measured target, or, as long as nothing has been measured, the one expected to be the
/// fastest.
PetscErrorCode NeedTarget();

/// Takes the measured target unless one is forced; the first call in a process measures. Needs a session; may throw.
void ChooseTarget();

/// About the seconds that this will take; 0 if nothing is to be measured.
double SecondsToChooseTarget();

/// Adds the nonzeros of a product; after a million of them a measurement is worth its time, and the next call does the same as
/// ChooseTarget().
void CountTowardsMeasurement(PetscInt nonzeros);

/// The index of the target in use, or -1 if none was needed.
int TargetInUse();

/// Whether the user has set the target.
bool TargetIsForced();

/// Whether the target is forced, or the measured one.
bool TargetIsSettled();

/// The target of a format's kernels; call once some target is in use.
std::size_t TargetOf(const PetscFormat &format);

/// Of the measured targets that load x in the other way than TargetOf(), the fastest with the format; TargetOf() if there is none.
std::size_t OtherTargetOf(const PetscFormat &format);

/// For -spmv_view: the target in use and the reason, or that none was needed.
FixedString DescribeTarget();

} // namespace petscspmv
