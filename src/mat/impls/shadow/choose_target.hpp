// The target of host kernels: the user's choice, or that of a measurement.
#pragma once

#include "mat/format/format.hpp"
#include "mat/impls/shadow/compat.hpp"

#include <cstddef>
#include <string>

namespace petscspmv {

using PetscFormat = FormatInfo<PetscScalar, PetscInt>;

/// Obeys -spmv_simd; without it the target is chosen when it is first needed.
PetscErrorCode ReadTarget();

/// Forgets -spmv_simd, at the end of what it was given for.
PetscErrorCode ForgetOption();

/// Host kernels are about to run: chooses among the targets of this processor, once in a process.
PetscErrorCode NeedTarget();

/// The place in the list of the target in use, or -1 if none was needed.
int TargetInUse();

/// Whether the user has said which.
bool TargetIsForced();

/// The target of a format's kernels, if one has been chosen.
std::size_t TargetOf(const PetscFormat &format);

/// Of the targets that load x in the other way than that one, the fastest with the format; where there is none, the same.
std::size_t OtherTargetOf(const PetscFormat &format);

/// What the measurement found with a format: ns a nonzero, with a matrix in the nearest cache. 0 if there was none.
double MeasuredNs(const PetscFormat &format);
double MeasuredNsOfRows(); // and with a plain loop over the rows, as AIJ's

/// For -spmv_view: the target in use and why, or that none was needed.
std::string DescribeTarget();

} // namespace petscspmv
