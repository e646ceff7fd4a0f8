// Replaces the creators of MATSEQAIJ and MATMPIAIJ by ones that call PETSc's and then add methods; the types keep their names. A
// MATMPIAIJ, whose blocks have our types with -mat_seqaij_type, gets the methods of shadow/parallel.cpp: without them products
// would miss changes that were reported to the parallel matrix only. Both get what keeps PETSc's derived types apart from ours
// (derived.cpp).
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

PetscErrorCode RegisterWatch(); // for all matrices that are made from now on

/// What these creators add to a plain matrix.
PetscErrorCode WatchMPIAIJ(Mat A);
PetscErrorCode WatchSeqAIJ(Mat A);

/// With another pattern AIJ's MatAXPY(), which MatCopy() calls too, makes the sum as a new matrix of the type of Y, and merges it
/// into Y. If Y is a plain MATSEQAIJ, -mat_seqaij_type must not make the sum one of our types. Our types have this method, too:
/// PETSc uses AIJ's only if X and Y have the same one.
PetscErrorCode MatAXPY_SeqAIJWatched(Mat Y, PetscScalar a, Mat X, MatStructure pattern);

} // namespace petscspmv
