// The creators of MATSEQAIJ and MATMPIAIJ, replaced by ones that call PETSc's; the types keep their names. To MATMPIAIJ, whose
// blocks have our types with -mat_seqaij_type, they add the methods of shadow/parallel.cpp, without which products would not see
// what is reported to the parallel matrix only. To both they add what keeps PETSc's derived types apart from ours (derived.cpp).
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

PetscErrorCode RegisterWatch(); // for all matrices that are made from now on

/// What these creators add to a plain matrix.
PetscErrorCode WatchMPIAIJ(Mat A);
PetscErrorCode WatchSeqAIJ(Mat A);

} // namespace petscspmv
