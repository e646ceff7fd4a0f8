// The sequential type: MATSEQAIJ with its products replaced.
#include "mat/impls/shadow/guard.hpp"
#include "mat/impls/shadow/lend.hpp"
#include "mat/impls/shadow/shadow.hpp"

namespace petscspmv {

namespace {

/// Counts a product and its flops.
PetscErrorCode LogProduct(Shadow &shadow, Count count, PetscLogDouble flops)
{
  PetscFunctionBegin;
  if (shadow.place == Place::Device) PetscCall(PetscLogGpuFlops(flops));
  else PetscCall(PetscLogFlops(flops));
  AddCount(shadow, count);
  if (shadow.place == Place::Device) AddCount(shadow, Count::OnDevice);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// y = op(A) x
PetscErrorCode Mult(Mat A, Op op, Count count, Vec x, Vec y)
{
  Shadow    *shadow;
  LentArrays arrays;
  Place      place;

  PetscFunctionBegin;
  PetscCall(ChoosePlace(A, x, y, false, &place));
  PetscCall(GetCurrentShadow(A, place, &shadow));
  PetscCall(LendArrays(place, x, y, false, &arrays));
  PetscCall(ApplyLayout(*shadow, op, false, arrays.x, arrays.y));
  PetscCall(ReturnArrays(place, x, y, false, &arrays));
  // As AIJ counts: the first product of a row is not added to anything.
  PetscCall(LogProduct(*shadow, count,
                       2.0 * static_cast<PetscLogDouble>(shadow->Made().stamp.nnz) -
                         (op == Op::N ? static_cast<PetscLogDouble>(shadow->nonempty_rows) : 0)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// z = v + op(A) x, where v may be z.
PetscErrorCode MultAdd(Mat A, Op op, Count count, Vec x, Vec v, Vec z)
{
  Shadow    *shadow;
  LentArrays arrays;
  Place      place;

  PetscFunctionBegin;
  PetscCall(ChoosePlace(A, x, z, v == z, &place));
  PetscCall(GetCurrentShadow(A, place, &shadow));
  shadow->added = x;
  if (v != z) PetscCall(VecCopy(v, z));
  if (shadow->Made().stamp.nnz > 0) { // an empty off-diagonal block's x may be elsewhere than z
    PetscCall(LendArrays(place, x, z, true, &arrays));
    PetscCall(ApplyLayout(*shadow, op, true, arrays.x, arrays.y));
    PetscCall(ReturnArrays(place, x, z, true, &arrays));
  }
  PetscCall(LogProduct(*shadow, count, 2.0 * static_cast<PetscLogDouble>(shadow->Made().stamp.nnz)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult_SeqAIJShadow(Mat A, Vec x, Vec y)
{
  return Mult(A, Op::N, Count::Mult, x, y);
}

PetscErrorCode MatMultAdd_SeqAIJShadow(Mat A, Vec x, Vec v, Vec z)
{
  return MultAdd(A, Op::N, Count::MultAdd, x, v, z);
}

PetscErrorCode MatMultTranspose_SeqAIJShadow(Mat A, Vec x, Vec y)
{
  return Mult(A, Op::T, Count::MultTranspose, x, y);
}

PetscErrorCode MatMultTransposeAdd_SeqAIJShadow(Mat A, Vec x, Vec v, Vec z)
{
  return MultAdd(A, Op::T, Count::MultTranspose, x, v, z);
}

PetscErrorCode MatMultHermitianTranspose_SeqAIJShadow(Mat A, Vec x, Vec y)
{
  return Mult(A, Op::H, Count::MultTranspose, x, y);
}

PetscErrorCode MatMultHermitianTransposeAdd_SeqAIJShadow(Mat A, Vec x, Vec v, Vec z)
{
  return MultAdd(A, Op::H, Count::MultTranspose, x, v, z);
}

PetscErrorCode MatAssemblyEnd_SeqAIJShadow(Mat A, MatAssemblyType type)
{
  const Base *base;
  Shadow     *shadow;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall((*base->ops.assemblyend)(A, type));
  PetscCall(GetShadow(A, &shadow));
  if (shadow->eager && type == MAT_FINAL_ASSEMBLY && !HashActive(A)) PetscCall(MakeLayoutAtAssembly(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatRetrieveValues_SeqAIJ() changes the values without changing the state (3.18 to 3.25).
PetscErrorCode MatRetrieveValues_SeqAIJShadow(Mat A)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall((*base->retrieve)(A));
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatSeqAIJSetColumnIndices_SeqAIJ() changes no state either.
PetscErrorCode MatSeqAIJSetColumnIndices_SeqAIJShadow(Mat A, PetscInt *columns)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall((*base->columns)(A, columns));
  PetscCall(PetscObjectStateIncrease((PetscObject)A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatSeqAIJKron_SeqAIJ() asks for a second operand of type MATSEQAIJ itself.
PetscErrorCode MatSeqAIJKron_SeqAIJShadow(Mat A, Mat B, MatReuse reuse, Mat *C)
{
  const Base        *base;
  const PetscFormat *format = FindFormat(((PetscObject)B)->type_name);

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  if (format) PetscCall(PetscObjectChangeTypeName((PetscObject)B, MATSEQAIJ));
  const PetscErrorCode ierr = (*base->kron)(A, B, reuse, C);
  if (format) PetscCall(PetscObjectChangeTypeName((PetscObject)B, format->seq.c_str()));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_SeqAIJShadow(Mat A)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall(StripSeqAIJ(A));
  PetscCall((*base->ops.destroy)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// All methods of the type; without a format, all that any format may have.
void SetMethods(struct _MatOps &ops, const PetscFormat *format)
{
  ops.mult                  = MatMult_SeqAIJShadow;
  ops.multadd               = MatMultAdd_SeqAIJShadow;
  ops.assemblyend           = MatAssemblyEnd_SeqAIJShadow;
  ops.duplicate             = MatDuplicate_AIJShadow;
  ops.view                  = MatView_AIJShadow;
  ops.setfromoptions        = MatSetFromOptions_AIJShadow;
  ops.destroy               = MatDestroy_SeqAIJShadow;
  ops.convertfrom           = MatConvert_Any_Shadow;
  ops.productsetfromoptions = MatProductSetFromOptions_Shadow;
  if (!format || format->transpose) {
    ops.multtranspose    = MatMultTranspose_SeqAIJShadow;
    ops.multtransposeadd = MatMultTransposeAdd_SeqAIJShadow;
  }
  if (!format || format->hermitian) {
    ops.multhermitiantranspose    = MatMultHermitianTranspose_SeqAIJShadow;
    ops.multhermitiantransposeadd = MatMultHermitianTransposeAdd_SeqAIJShadow;
  }
}

/// Makes any AIJ-derived matrix a plain MATSEQAIJ, by its own way back.
PetscErrorCode ToPlainSeqAIJ(Mat A)
{
  PetscBool plain;
  PetscErrorCode (*back)(Mat, MatType, MatReuse, Mat *) = nullptr;
  char name[128];

  PetscFunctionBegin;
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &plain));
  if (plain) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSNPrintf(name, sizeof(name), "MatConvert_%s_seqaij_C", ((PetscObject)A)->type_name));
  PetscCall(PetscObjectQueryFunction((PetscObject)A, name, &back));
  PetscCheck(back, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "Matrix of type %s does not convert to seqaij",
             ((PetscObject)A)->type_name);
  PetscCall((*back)(A, MATSEQAIJ, MAT_INPLACE_MATRIX, &A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ComposeSeqAIJMethods(Mat A, const PetscFormat &format, bool add)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall(ComposeByNames(A, format, *base, add));
  if (base->retrieve)
    PetscCall(
      PetscObjectComposeFunction((PetscObject)A, "MatRetrieveValues_C", add ? MatRetrieveValues_SeqAIJShadow : base->retrieve));
  if (base->columns)
    PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSeqAIJSetColumnIndices_C",
                                         add ? MatSeqAIJSetColumnIndices_SeqAIJShadow : base->columns));
  if (base->kron)
    PetscCall(PetscObjectComposeFunction((PetscObject)A, "MatSeqAIJKron_C", add ? MatSeqAIJKron_SeqAIJShadow : base->kron));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool IsShadowed(Mat A, const PetscFormat &format)
{
  return A->ops->duplicate == MatDuplicate_AIJShadow && ((PetscObject)A)->type_name && format.seq == ((PetscObject)A)->type_name;
}

PetscErrorCode AdoptSeqAIJ(Mat A, const PetscFormat &format)
{
  PetscFunctionBegin;
  if (IsShadowed(A, format)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ToPlainSeqAIJ(A));
  PetscCall(AttachShadow(A, format));
  SetMethods(*A->ops, &format);
  PetscCall(ComposeSeqAIJMethods(A, format, true));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, format.seq.c_str()));
  if (kHasDevice) PetscCall(MatBindToCPU(A, PETSC_FALSE)); // MATSEQAIJ is bound for ever
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StripSeqAIJ(Mat A)
{
  const Base        *base;
  const PetscFormat *format = FormatOf(A);

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  if (format) PetscCall(ComposeSeqAIJMethods(A, *format, false));
  PetscCall(DestroyShadow(A));
  struct _MatOps own = base->ops;
  SetMethods(own, nullptr);
  ResetMethods(*A->ops, own, base->ops);
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, MATSEQAIJ));
  if (kHasDevice) PetscCall(MatBindToCPU(A, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_SeqAIJShadow(Mat A, const PetscFormat &format)
{
  PetscFunctionBegin;
  PetscCall(MatSetType(A, MATSEQAIJ));
  PetscCall(AdoptSeqAIJ(A, format));
  A->ops->convertfrom = MatConvert_Any_Shadow; // also if the catch-all has already made it what it is
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
