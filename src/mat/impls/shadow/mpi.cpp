// The parallel type: MATMPIAIJ, whose methods work with blocks of any type, with blocks of the sequential type.
#include "mat/impls/shadow/guard.hpp"
#include "mat/impls/shadow/multiply.hpp"
#include "mat/impls/shadow/shadow.hpp"

#include <string>

namespace petscspmv {

namespace {

/// Called after a product with a device vector, so that the next one's ghost values are on the device as well. MATMPIAIJ keeps
/// them in a host vector unless the vector type was set before assembly, and passes that vector to the off-diagonal block only.
PetscErrorCode PrepareGhosts(Mat A, Vec x)
{
  Mat       blocks[2];
  Shadow   *shadow;
  VecType   type;
  PetscBool bound, mpi, same;

  PetscFunctionBegin;
  if (!kHasDevice) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBoundToCPU(A, &bound));
  if (bound) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  PetscCall(GetShadow(blocks[1], &shadow));
  PetscCall(VecGetType(x, &type));
  PetscCall(PetscStrbeginswith(type, "mpi", &mpi));
  if (!shadow->added || !mpi || !type[3]) PetscFunctionReturn(PETSC_SUCCESS); // "mpi" itself is a host vector
  std::string of_process;
  PetscCall(Guard([&] { of_process = std::string("seq") + (type + 3); })); // e.g. mpicuda: seqcuda
  PetscCall(PetscObjectTypeCompare((PetscObject)shadow->added, of_process.c_str(), &same));
  if (!same) PetscCall(VecSetType(shadow->added, of_process.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Called before a product whose blocks multiply while ghost values are on their way: an error would leave that communication
/// unfinished, and the matrix unusable. So what may fail is done before; not in a library for devices, where the vectors decide on
/// which side the layout is.
PetscErrorCode PrepareLayouts(Mat A)
{
  Mat blocks[2];

  PetscFunctionBegin;
  PetscCall(PrepareBlocks(A));
  if (kHasDevice) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (Mat block : blocks) PetscCall(PrepareProduct(block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult_MPIAIJShadow(Mat A, Vec x, Vec y)
{
  const Base *base;
  Shadow     *shadow;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(PrepareLayouts(A));
  PetscCall((*base->ops.mult)(A, x, y));
  PetscCall(PrepareGhosts(A, x));
  PetscCall(GetShadow(A, &shadow));
  AddCount(*shadow, Count::MPIMult);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultAdd_MPIAIJShadow(Mat A, Vec x, Vec v, Vec z)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(PrepareLayouts(A));
  PetscCall((*base->ops.multadd)(A, x, v, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultTransposeAdd_MPIAIJShadow(Mat A, Vec x, Vec v, Vec z)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(PrepareBlocks(A));
  PetscCall((*base->ops.multtransposeadd)(A, x, v, z));
  PetscFunctionReturn(PETSC_SUCCESS);
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

/// MATMPIAIJ's SOR multiplies with the off-diagonal block.
PetscErrorCode MatSOR_MPIAIJShadow(Mat A, Vec b, PetscReal omega, MatSORType type, PetscReal shift, PetscInt its, PetscInt lits,
                                   Vec x)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(PrepareBlocks(A));
  PetscCall((*base->ops.sor)(A, b, omega, type, shift, its, lits, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetDiagonalBlock_MPIAIJShadow(Mat A, Mat *block)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  if (A->assembled) PetscCall(PrepareBlocks(A));
  PetscCall((*base->ops.getdiagonalblock)(A, block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatCreateSubMatrices() of the whole matrix writes values without assembly or an increase of the state.
PetscErrorCode MatCreateSubMatrices_MPIAIJShadow(Mat A, PetscInt n, const IS rows[], const IS columns[], MatReuse reuse,
                                                 Mat *submatrices[])
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
  PetscCall(CheckPreallocated(A));
  if (kHasDevice && A->preallocated && !HashActive(A)) { // assembly creates the vector for ghost values from the off-diagonal block
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
  PetscCall(SetOptions(A, *shadow, shadow->options)); // reassembly may have created a new off-diagonal block
  if (!shadow->eager) PetscFunctionReturn(PETSC_SUCCESS);
  for (Mat block : blocks) PetscCall(MakeLayoutAtAssembly(block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_MPIAIJShadow(Mat A)
{
  const Base     *base;
  const TypeInfo *type = TypeOf(A);

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  if (type && !IsLast(A)) PetscCall(ComposeMPIAIJMethods(A, *type, false));
  PetscCall(DestroyShadow(A));
  PetscCall((*base->ops.destroy)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void SetMethods(struct _MatOps &ops)
{
  ops.mult              = Entry<MatMult_MPIAIJShadow>;
  ops.multadd           = Entry<MatMultAdd_MPIAIJShadow>;
  ops.multtranspose     = Entry<MatMultTranspose_MPIAIJShadow>;
  ops.multtransposeadd  = Entry<MatMultTransposeAdd_MPIAIJShadow>;
  ops.assemblyend       = Entry<MatAssemblyEnd_MPIAIJShadow>;
  ops.duplicate         = Entry<MatDuplicate_AIJShadow>;
  ops.view              = Entry<MatView_AIJShadow>;
  ops.setfromoptions    = Entry<MatSetFromOptions_AIJShadow>;
  ops.destroy           = Entry<MatDestroy_MPIAIJShadow>;
  ops.convertfrom       = Entry<MatConvert_Any_Shadow>;
  ops.convert           = Entry<MatConvert_Shadow_Any>;
  ops.sor               = Entry<MatSOR_MPIAIJShadow>;
  ops.getdiagonalblock  = Entry<MatGetDiagonalBlock_MPIAIJShadow>;
  ops.createsubmatrices = Entry<MatCreateSubMatrices_MPIAIJShadow>;
}

/// Makes any matrix derived from MPIAIJ a plain MATMPIAIJ.
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

/// Propagates the matrix's state increase to its blocks: a caller who writes into a block may increase only the state of the
/// parallel matrix.
PetscErrorCode PrepareBlocks(Mat A)
{
  Shadow          *shadow;
  Mat              blocks[2];
  PetscObjectState state;

  PetscFunctionBegin;
  PetscCall(ConvertBlocks(A, blocks));
  PetscCall(GetShadow(A, &shadow));
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  for (int k = 0; k < 2; ++k) {
    PetscObjectState block_state;
    if (!blocks[k]) continue;
    PetscCall(PetscObjectStateGet((PetscObject)blocks[k], &block_state));
    if (state != shadow->state && block_state == shadow->block_states[k])
      PetscCall(PetscObjectStateIncrease((PetscObject)blocks[k]));
    PetscCall(PetscObjectStateGet((PetscObject)blocks[k], &shadow->block_states[k]));
  }
  shadow->state = state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ConvertBlocks(Mat A, Mat blocks[2])
{
  Shadow *shadow;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow));
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (int k = 0; k < 2; ++k) {
    if (!blocks[k] || HashActive(blocks[k]) || IsShadowed(blocks[k], *shadow->type)) continue;
    PetscCall(AdoptSeqAIJ(blocks[k], *shadow->type));
    shadow->ghost_state = -1; // a new block counts its states from zero
    Shadow *s;
    PetscCall(GetShadow(blocks[k], &s));
    s->transpose_by = shadow->transpose_by;
    s->eager        = PETSC_FALSE; // built when the whole matrix is assembled, after the columns are renumbered
    PetscCall(SetOptions(blocks[k], *s, shadow->options));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  if (kHasDevice) PetscCall(MatBindToCPU(A, PETSC_FALSE)); // MATMPIAIJ is bound forever
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
    if (block && IsShadowed(block, *shadow->type)) PetscCall(StripSeqAIJ(block));
  }
  struct _MatOps own = base->ops;
  SetMethods(own);
  PetscCall(Detach(A, shadow->type, *base, own, Entry<ComposeMPIAIJMethods>));
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
