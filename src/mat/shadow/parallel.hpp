// Methods of parallel matrices whose blocks have our sequential types: of our parallel types, and of PETSc's MATMPIAIJ, whose
// blocks get our types by -mat_seqaij_type (workarounds/watch.cpp). A block does not know its parallel matrix, so these methods
// report to the blocks the changes that were reported to the parallel matrix only.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

void SetParallelMethods(struct _MatOps &ops);

/// Called before a product of a parallel matrix, of our type or PETSc's: reports to blocks of our types the changes that were
/// reported to the parallel matrix only.
PetscErrorCode PrepareBlocks(Mat A);

} // namespace petscspmv
