// PETSc's inodes.
#pragma once

#include "petsc/compat.hpp"

namespace petscspmv {

/// The nodes that AIJ has found: neighbouring rows with the same columns, at most five. None where AIJ works row by row.
struct Nodes {
  PetscInt  count = 0, limit = 0;
  PetscInt *sizes = nullptr;

  /// In later versions of PETSc the array has the first rows of nodes in the place of their sizes.
  PetscInt Size(PetscInt k) const { return sizes[0] == 0 ? sizes[k + 1] - sizes[k] : sizes[k]; }

  /// The entries of all diagonal blocks.
  PetscInt BlockEntries() const
  {
    PetscInt entries = 0;
    for (PetscInt k = 0; k < count; ++k) entries += Size(k) * Size(k);
    return entries;
  }

  bool IsSame(const Nodes &n) const { return count == n.count && (count == 0 || limit == n.limit); } // if the pattern is the same

  /// Takes the nodes of a sequential matrix; AIJ uses them unless MAT_USE_INODES is false.
  PetscErrorCode Take(Mat A)
  {
    PetscFunctionBegin;
    *this = {};
    PetscCall(MatInodeGetInodeSizes(A, &count, &sizes, &limit));
    if (!sizes) *this = {};
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

} // namespace petscspmv
