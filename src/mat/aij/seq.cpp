#include "mat/aij/seq.hpp"

#include "mat/aij/convert.hpp"
#include "mat/aij/methods.hpp"
#include "mat/aij/sor.hpp"
#include "mat/exec/has_device.hpp"
#include "mat/layout/lend.hpp"
#include "mat/products/mat_product.hpp"
#include "mat/report/asked.hpp"
#include "mat/shadow/adopt.hpp"
#include "mat/shadow/multiply.hpp"
#include "mat/shadow/shadow.hpp"
#include "mat/workarounds/preallocated.hpp"
#include "mat/workarounds/watch.hpp"
#include "petsc/guard.hpp"
#include "petsc/vector_of_process.hpp"

namespace petscspmv {

namespace {

/// y = op(A) x or, if v is not null, y = v + op(A) x or v - op(A) x, by a layout. A layout of A^T is not transposed again.
PetscErrorCode Apply(Product &product, Op op, Place place, Vec x, Vec v, bool minus, Vec y)
{
  LentArrays arrays;

  PetscFunctionBegin;
  PetscCall(LendArrays(place, x, v, y, &arrays));
  arrays.result.minus = minus;
  PetscCall(Guard([&] { product.Apply(product.layouts->source ? Op::N : op, arrays.x, arrays.result); }));
  PetscCall(ReturnArrays(place, x, v, y, &arrays));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// y = op(A) x
PetscErrorCode Mult(Mat A, Op op, Count count, Vec x, Vec y)
{
  const Base *base;
  Product     product;
  Place       place;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall(PlaceOfProduct(A, x, y, &place));
  PetscCall(BeginProduct(A, op, {.place = place}, &product));
  const ViewedTime time;
  if (!product.IsByAij()) {
    PetscCall(Apply(product, op, place, x, NULL, false, y));
  } else if (op == Op::N || place == Place::Device) {
    PetscCall((*(op == Op::N ? base->ops.mult : base->ops.multtranspose))(A, x, y));
  } else {
    PetscCall(SetTo(NULL, y)); // as AIJ does by VecSet()
    PetscCall((*base->ops.multtransposeadd)(A, x, y, y));
  }
  const double seconds = time.Seconds();
  PetscCall(EndProduct(A, x, y, count, op != Op::N, seconds, &product)); // AIJ counts a transposed product as adding
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// z = v + op(A) x, or v - A x, by AIJ.
PetscErrorCode AddByAij(Mat A, Op op, Place place, Vec x, Vec v, bool minus, Vec z)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  if (!minus && op == Op::N) {
    PetscCall((*base->ops.multadd)(A, x, v, z));
  } else if (!minus) {
    if (place != Place::Device) PetscCall(SetTo(v, z));
    PetscCall((*base->ops.multtransposeadd)(A, x, place == Place::Device ? v : z, z));
  } else if (v != z) {
    PetscCall((*base->ops.mult)(A, x, z));
    PetscCall(SubtractFrom(v, z));
  } else { // x are the ghost values of a parallel matrix, which may be overwritten
    PetscCall(VecScale(x, -1));
    const PetscErrorCode ierr = (*base->ops.multadd)(A, x, v, z);
    PetscCall(VecScale(x, -1));
    PetscCall(ierr);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// z = v + op(A) x, or v - A x, where v may be z.
PetscErrorCode MultAdd(Mat A, Op op, Count count, Vec x, Vec v, bool minus, Vec z)
{
  Product product;
  Place   place;

  PetscFunctionBegin;
  PetscCall(PlaceOfProduct(A, x, z, &place));
  PetscCall(BeginProduct(A, op, {.place = place}, &product));
  if (kHasDevice && op == Op::N) {
    SequentialShadow *shadow;
    PetscCall(GetShadow(A, &shadow));
    shadow->added = x;
  }
  const ViewedTime time;
  if (product.IsByAij()) {
    PetscCall(AddByAij(A, op, place, x, v, minus, z));
  } else {
    const bool in_place =
      place == Place::Device || product.nnz == 0; // the x of an empty off-diagonal block may be on the other side
    if (in_place) PetscCall(SetTo(v, z));
    if (product.nnz > 0) PetscCall(Apply(product, op, place, x, in_place ? z : v, minus, z));
    else PetscCall(ForgetNorms(z));
  }
  const double seconds = time.Seconds();
  PetscCall(EndProduct(A, x, z, count, true, seconds, &product));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult_SeqAIJShadow(Mat A, Vec x, Vec y)
{
  return Mult(A, Op::N, Count::Mult, x, y);
}

PetscErrorCode MatMultAdd_SeqAIJShadow(Mat A, Vec x, Vec v, Vec z)
{
  return MultAdd(A, Op::N, Count::MultAdd, x, v, Subtracting::Now(), z);
}

PetscErrorCode MatResidual_SeqAIJShadow(Mat A, Vec b, Vec x, Vec r)
{
  Place place;
  bool  fit;

  PetscFunctionBegin;
  PetscCall(PlaceOfProduct(A, x, r, &place));
  PetscCall(FitResidual(A, Entry<MatMult_SeqAIJShadow>, b, x, r, &fit));
  if (place == Place::Host && fit) PetscCall(MultAdd(A, Op::N, Count::MultAdd, x, b, true, r));
  else PetscCall(ResidualByMult(A, b, x, r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultTranspose_SeqAIJShadow(Mat A, Vec x, Vec y)
{
  return Mult(A, Op::T, Count::MultTranspose, x, y);
}

PetscErrorCode MatMultTransposeAdd_SeqAIJShadow(Mat A, Vec x, Vec v, Vec z)
{
  return MultAdd(A, Op::T, Count::MultTranspose, x, v, false, z);
}

PetscErrorCode MatMultHermitianTranspose_SeqAIJShadow(Mat A, Vec x, Vec y)
{
  return Mult(A, Op::H, Count::MultTranspose, x, y);
}

PetscErrorCode MatMultHermitianTransposeAdd_SeqAIJShadow(Mat A, Vec x, Vec v, Vec z)
{
  return MultAdd(A, Op::H, Count::MultTranspose, x, v, false, z);
}

/// AIJ frees nodes here that it may not use.
PetscErrorCode MatAssemblyEnd_SeqAIJShadow(Mat A, MatAssemblyType type)
{
  const Base       *base;
  SequentialShadow *shadow;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall(CheckPreallocated(A));
  PetscCall((*base->ops.assemblyend)(A, type));
  if (type != MAT_FINAL_ASSEMBLY || HashActive(A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetShadow(A, &shadow));
  shadow->layouts.uses_nodes = true;
  if (shadow->settings().eager) PetscCall(MakeLayoutAtAssembly(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetOption_SeqAIJShadow(Mat A, MatOption option, PetscBool flag)
{
  const Base       *base;
  SequentialShadow *shadow;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall((*base->ops.setoption)(A, option, flag));
  if (option != MAT_USE_INODES) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetShadow(A, &shadow));
  shadow->layouts.uses_nodes = flag == PETSC_TRUE;
  shadow->node_sor.reset();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_SeqAIJShadow(Mat A)
{
  const Base       *base;
  SequentialShadow *shadow;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  if (IsGoingAway(A)) {
    PetscCall(DestroyShadow(A));
  } else {
    PetscCall(GetShadow(A, &shadow));
    shadow->aijs_room = 0; // as soon as AIJ's data are destroyed
    PetscCall(StripSeqAIJ(A));
  }
  PetscCall(DestroyBase(A, *base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Sets all methods that the type replaces; without a type, all that any type may replace.
void SetMethods(struct _MatOps &ops, const TypeInfo *type)
{
  ops.mult                  = Entry<MatMult_SeqAIJShadow>;
  ops.multadd               = Entry<MatMultAdd_SeqAIJShadow>;
  ops.residual              = Entry<MatResidual_SeqAIJShadow>;
  ops.sor                   = Entry<MatSOR_SeqAIJShadow>;
  ops.axpy                  = Entry<MatAXPY_SeqAIJWatched>;
  ops.assemblyend           = Entry<MatAssemblyEnd_SeqAIJShadow>;
  ops.setoption             = Entry<MatSetOption_SeqAIJShadow>;
  ops.duplicate             = Entry<MatDuplicate_AIJShadow>;
  ops.view                  = Entry<MatView_AIJShadow>;
  ops.setfromoptions        = Entry<MatSetFromOptions_AIJShadow>;
  ops.destroy               = Entry<MatDestroy_SeqAIJShadow>;
  ops.convertfrom           = Entry<MatConvert_Any_Shadow>;
  ops.convert               = Entry<MatConvert_Shadow_Any>;
  ops.productsetfromoptions = Entry<MatProductSetFromOptions_Shadow>;
  ops.multtranspose         = Entry<MatMultTranspose_SeqAIJShadow>;
  ops.multtransposeadd      = Entry<MatMultTransposeAdd_SeqAIJShadow>;
  if (!type || type->hermitian) {
    ops.multhermitiantranspose    = Entry<MatMultHermitianTranspose_SeqAIJShadow>;
    ops.multhermitiantransposeadd = Entry<MatMultHermitianTransposeAdd_SeqAIJShadow>;
  }
}

/// Makes a matrix of any type derived from AIJ a plain MATSEQAIJ, by that type's own conversion.
PetscErrorCode ToPlainSeqAIJ(Mat A)
{
  PetscBool plain;
  PetscErrorCode (*back)(Mat, MatType, MatReuse, Mat *) = nullptr;
  char name[kNameLength];

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

bool HasOwnMultAdd(Mat A)
{
  return A->ops->multadd == Entry<MatMultAdd_SeqAIJShadow>;
}

PetscErrorCode AdoptSeqAIJ(Mat A, const TypeInfo &type)
{
  PetscFunctionBegin;
  if (IsShadowed(A, type)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ToPlainSeqAIJ(A));
  PetscCall(Attach(A, type, type.seq.c_str(), Entry<ComposeSeqAIJMethods>));
  SetMethods(*A->ops, &type);
  PetscCall(TakeRoom(A));
  if (kHasDevice) PetscCall(MatBindToCPU(A, PETSC_FALSE)); // MATSEQAIJ has left A bound to the CPU
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StripSeqAIJ(Mat A)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  struct _MatOps own = base->ops;
  SetMethods(own, nullptr);
  PetscCall(LeaveRoom(A));
  PetscCall(Detach(A, TypeOf(A), *base, own, Entry<ComposeSeqAIJMethods>));
  PetscCall(WatchSeqAIJ(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_SeqAIJShadow(Mat A, const TypeInfo &type)
{
  PetscFunctionBegin;
  PetscCall(MatSetTypeAsPreallocated(A, MATSEQAIJ));
  PetscCall(AdoptSeqAIJ(A, type));
  A->ops->convertfrom = Entry<MatConvert_Any_Shadow>; // -mat_seqaij_type may have converted A, without this method
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
