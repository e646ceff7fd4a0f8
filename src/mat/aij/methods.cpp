// Methods that the sequential and the parallel type share.
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

namespace petscspmv {

PetscErrorCode MatDuplicate_AIJShadow(Mat A, MatDuplicateOption op, Mat *B)
{
  const Base *base;
  Shadow     *shadow, *copy;

  PetscFunctionBegin;
  PetscCall(GetBaseOf(A, &base));
  PetscCall(GetShadow(A, &shadow));
  PetscCall((*base->ops.duplicate)(A, op, B));
  if (FindType(((PetscObject)*B)->type_name) != shadow->type) PetscFunctionReturn(PETSC_SUCCESS); // -mat_seqaij_type changed it
  PetscCall(GetShadow(*B, &copy));
  copy->eager        = shadow->eager;
  copy->transpose_by = shadow->transpose_by;
  copy->chosen       = shadow->chosen;
  PetscCall(SetOptions(*B, *copy, shadow->options));
  if (kHasDevice) {
    PetscBool bound;
    PetscCall(MatBoundToCPU(A, &bound));
    PetscCall(MatBindToCPU(*B, bound));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Types that others derive from ours replace this method as well.
bool IsOurs(Mat A)
{
  return A->ops->duplicate == Entry<MatDuplicate_AIJShadow>;
}

PetscErrorCode MatView_AIJShadow(Mat A, PetscViewer viewer)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetBaseOf(A, &base));
  PetscCall((*base->ops.view)(A, viewer));
  PetscCall(ViewShadow(A, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetFromOptions_AIJShadow(Mat A, OptionItems items)
{
  const Base *base;
  Shadow     *shadow;

  PetscFunctionBegin;
  PetscCall(GetBaseOf(A, &base));
  if (base->ops.setfromoptions) PetscCall((*base->ops.setfromoptions)(A, items));
  PetscCall(GetShadow(A, &shadow));
  PetscCall(ReadOptions(A, *shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
