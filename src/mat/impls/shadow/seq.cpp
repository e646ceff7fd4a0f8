// The sequential type: MATSEQAIJ with its products replaced.
#include "mat/impls/shadow/lend.hpp"
#include "mat/impls/shadow/shadow.hpp"

namespace petscspmv {

namespace {

/// Before a product: its shadow, and whether AIJ does it; if not, the layout that does is current and in use.
PetscErrorCode BeginProduct(Mat A, Place place, Shadow **shadow, bool *by_aij)
{
  PetscFunctionBegin;
  PetscCall(GetShadow(A, shadow));
  *by_aij = false;
  if ((*shadow)->chooser) {
    PetscCall((*shadow)->chooser->BeginProduct(A, **shadow, place, by_aij));
  } else {
    (*shadow)->in_use = static_cast<std::size_t>(place); // MakeCurrent() needs the layouts
    PetscCall(MakeCurrent(A, **shadow));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Counts a product and its flops, two for each entry but where that is the first product of a row and added to nothing; AIJ counts
/// its own.
PetscErrorCode EndProduct(Shadow &shadow, bool by_aij, Count count, bool adds)
{
  PetscFunctionBegin;
  AddCount(shadow, count, by_aij);
  if (!by_aij) {
    const bool           on_device = shadow.Made().place == Place::Device;
    const PetscLogDouble flops =
      2.0 * static_cast<PetscLogDouble>(shadow.Made().stamp.nnz) - (adds ? 0 : static_cast<PetscLogDouble>(shadow.nonempty_rows));
    PetscCall(on_device ? PetscLogGpuFlops(flops) : PetscLogFlops(flops));
    if (on_device) AddCount(shadow, Count::OnDevice);
  }
  if (shadow.chooser) PetscCall(shadow.chooser->EndProduct(shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// y = op(A) x
PetscErrorCode Mult(Mat A, Op op, Count count, Vec x, Vec y)
{
  const Base *base;
  Shadow     *shadow;
  LentArrays  arrays;
  Place       place;
  bool        by_aij;

  PetscFunctionBegin;
  PetscCall(ChoosePlace(A, x, y, false, &place));
  PetscCall(BeginProduct(A, place, &shadow, &by_aij));
  if (by_aij) {
    PetscCall(GetSeqBase(&base));
    PetscCall((*base->ops.mult)(A, x, y));
  } else {
    PetscCall(LendArrays(place, x, y, false, &arrays));
    PetscCall(ApplyLayout(*shadow, op, false, arrays.x, arrays.y));
    PetscCall(ReturnArrays(place, x, y, false, &arrays));
  }
  PetscCall(EndProduct(*shadow, by_aij, count, op != Op::N)); // as AIJ counts
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// z = v + op(A) x, where v may be z.
PetscErrorCode MultAdd(Mat A, Op op, Count count, Vec x, Vec v, Vec z)
{
  const Base *base;
  Shadow     *shadow;
  LentArrays  arrays;
  Place       place;
  bool        by_aij;

  PetscFunctionBegin;
  PetscCall(ChoosePlace(A, x, z, v == z, &place));
  PetscCall(BeginProduct(A, place, &shadow, &by_aij));
  shadow->added = x;
  if (by_aij) {
    PetscCall(GetSeqBase(&base));
    PetscCall((*base->ops.multadd)(A, x, v, z));
  } else {
    if (v != z) PetscCall(VecCopy(v, z));
    if (shadow->Made().stamp.nnz > 0) { // an empty off-diagonal block's x may be elsewhere than z
      PetscCall(LendArrays(place, x, z, true, &arrays));
      PetscCall(ApplyLayout(*shadow, op, true, arrays.x, arrays.y));
      PetscCall(ReturnArrays(place, x, z, true, &arrays));
    }
  }
  PetscCall(EndProduct(*shadow, by_aij, count, true));
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
  const Base     *base;
  const TypeInfo *type = FindType(((PetscObject)B)->type_name);

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  if (type) PetscCall(PetscObjectChangeTypeName((PetscObject)B, MATSEQAIJ));
  const PetscErrorCode ierr = (*base->kron)(A, B, reuse, C);
  if (type) PetscCall(PetscObjectChangeTypeName((PetscObject)B, type->seq.c_str()));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_SeqAIJShadow(Mat A)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  if (IsLast(A)) PetscCall(DestroyShadow(A));
  else PetscCall(StripSeqAIJ(A));
  PetscCall((*base->ops.destroy)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// All methods of the type; without a format, all that any format may have.
void SetMethods(struct _MatOps &ops, const TypeInfo *type)
{
  ops.mult                  = MatMult_SeqAIJShadow;
  ops.multadd               = MatMultAdd_SeqAIJShadow;
  ops.assemblyend           = MatAssemblyEnd_SeqAIJShadow;
  ops.duplicate             = MatDuplicate_AIJShadow;
  ops.view                  = MatView_AIJShadow;
  ops.setfromoptions        = MatSetFromOptions_AIJShadow;
  ops.destroy               = MatDestroy_SeqAIJShadow;
  ops.convertfrom           = MatConvert_Any_Shadow;
  ops.convert               = MatConvert_Shadow_Any;
  ops.productsetfromoptions = MatProductSetFromOptions_Shadow;
  if (!type || type->transpose) {
    ops.multtranspose    = MatMultTranspose_SeqAIJShadow;
    ops.multtransposeadd = MatMultTransposeAdd_SeqAIJShadow;
  }
  if (!type || type->hermitian) {
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

PetscErrorCode ComposeSeqAIJMethods(Mat A, const TypeInfo &type, bool add)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall(ComposeByNames(A, type, *base, add));
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

bool IsShadowed(Mat A, const TypeInfo &type)
{
  return A->ops->duplicate == MatDuplicate_AIJShadow && ((PetscObject)A)->type_name && type.seq == ((PetscObject)A)->type_name;
}

PetscErrorCode AdoptSeqAIJ(Mat A, const TypeInfo &type)
{
  PetscFunctionBegin;
  if (IsShadowed(A, type)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ToPlainSeqAIJ(A));
  PetscCall(AttachShadow(A, type));
  SetMethods(*A->ops, &type);
  PetscCall(ComposeSeqAIJMethods(A, type, true));
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, type.seq.c_str()));
  if (kHasDevice) PetscCall(MatBindToCPU(A, PETSC_FALSE)); // MATSEQAIJ is bound for ever
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StripSeqAIJ(Mat A)
{
  const Base     *base;
  const TypeInfo *type = TypeOf(A);

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  if (type) PetscCall(ComposeSeqAIJMethods(A, *type, false));
  PetscCall(DestroyShadow(A));
  struct _MatOps own = base->ops;
  SetMethods(own, nullptr);
  ResetMethods(*A->ops, own, base->ops);
  PetscCall(PetscObjectChangeTypeName((PetscObject)A, MATSEQAIJ));
  if (kHasDevice) PetscCall(MatBindToCPU(A, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_SeqAIJShadow(Mat A, const TypeInfo &type)
{
  PetscFunctionBegin;
  PetscCall(MatSetType(A, MATSEQAIJ));
  PetscCall(AdoptSeqAIJ(A, type));
  A->ops->convertfrom = MatConvert_Any_Shadow; // also if the catch-all has already made it what it is
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
