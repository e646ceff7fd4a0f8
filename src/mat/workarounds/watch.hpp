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

} // namespace petscspmv
