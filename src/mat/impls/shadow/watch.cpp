// MATMPIAIJ of PETSc with blocks of our types, as -mat_seqaij_type makes it: the type keeps its name and its creator is replaced by
// one that adds the methods of parallel.cpp, without which products would not see what is reported to the parallel matrix only.
#include "mat/exec/session.hpp"
#include "mat/impls/shadow/guard.hpp"
#include "mat/impls/shadow/many.hpp"
#include "mat/impls/shadow/shadow.hpp"

namespace petscspmv {

namespace {

/// PETSc's own creator, the same in every session: matrices may still be made while PetscFinalize() ends one.
struct MPIAIJ {
  PetscErrorCode (*create)(Mat) = nullptr;
};

PetscErrorCode MatCreate_MPIAIJWatched(Mat A)
{
  PetscFunctionBegin;
  PetscCall((*OfProcess<MPIAIJ>().create)(A));
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

PetscErrorCode WatchMPIAIJ(Mat A)
{
  PetscFunctionBegin;
  SetParallelMethods(*A->ops);
  PetscCall(PetscObjectComposeFunction((PetscObject)A, kProduct, Entry<MatProductSetFromOptions_MPIAIJWatched_MPIDense>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateUnwatchedMPIAIJ(Mat A)
{
  PetscFunctionBegin;
  if (OfProcess<MPIAIJ>().create) PetscCall((*OfProcess<MPIAIJ>().create)(A));
  else PetscCall(MatSetType(A, MATMPIAIJ));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode RegisterWatch()
{
  PetscErrorCode (*create)(Mat) = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(MatList, MATMPIAIJ, &create));
  if (!create || create == Entry<MatCreate_MPIAIJWatched>) PetscFunctionReturn(PETSC_SUCCESS);
  OfProcess<MPIAIJ>().create = create;
  PetscCall(MatRegister(MATMPIAIJ, Entry<MatCreate_MPIAIJWatched>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
