#include "mat/products/by_layout.hpp"

#include "mat/exec/settings.hpp"
#include "mat/format/pack_size.hpp"
#include "mat/products/dense.hpp"
#include "mat/products/dense_mpi.hpp"
#include "mat/products/numeric_phase.hpp"
#include "mat/report/statistics.hpp"
#include "petsc/guard.hpp"

#include <cstddef>
#include <limits>

namespace petscspmv {

namespace {

/// The entries per column from which packs of vectors pay off. They save AIJ's reading of all entries for every four vectors, and
/// its sums of single numbers. Their cost: each pack is written and read in addition to the vectors themselves, 16 bytes per column
/// and vector, which is little in a core's own cache. Measured for 1, 2, 4 and 8 vectors (src/benchmarks/tried.md).
double LeastEntries(PetscInt vectors, bool in_cache)
{
  if (vectors == 1) return 0;                                       // the layout's own product
  if (vectors == 2) return std::numeric_limits<double>::infinity(); // packs would be half empty
  if (vectors <= 4) return 8;
  return in_cache ? 3 : 6;
}

/// Whether the layouts of a matrix should multiply with `vectors` vectors. All processes get the same answer.
PetscErrorCode IsWorthIt(Mat A, MatProductType type, PetscInt vectors, bool *worth)
{
  const PetscLayout columns   = type == MATPRODUCT_AB ? A->cmap : A->rmap;
  const Execution   execution = CurrentExecution();
  const std::size_t packs     = static_cast<std::size_t>(columns->n) * kMostPacked<PetscScalar> * sizeof(PetscScalar);
  const PetscMPIInt in_cache  = packs <= execution.own_cache; // all threads read the packs
  PetscMPIInt       all       = 0;
  MatInfo           counts;

  PetscFunctionBegin;
  *worth = CanMultiplyMany(A) && (type == MATPRODUCT_AB || !FindType(((PetscObject)A)->type_name)->transpose);
  if (!*worth) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &counts));
  PetscCallMPI(MPI_Allreduce(&in_cache, &all, 1, MPI_INT, MPI_LAND, PetscObjectComm((PetscObject)A)));
  *worth = counts.nz_used > 0 && counts.nz_used >= LeastEntries(vectors, all) * static_cast<double>(columns->N);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// C = op(A) B
PetscErrorCode Multiply(Mat A, Op op, Mat B, Mat C)
{
  Product   product;
  LentDense lent;
  PetscInt  vectors;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B, NULL, &vectors));
  if (!InPetsc()) PetscCall(BeginMany(A, op, vectors, &product));
  if (product.IsByAij()) {
    PetscCall(ByPetsc(A, B, C));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(Lend(B, C, &lent));
  PetscCall(ApplyMany(product, false, lent.b, lent.c));
  PetscCall(Return(B, C, &lent));
  PetscCall(CountDenseProduct(A, *product.layouts->info));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatMatMultNumeric_SeqAIJShadow_SeqDense(Mat A, Mat B, Mat C)
{
  return Multiply(A, Op::N, B, C);
}

PetscErrorCode MatTransposeMatMultNumeric_SeqAIJShadow_SeqDense(Mat A, Mat B, Mat C)
{
  return Multiply(A, Op::T, B, C);
}

PetscErrorCode MatMatMultNumeric_MPIAIJShadow_MPIDense(Mat A, Mat B, Mat C)
{
  return MultiplyManyParallel(A, Op::N, B, C);
}

PetscErrorCode MatTransposeMatMultNumeric_MPIAIJShadow_MPIDense(Mat A, Mat B, Mat C)
{
  return MultiplyManyParallel(A, Op::T, B, C);
}

} // namespace

PetscErrorCode MultiplyByLayout(Mat C)
{
  MatProductType type;
  Mat            A, B;
  PetscInt       vectors;
  PetscBool      mpi;
  bool           worth;

  PetscFunctionBegin;
  PetscCall(MatProductGetType(C, &type));
  PetscCall(MatProductGetMats(C, &A, &B, NULL));
  PetscCall(MatGetSize(B, NULL, &vectors));
  PetscCall(IsWorthIt(A, type, vectors, &worth));
  if (!worth) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  const bool         transposed = type == MATPRODUCT_AtB;
  const NumericPhase sequential = transposed ? Entry<MatTransposeMatMultNumeric_SeqAIJShadow_SeqDense>
                                             : Entry<MatMatMultNumeric_SeqAIJShadow_SeqDense>,
                     parallel   = transposed ? Entry<MatTransposeMatMultNumeric_MPIAIJShadow_MPIDense>
                                             : Entry<MatMatMultNumeric_MPIAIJShadow_MPIDense>,
                     own = mpi ? parallel : sequential, of_petsc = NumericOf(C, type);
  if (!of_petsc || of_petsc == own) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ReplaceNumeric(C, type, own));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
