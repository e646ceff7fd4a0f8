#include "mat/workarounds/watch.hpp"

#include "mat/products/numeric_phase.hpp"
#include "mat/shadow/parallel.hpp"
#include "mat/shadow/shadow.hpp"
#include "mat/workarounds/derived.hpp"
#include "mat/workarounds/preallocated.hpp"
#include "mat/workarounds/replace_in_list.hpp"
#include "petsc/guard.hpp"

namespace petscspmv {

namespace {

/// AIJ's MatTranspose() creates the transpose as a MATSEQAIJ, fills it, and then gives it the type of A, a plain MATSEQAIJ. That
/// last step would empty the transpose, had -mat_seqaij_type made it one of our types.
PetscErrorCode MatTranspose_SeqAIJWatched(Mat A, MatReuse reuse, Mat *B)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  const WithoutCatchAll guard;
  PetscCall((*base->ops.transpose)(A, reuse, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatTransposeSymbolic_SeqAIJWatched(Mat A, Mat *B)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  const WithoutCatchAll guard;
  PetscCall((*base->ops.transposesymbolic)(A, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_SeqAIJWatched(Mat A)
{
  PetscBool plain;

  PetscFunctionBegin;
  PetscCall(GiveUpPreallocated(A));
  PetscCall((*CreatorsOfPetsc().seq)(A));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &plain)); // unless -mat_seqaij_type has changed it
  if (plain) PetscCall(WatchSeqAIJ(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_MPIAIJWatched(Mat A)
{
  PetscFunctionBegin;
  PetscCall(GiveUpPreallocated(A));
  PetscCall((*CreatorsOfPetsc().mpi)(A));
  PetscCall(WatchMPIAIJ(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr const char *kProduct = "MatProductSetFromOptions_mpiaij_mpidense_C"; // composed with the dense matrix by PETSc

/// The symbolic phase of C = A B with a dense B: PETSc's own, whose numeric phase is then made to begin with PrepareBlocks(A). It
/// multiplies with A's diagonal block, which does not know of changes that were reported to A alone.
PetscErrorCode MatProductSymbolic_MPIAIJWatched_MPIDense(Mat C)
{
  PetscErrorCode (*prepare)(Mat) = nullptr;
  Mat B;

  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, NULL, &B, NULL));
  PetscCall(PetscObjectQueryFunction((PetscObject)B, kProduct, &prepare));
  PetscCall((*prepare)(C)); // replaces this symbolic phase by PETSc's own
  PetscCall((*C->ops->productsymbolic)(C));
  PetscCall(PrepareBlocksBefore(C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatProductSetFromOptions_MPIAIJWatched_MPIDense(Mat C)
{
  PetscErrorCode (*prepare)(Mat) = nullptr;
  Mat            A, B;
  MatProductType type;

  PetscFunctionBegin;
  PetscCall(MatProductGetMats(C, &A, &B, NULL));
  PetscCall(MatProductGetType(C, &type));
  PetscCall(PetscObjectQueryFunction((PetscObject)B, kProduct, &prepare));
  if (prepare) PetscCall((*prepare)(C));
  if (prepare && C->ops->productsymbolic && type == MATPRODUCT_AB && !IsOurs(A))
    C->ops->productsymbolic = Entry<MatProductSymbolic_MPIAIJWatched_MPIDense>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatAXPY_SeqAIJWatched(Mat Y, PetscScalar a, Mat X, MatStructure pattern)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  const WithoutCatchAll guard;
  PetscCall((*base->ops.axpy)(Y, a, X, pattern));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WatchSeqAIJ(Mat A)
{
  PetscFunctionBegin;
  KeepWhatIsPreallocated(A, false);
  A->ops->axpy = Entry<MatAXPY_SeqAIJWatched>;
  if (A->ops->transpose) A->ops->transpose = Entry<MatTranspose_SeqAIJWatched>;
  if (A->ops->transposesymbolic) A->ops->transposesymbolic = Entry<MatTransposeSymbolic_SeqAIJWatched>;
  PetscCall(ReplaceConversionsToDerived(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WatchMPIAIJ(Mat A)
{
  PetscFunctionBegin;
  KeepWhatIsPreallocated(A, true);
  SetParallelMethods(*A->ops);
  PetscCall(PetscObjectComposeFunction((PetscObject)A, kProduct, Entry<MatProductSetFromOptions_MPIAIJWatched_MPIDense>));
  PetscCall(ReplaceConversionsToDerived(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RegisterWatch()
{
  Creators &of_petsc = CreatorsOfPetsc();

  PetscFunctionBegin;
  PetscCall(ReplaceCreatorsOfDerived());
  PetscCall(ReplaceInList(MatList, MATSEQAIJ, Entry<MatCreate_SeqAIJWatched>, &of_petsc.seq, MatRegister));
  PetscCall(ReplaceInList(MatList, MATMPIAIJ, Entry<MatCreate_MPIAIJWatched>, &of_petsc.mpi, MatRegister));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
