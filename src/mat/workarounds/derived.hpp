// PETSc's own types derived from AIJ: aijperm, aijsell, aijcrl and others. Their creators and conversions make a MATSEQAIJ, then
// replace some of its methods and its spptr. That must not happen to a matrix which -mat_seqaij_type has made one of ours, so these
// creators and conversions run while that option has no effect.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// Replace the creators of these types, and the conversions of a plain matrix to them.
PetscErrorCode ReplaceCreatorsOfDerived();
PetscErrorCode ReplaceConversionsToDerived(Mat A);

} // namespace petscspmv
