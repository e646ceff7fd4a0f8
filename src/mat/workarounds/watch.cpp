// The creators of MATSEQAIJ and MATMPIAIJ, replaced by ones that call PETSc's; the types keep their names. To MATMPIAIJ, whose
// blocks have our types with -mat_seqaij_type, they add the methods of parallel.cpp, without which products would not see what is
// reported to the parallel matrix only. To both they add what keeps PETSc's derived types apart from ours (derived.cpp).
#include "mat/exec/session.hpp"
#include "mat/products/dense.hpp"
#include "mat/shadow/passing.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

#include <cstring>

namespace petscspmv {

namespace {

/// PETSc's own creators, the same in every session: matrices may still be made while PetscFinalize() ends one.
struct OfPetsc {
  PetscErrorCode (*create_seq)(Mat) = nullptr;
  PetscErrorCode (*create_mpi)(Mat) = nullptr;
};

/// MATSEQAIJ creates the transpose as a MATSEQAIJ, fills it, and sets its type to that of A. If -mat_seqaij_type has made it one of
/// ours, which A is not, the last step would empty it.
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
  PetscCall((*OfProcess<OfPetsc>().create_seq)(A));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, MATSEQAIJ, &plain)); // unless -mat_seqaij_type has changed it
  if (plain) PetscCall(WatchSeqAIJ(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_MPIAIJWatched(Mat A)
{
  PetscFunctionBegin;
  PetscCall(GiveUpPreallocated(A));
  PetscCall((*OfProcess<OfPetsc>().create_mpi)(A));
  PetscCall(WatchMPIAIJ(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr const char *kProduct = "MatProductSetFromOptions_mpiaij_mpidense_C"; // of the dense matrix

/// C = A B with a dense B: PETSc's numeric phase has a product of the diagonal block.
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

PetscErrorCode WatchSeqAIJ(Mat A)
{
  PetscFunctionBegin;
  KeepWhatIsPreallocated(A, false);
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

PetscErrorCode CreateUnwatched(Mat A, MatType base)
{
  const auto &of_petsc          = OfProcess<OfPetsc>();
  PetscErrorCode (*create)(Mat) = std::strcmp(base, MATMPIAIJ) ? of_petsc.create_seq : of_petsc.create_mpi;

  PetscFunctionBegin;
  PetscCall(create ? (*create)(A) : MatSetType(A, base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RegisterWatch()
{
  auto &of_petsc = OfProcess<OfPetsc>();

  PetscFunctionBegin;
  PetscCall(ReplaceCreatorsOfDerived());
  PetscCall(ReplaceInList(MatList, MATSEQAIJ, Entry<MatCreate_SeqAIJWatched>, &of_petsc.create_seq, MatRegister));
  PetscCall(ReplaceInList(MatList, MATMPIAIJ, Entry<MatCreate_MPIAIJWatched>, &of_petsc.create_mpi, MatRegister));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
