// PETSc's own types derived from AIJ: aijperm, aijsell, aijcrl and others. Their creators and conversions make a MATSEQAIJ and turn
// it into one of theirs by replacing some of its methods and its spptr, which must not happen to a matrix that -mat_seqaij_type
// has made one of ours. So these creators and conversions run while that option has no effect.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// Replaces their creators, and the conversions of a plain matrix to them.
PetscErrorCode ReplaceCreatorsOfDerived();
PetscErrorCode ReplaceConversionsToDerived(Mat A);

} // namespace petscspmv
