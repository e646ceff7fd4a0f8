// Methods of sequential matrices that PETSc finds by name.
#include "mat/aij/convert.hpp"
#include "mat/registry/registry.hpp"
#include "mat/shadow/adopt.hpp"
#include "mat/shadow/base.hpp"
#include "mat/shadow/passing.hpp"
#include "petsc/guard.hpp"

namespace petscspmv {

namespace {

/// MatRetrieveValues_SeqAIJ() changes values without increasing the state (3.18 to 3.25), and AIJ's MatSOR() would go on with the
/// diagonal that it has inverted before. Getting and restoring the array increases the state and invalidates that diagonal.
PetscErrorCode MatRetrieveValues_SeqAIJShadow(Mat A)
{
  const Base  *base;
  PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall((*base->retrieve)(A));
  PetscCall(MatSeqAIJGetArray(A, &values));
  PetscCall(MatSeqAIJRestoreArray(A, &values));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatSeqAIJSetColumnIndices_SeqAIJ() increases neither the state nor the nonzero state.
PetscErrorCode MatSeqAIJSetColumnIndices_SeqAIJShadow(Mat A, PetscInt *columns)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall((*base->columns)(A, columns));
  ++A->nonzerostate;
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatSeqAIJKron_SeqAIJ() requires a second operand of type MATSEQAIJ itself.
PetscErrorCode MatSeqAIJKron_SeqAIJShadow(Mat A, Mat B, MatReuse reuse, Mat *C)
{
  const Base     *base;
  const TypeInfo *type = FindType(((PetscObject)B)->type_name);

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  const PassesForAIJ passes(type ? B : nullptr);
  PetscCall((*base->kron)(A, B, reuse, C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ComposeSeqAIJMethods(Mat A, const TypeInfo &type, bool add)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall(ComposeByNames(A, type, *base, add));
  if (base->retrieve)
    PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatRetrieveValues_C",
                                         add ? Entry<MatRetrieveValues_SeqAIJShadow> : base->retrieve));
  if (base->columns)
    PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSeqAIJSetColumnIndices_C",
                                         add ? Entry<MatSeqAIJSetColumnIndices_SeqAIJShadow> : base->columns));
  if (base->kron)
    PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSeqAIJKron_C", add ? Entry<MatSeqAIJKron_SeqAIJShadow> : base->kron));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
