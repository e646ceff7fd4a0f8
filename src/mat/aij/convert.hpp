// Conversions between the derived types and everything else.
//
// MatConvert() looks in this order: for a function composed with the matrix under the names of both types, for one composed with a
// matrix of the new type, for the new type's `convertfrom` method, which takes any matrix, and for the matrix's `convert` method,
// which makes any type. If there is none of these, MatConvert() uses a basic conversion that is not exported.
#pragma once

#include "mat/format/format.hpp"
#include "mat/shadow/base.hpp"

namespace petscspmv {

/// Composes with A, or removes, the conversions and products of a type, which PETSc finds by names.
PetscErrorCode ComposeByNames(Mat A, const TypeInfo &type, const Base &base, bool add);

/// The methods `convertfrom` and `convert`.
PetscErrorCode MatConvert_Any_Shadow(Mat A, MatType type, MatReuse reuse, Mat *B);
PetscErrorCode MatConvert_Shadow_Any(Mat A, MatType type, MatReuse reuse, Mat *B);

/// The conversion for -mat_seqaij_type.
PetscErrorCode MatConvert_SeqAIJ_SeqAIJShadow(Mat A, MatType type, MatReuse reuse, Mat *B);

} // namespace petscspmv
