// The parallel type: MATMPIAIJ, whose methods work on its two blocks whatever their type, with
// blocks of the sequential type.
#include "mat/impls/shadow/shadow.hpp"

namespace petscspmv {

namespace {

/// Converts the blocks where that is still to be done. At the end of assembly, and again before each
/// product: preallocation anew, COO and hash assembly put plain blocks in place.
PetscErrorCode ConvertBlocks(Mat A)
{
  Shadow *shadow;
  Mat     blocks[2];

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (Mat block : blocks) {
    if (!block || HashActive(block) || IsShadowed(block, *shadow->format)) continue;
    PetscCall(AdoptSeqAIJ(block, *shadow->format));
    Shadow *s;
    PetscCall(GetShadow(block, &s));
    s->eager = PETSC_FALSE; // their layouts are made when the whole matrix is assembled, after the renumbering of columns
    PetscCall(SetOptions(block, *s, shadow->options));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Before a product: blocks of the right type, that know of changes told to the whole matrix alone. A
/// caller with pointers into a block may raise the state of the matrix it sees.
PetscErrorCode PrepareBlocks(Mat A)
{
  Shadow          *shadow;
  Mat              blocks[2];
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(ConvertBlocks(A));
  PetscCall(GetShadow(A, &shadow));
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (int k = 0; k < 2; ++k) {
    PetscObjectState block_state;
    if (!blocks[k]) continue;
    PetscCall(PetscObjectStateGet((PetscObject)blocks[k], &block_state));
    if (state != shadow->stamp.state && block_state == shadow->block_states[k]) PetscCall(PetscObjectStateIncrease((PetscObject)blocks[k]));
    PetscCall(PetscObjectStateGet((PetscObject)blocks[k], &shadow->block_states[k]));
  }
  shadow->stamp.state = state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult_MPIAIJShadow(Mat A, Vec x, Vec y)
{
  const Base *base;
  Shadow     *shadow;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(PrepareBlocks(A));
  PetscCall((*base->ops.mult)(A, x, y));
  PetscCall(GetShadow(A, &shadow));
  AddCount(*shadow, Count::MPIMult);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// z = v + op(A) x by a method of the base.
PetscErrorCode MultAdd(Mat A, PetscErrorCode (*_MatOps::*method)(Mat, Vec, Vec, Vec), Vec x, Vec v, Vec z)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(PrepareBlocks(A));
  PetscCall((*(base->ops.*method))(A, x, v, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultAdd_MPIAIJShadow(Mat A, Vec x, Vec v, Vec z)
{
  return MultAdd(A, &_MatOps::multadd, x, v, z);
}

PetscErrorCode MatMultTransposeAdd_MPIAIJShadow(Mat A, Vec x, Vec v, Vec z)
{
  return MultAdd(A, &_MatOps::multtransposeadd, x, v, z);
}

PetscErrorCode MatMultTranspose_MPIAIJShadow(Mat A, Vec x, Vec y)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(PrepareBlocks(A));
  PetscCall((*base->ops.multtranspose)(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatCreateSubMatrices() of the whole matrix writes values without assembly or change of state.
PetscErrorCode MatCreateSubMatrices_MPIAIJShadow(Mat A, PetscInt n, const IS rows[], const IS columns[], MatReuse reuse, Mat *submatrices[])
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall((*base->ops.createsubmatrices)(A, n, rows, columns, reuse, submatrices));
  for (PetscInt k = 0; k < n; ++k) PetscCall(PetscObjectStateIncrease((PetscObject)(*submatrices)[k]));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatAssemblyEnd_MPIAIJShadow(Mat A, MatAssemblyType type)
{
  const Base *base;
  Shadow     *shadow;
  Mat         blocks[2];

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall((*base->ops.assemblyend)(A, type));
  if (type != MAT_FINAL_ASSEMBLY || HashActive(A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ConvertBlocks(A));
  PetscCall(GetShadow(A, &shadow));
  PetscCall(SetOptions(A, *shadow, shadow->options)); // reassembly may have made the off-diagonal block anew
  if (!shadow->eager) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (Mat block : blocks) PetscCall(MakeLayoutAtAssembly(block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDuplicate_MPIAIJShadow(Mat A, MatDuplicateOption op, Mat *B)
{
  const Base *base;
  Shadow     *shadow, *copy;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall((*base->ops.duplicate)(A, op, B));
  PetscCall(GetShadow(A, &shadow));
  PetscCall(GetShadow(*B, &copy));
  copy->eager  = shadow->eager;
  copy->chosen = shadow->chosen;
  PetscCall(SetOptions(*B, *copy, shadow->options));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatView_MPIAIJShadow(Mat A, PetscViewer viewer)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall((*base->ops.view)(A, viewer));
  if (A->assembled && !HashActive(A)) PetscCall(ConvertBlocks(A));
  PetscCall(ViewShadow(A, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetFromOptions_MPIAIJShadow(Mat A, OptionItems items)
{
  const Base *base;
  Shadow     *shadow;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  if (base->ops.setfromoptions) PetscCall((*base->ops.setfromoptions)(A, items));
  PetscCall(GetShadow(A, &shadow));
  PetscCall(ReadOptions(A, *shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_MPIAIJShadow(Mat A)
{
  const Base        *base;
  const PetscFormat *format = FormatOf(A);

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  if (format) PetscCall(ComposeMPIAIJMethods(A, *format, false));
  PetscCall(DestroyShadow(A));
  PetscCall((*base->ops.destroy)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void SetMethods(struct _MatOps &ops)
{
  ops.mult              = MatMult_MPIAIJShadow;
  ops.multadd           = MatMultAdd_MPIAIJShadow;
  ops.multtranspose     = MatMultTranspose_MPIAIJShadow;
  ops.multtransposeadd  = MatMultTransposeAdd_MPIAIJShadow;
  ops.assemblyend       = MatAssemblyEnd_MPIAIJShadow;
  ops.duplicate         = MatDuplicate_MPIAIJShadow;
  ops.view              = MatView_MPIAIJShadow;
  ops.setfromoptions    = MatSetFromOptions_MPIAIJShadow;
  ops.destroy           = MatDestroy_MPIAIJShadow;
  ops.convertfrom       = MatConvert_Any_Shadow;
  ops.createsubmatrices = MatCreateSubMatrices_MPIAIJShadow;
}

void ResetMethods(struct _MatOps &ops, const struct _MatOps &base)
{
  ops.mult              = base.mult;
  ops.multadd           = base.multadd;
  ops.multtranspose     = base.multtranspose;
  ops.multtransposeadd  = base.multtransposeadd;
  ops.assemblyend       = base.assemblyend;
  ops.duplicate         = base.duplicate;
  ops.view              = base.view;
  ops.setfromoptions    = base.setfromoptions;
  ops.destroy           = base.destroy;
  ops.convertfrom       = base.convertfrom;
  ops.createsubmatrices = base.createsubmatrices;
}

/// Makes any MPIAIJ-derived matrix a plain MATMPIAIJ.
PetscErrorCode ToPlainMPIAIJ(Mat A)
{
  const PetscFormat *format = FindFormat(((PetscObject)A)->type_name);
  PetscBool          plain;

  PetscFunctionBegin;
  if (format) PetscCall(StripMPIAIJ(A));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJ, &plain));
  PetscCheck(plain, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "Matrix of type %s does not convert to mpiaij", ((PetscObject)A)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ComposeMPIAIJMethods(Mat A, const PetscFormat &format, bool add)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(ComposeByNames(A, format, *base, add));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AdoptMPIAIJ(Mat A, const PetscFormat &format)
{
  PetscFunctionBegin;
  if (((PetscObject)A)->type_name == format.mpi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ToPlainMPIAIJ(A));
  PetscCall(AttachShadow(A, format));
  SetMethods(*A->ops);
  PetscCall(ComposeMPIAIJMethods(A, format, true));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, format.mpi.c_str()));
  if (A->assembled) PetscCall(ConvertBlocks(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StripMPIAIJ(Mat A)
{
  const Base *base;
  Shadow     *shadow;
  Mat         blocks[2];

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(GetShadow(A, &shadow));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (Mat block : blocks) {
    if (block && IsShadowed(block, *shadow->format)) PetscCall(StripSeqAIJ(block));
  }
  PetscCall(ComposeMPIAIJMethods(A, *shadow->format, false));
  PetscCall(DestroyShadow(A));
  ResetMethods(*A->ops, base->ops);
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, MATMPIAIJ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_MPIAIJShadow(Mat A, const PetscFormat &format)
{
  PetscFunctionBegin;
  PetscCall(MatSetType(A, MATMPIAIJ));
  PetscCall(AdoptMPIAIJ(A, format));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
