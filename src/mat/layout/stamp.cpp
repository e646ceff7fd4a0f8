#include "mat/layout/stamp.hpp"

namespace petscspmv {

PetscErrorCode Stamp::Take(Mat A)
{
  PetscScalar *values;
  PetscMemType memtype;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJGetCSRAndMemType(A, &i, &j, &values, &memtype));
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  a            = values;
  nonzerostate = A->nonzerostate;
  rows         = A->rmap->n;
  cols         = A->cmap->n;
  nnz          = rows && i ? i[rows] : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

Csr<PetscScalar, PetscInt> Stamp::Lent() const
{
  static const PetscInt zero = 0; // the row pointers of a matrix without rows
  return {rows, cols, rows && i ? i : &zero, j, a};
}

} // namespace petscspmv
