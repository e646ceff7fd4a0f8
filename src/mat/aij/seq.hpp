// The sequential type: MATSEQAIJ with its products replaced.
#pragma once

#include "mat/format/format.hpp"
#include "petsc/compat.hpp"

namespace petscspmv {

PetscErrorCode MatCreate_SeqAIJShadow(Mat A, const TypeInfo &type);

} // namespace petscspmv
