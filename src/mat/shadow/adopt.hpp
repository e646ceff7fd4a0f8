// Making a plain matrix one of our types, and the reverse. The functions are defined in aij, whose files include those of this
// folder; they are declared here because shadows call them too.
#pragma once

#include "mat/format/format.hpp"
#include "petsc/compat.hpp"

namespace petscspmv {

PetscErrorCode AdoptSeqAIJ(Mat A, const TypeInfo &type); // in place; A is any AIJ-derived
PetscErrorCode AdoptMPIAIJ(Mat A, const TypeInfo &type);
PetscErrorCode StripSeqAIJ(Mat A); // in place, back to MATSEQAIJ
PetscErrorCode StripMPIAIJ(Mat A);

bool HasOwnMultAdd(Mat A); // whether its MatMultAdd() is that of our sequential types, not set by a program

/// Composes all functions of a type with A if `add`; otherwise removes them, and puts AIJ's own back.
PetscErrorCode ComposeSeqAIJMethods(Mat A, const TypeInfo &type, bool add);
PetscErrorCode ComposeMPIAIJMethods(Mat A, const TypeInfo &type, bool add);

} // namespace petscspmv
