// Methods of parallel matrices whose blocks have our sequential types: those of our parallel types, and MATMPIAIJ of PETSc, whose
// blocks get them by -mat_seqaij_type (workarounds/watch.cpp). A block does not know its parallel matrix, so these methods report
// to the blocks what was reported to the parallel matrix only.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

void SetParallelMethods(struct _MatOps &ops);

/// Called before a product of a parallel matrix, of our type or PETSc's: reports to blocks of our types changes that were reported
/// to the parallel matrix only.
PetscErrorCode PrepareBlocks(Mat A);

} // namespace petscspmv
