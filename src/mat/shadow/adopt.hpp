// Making a plain matrix one of ours, and the reverse: declarations alone, for what the methods of our types call, while aij/seq.cpp
// and aij/mpi.cpp, which define this, refer to all of these methods.
#pragma once

#include "mat/format/format.hpp"
#include "petsc/compat.hpp"

namespace petscspmv {

PetscErrorCode AdoptSeqAIJ(Mat A, const TypeInfo &type); // in place; A is any AIJ-derived
PetscErrorCode AdoptMPIAIJ(Mat A, const TypeInfo &type);
PetscErrorCode StripSeqAIJ(Mat A); // in place, back to MATSEQAIJ
PetscErrorCode StripMPIAIJ(Mat A);

bool HasOwnMultAdd(Mat A); // whether MatMultAdd() is our sequential types', not one that a program has set

/// All composed functions of a type: with `add` they are composed with A, otherwise removed, or AIJ's own put back.
PetscErrorCode ComposeSeqAIJMethods(Mat A, const TypeInfo &type, bool add);
PetscErrorCode ComposeMPIAIJMethods(Mat A, const TypeInfo &type, bool add);

} // namespace petscspmv
