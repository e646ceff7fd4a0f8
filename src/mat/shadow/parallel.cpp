#include "mat/shadow/parallel.hpp"

#include "mat/exec/has_device.hpp"
#include "mat/exec/session.hpp"
#include "mat/report/statistics.hpp"
#include "mat/shadow/adopt.hpp"
#include "mat/shadow/blocks.hpp"
#include "mat/shadow/multiply.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

#include <algorithm>
#include <string>

namespace petscspmv {

namespace {

/// Reports a change of A to one of its blocks, since whoever wrote into the block's arrays may have increased the state of A only.
/// A block that already has layouts when A first multiplies with it counts as changed: it may have been written to since they were
/// made.
PetscErrorCode FollowParent(Mat A, Mat block)
{
  const Locked      now(Lock());
  SequentialShadow *shadow;
  PetscObjectId     id;
  PetscObjectState  state, block_state;

  PetscFunctionBegin;
  PetscCall(GetShadow(block, &shadow));
  PetscCall(PetscObjectGetId((PetscObject)A, &id));
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  PetscCall(PetscObjectStateGet((PetscObject)block, &block_state));
  auto      &parents = shadow->parents;
  auto       parent  = std::ranges::find(parents, id, &Parent::id);
  const bool first   = parent == parents.end();
  if (!first && parent->state == state && parent->block_state == block_state) PetscFunctionReturn(PETSC_SUCCESS);
  if (first) {
    std::rotate(parents.begin(), parents.end() - 1, parents.end()); // clang 14 does not compile std::ranges::rotate()
    parent  = parents.begin();
    *parent = {.id = id, .state = -1, .block_state = -1};
  }
  const bool silent = first ? shadow->HasLayouts() // which may be older than A's latest change
                            : parent->state != state && parent->block_state == block_state;
  if (silent) {
    PetscCall(PetscObjectStateIncrease((PetscObject)block));
    for (Parent &other : parents) {
      if (other.block_state == block_state) ++other.block_state;
    }
    ++block_state;
  }
  parent->state       = state;
  parent->block_state = block_state;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gets the blocks of A, after reporting changes of A to them.
PetscErrorCode BlocksOfParallel(Mat A, Mat blocks[2])
{
  PetscFunctionBegin;
  if (IsOurs(A)) PetscCall(ConvertBlocks(A, blocks));
  else PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (int k = 0; k < 2; ++k) {
    if (IsOurs(blocks[k])) PetscCall(FollowParent(A, blocks[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Called after a product, so that with a device vector x the next product's ghost values are on the device as well. MATMPIAIJ
/// keeps ghost values in a host vector unless the vector type was set before assembly. Only the off-diagonal block gets to see that
/// vector, as x of its MatMultAdd().
PetscErrorCode PrepareGhosts(Mat A, Vec x)
{
  Mat               blocks[2];
  SequentialShadow *shadow;
  VecType           type;
  PetscBool         bound, mpi, same;

  PetscFunctionBegin;
  if (!kHasDevice) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatBoundToCPU(A, &bound));
  if (bound) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  PetscCall(GetShadow(blocks[1], &shadow));
  PetscCall(VecGetType(x, &type));
  PetscCall(PetscStrbeginswith(type, "mpi", &mpi));
  if (!shadow->added || !mpi || !type[3]) PetscFunctionReturn(PETSC_SUCCESS); // type "mpi" itself is on the host
  std::string of_process;
  PetscCall(Guard([&] { of_process = std::string("seq") + (type + 3); })); // e.g. mpicuda: seqcuda
  PetscCall(PetscObjectTypeCompare((PetscObject)shadow->added, of_process.c_str(), &same));
  if (!same) PetscCall(VecSetType(shadow->added, of_process.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Called before a product whose blocks multiply while ghost values are in flight. An error then would leave the communication
/// unfinished, and the matrix unusable, so what may fail is done here. A library for devices does not: where it needs a layout, on
/// host or device, depends on the vectors.
PetscErrorCode PrepareLayouts(Mat A)
{
  Mat blocks[2];

  PetscFunctionBegin;
  PetscCall(BlocksOfParallel(A, blocks));
  if (kHasDevice) PetscFunctionReturn(PETSC_SUCCESS);
  for (Mat block : blocks) {
    if (IsOurs(block)) PetscCall(PrepareProduct(block));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMult_MPIAIJBlocks(Mat A, Vec x, Vec y)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(PrepareLayouts(A));
  PetscCall((*base->ops.mult)(A, x, y));
  if (IsOurs(A)) {
    Shadow *shadow;
    PetscCall(PrepareGhosts(A, x));
    PetscCall(GetShadow(A, &shadow));
    const Locked now(Lock());
    AddCount(shadow->info(), Count::MPIMult);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultAdd_MPIAIJBlocks(Mat A, Vec x, Vec v, Vec z)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(PrepareLayouts(A));
  PetscCall((*base->ops.multadd)(A, x, v, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// r = b - A x, by AIJ's z = v + A x with blocks that subtract. Each process may decide for itself whether to do this, since
/// MatMult() sends the same messages. Not for devices, whose kernels can only add.
PetscErrorCode MatResidual_MPIAIJBlocks(Mat A, Vec b, Vec x, Vec r)
{
  const Base *base;
  Mat         blocks[2];
  bool        fit;

  PetscFunctionBegin;
  PetscCall(FitResidual(A, Entry<MatMult_MPIAIJBlocks>, b, x, r, &fit));
  fit = fit && !kHasDevice;
  if (fit) {
    PetscCall(PrepareLayouts(A));
    PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
    fit = HasOwnMultAdd(blocks[0]) && HasOwnMultAdd(blocks[1]);
  }
  if (fit) {
    const Subtracting subtracting;
    PetscCall(GetMPIBase(&base));
    PetscCall((*base->ops.multadd)(A, x, b, r));
  } else {
    PetscCall(ResidualByMult(A, b, x, r));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultTransposeAdd_MPIAIJBlocks(Mat A, Vec x, Vec v, Vec z)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(PrepareBlocks(A));
  PetscCall((*base->ops.multtransposeadd)(A, x, v, z));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMultTranspose_MPIAIJBlocks(Mat A, Vec x, Vec y)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(PrepareBlocks(A));
  PetscCall((*base->ops.multtranspose)(A, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MATMPIAIJ's SOR multiplies with the off-diagonal block, and relaxes with the diagonal one.
PetscErrorCode MatSOR_MPIAIJBlocks(Mat A, Vec b, PetscReal omega, MatSORType type, PetscReal shift, PetscInt its, PetscInt lits,
                                   Vec x)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall(PrepareBlocks(A));
  PetscCall((*base->ops.sor)(A, b, omega, type, shift, its, lits, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatGetDiagonalBlock_MPIAIJBlocks(Mat A, Mat *block)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  if (A->assembled) PetscCall(PrepareBlocks(A));
  PetscCall((*base->ops.getdiagonalblock)(A, block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatCreateSubMatrices() of the whole matrix writes values into a submatrix without assembling it or increasing its state.
PetscErrorCode MatCreateSubMatrices_MPIAIJBlocks(Mat A, PetscInt n, const IS rows[], const IS columns[], MatReuse reuse,
                                                 Mat *submatrices[])
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetMPIBase(&base));
  PetscCall((*base->ops.createsubmatrices)(A, n, rows, columns, reuse, submatrices));
  for (PetscInt k = 0; k < n; ++k) {
    if (IsOurs((*submatrices)[k])) PetscCall(PetscObjectStateIncrease((PetscObject)(*submatrices)[k]));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

void SetParallelMethods(struct _MatOps &ops)
{
  ops.mult              = Entry<MatMult_MPIAIJBlocks>;
  ops.multadd           = Entry<MatMultAdd_MPIAIJBlocks>;
  ops.residual          = Entry<MatResidual_MPIAIJBlocks>;
  ops.multtranspose     = Entry<MatMultTranspose_MPIAIJBlocks>;
  ops.multtransposeadd  = Entry<MatMultTransposeAdd_MPIAIJBlocks>;
  ops.sor               = Entry<MatSOR_MPIAIJBlocks>;
  ops.getdiagonalblock  = Entry<MatGetDiagonalBlock_MPIAIJBlocks>;
  ops.createsubmatrices = Entry<MatCreateSubMatrices_MPIAIJBlocks>;
}

PetscErrorCode PrepareBlocks(Mat A)
{
  Mat blocks[2];

  PetscFunctionBegin;
  PetscCall(BlocksOfParallel(A, blocks));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
