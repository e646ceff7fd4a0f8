#include "mat/aij/mpi.hpp"

#include "mat/aij/convert.hpp"
#include "mat/aij/methods.hpp"
#include "mat/exec/has_device.hpp"
#include "mat/shadow/adopt.hpp"
#include "mat/shadow/blocks.hpp"
#include "mat/shadow/multiply.hpp"
#include "mat/shadow/parallel.hpp"
#include "mat/shadow/shadow.hpp"
#include "mat/workarounds/preallocated.hpp"
#include "mat/workarounds/watch.hpp"
#include "petsc/guard.hpp"

namespace petscspmv {

namespace {

PetscErrorCode MatAssemblyEnd_MPIAIJShadow(Mat A, MatAssemblyType type)
{
  const Base *base;
  Shadow     *shadow;
  Mat         blocks[2];

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(CheckPreallocated(A));
  if (kHasDevice && A->preallocated && !HashActive(A)) { // the off-diagonal block creates the vector of ghost values
    VecType vectors;
    PetscCall(MatGetVecType(A, &vectors));
    PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
    for (Mat block : blocks) {
      if (block) PetscCall(MatSetVecType(block, vectors));
    }
  }
  PetscCall((*base->ops.assemblyend)(A, type));
  if (type != MAT_FINAL_ASSEMBLY || HashActive(A)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ConvertBlocks(A, blocks));
  PetscCall(GetShadow(A, &shadow));
  PetscCall(NoteNodes(A, *shadow->settings().type));
  PetscCall(SetSettings(A, *shadow, shadow->settings())); // reassembly may have created a new off-diagonal block
  if (!shadow->settings().eager) PetscFunctionReturn(PETSC_SUCCESS);
  for (Mat block : blocks) PetscCall(MakeLayoutAtAssembly(block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_MPIAIJShadow(Mat A)
{
  const Base     *base;
  const TypeInfo *type = TypeOf(A);

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  if (type && !IsGoingAway(A)) PetscCall(ComposeMPIAIJMethods(A, *type, false));
  PetscCall(DestroyShadow(A));
  PetscCall(DestroyBase(A, *base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void SetMethods(struct _MatOps &ops)
{
  SetParallelMethods(ops);
  ops.assemblyend    = Entry<MatAssemblyEnd_MPIAIJShadow>;
  ops.duplicate      = Entry<MatDuplicate_AIJShadow>;
  ops.view           = Entry<MatView_AIJShadow>;
  ops.setfromoptions = Entry<MatSetFromOptions_AIJShadow>;
  ops.destroy        = Entry<MatDestroy_MPIAIJShadow>;
  ops.convertfrom    = Entry<MatConvert_Any_Shadow>;
  ops.convert        = Entry<MatConvert_Shadow_Any>;
}

/// Makes a matrix of one of our types a plain MATMPIAIJ; fails for other types derived from MATMPIAIJ.
PetscErrorCode ToPlainMPIAIJ(Mat A)
{
  const TypeInfo *type = FindType(((PetscObject)A)->type_name);
  PetscBool       plain;

  PetscFunctionBegin;
  if (type) PetscCall(StripMPIAIJ(A));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATMPIAIJ, &plain));
  PetscCheck(plain, PetscObjectComm((PetscObject)A), PETSC_ERR_SUP, "Matrix of type %s does not convert to mpiaij",
             ((PetscObject)A)->type_name);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode ComposeMPIAIJMethods(Mat A, const TypeInfo &type, bool add)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(ComposeByNames(A, type, *base, add));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AdoptMPIAIJ(Mat A, const TypeInfo &type)
{
  Mat blocks[2];

  PetscFunctionBegin;
  if (((PetscObject)A)->type_name == type.mpi) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ToPlainMPIAIJ(A));
  PetscCall(Attach(A, type, type.mpi.c_str(), Entry<ComposeMPIAIJMethods>));
  SetMethods(*A->ops);
  if (kHasDevice) PetscCall(MatBindToCPU(A, PETSC_FALSE)); // MATMPIAIJ has left A bound to the CPU
  if (A->assembled) PetscCall(ConvertBlocks(A, blocks));
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
    if (block && IsShadowed(block, *shadow->settings().type)) PetscCall(StripSeqAIJ(block));
  }
  struct _MatOps own = base->ops;
  SetMethods(own);
  PetscCall(Detach(A, shadow->settings().type, *base, own, Entry<ComposeMPIAIJMethods>));
  PetscCall(WatchMPIAIJ(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_MPIAIJShadow(Mat A, const TypeInfo &type)
{
  PetscFunctionBegin;
  PetscCall(MatSetTypeAsPreallocated(A, MATMPIAIJ));
  PetscCall(AdoptMPIAIJ(A, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
