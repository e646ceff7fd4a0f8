#include "mat/products/numeric_phase.hpp"

#include "mat/shadow/parallel.hpp"
#include "petsc/guard.hpp"

#include <utility>

namespace petscspmv {

namespace {

constexpr const char *kOfPetsc = "PetscSpMVNumericOfPetsc_C"; // composed with the product

thread_local bool in_petsc = false;

PetscErrorCode MatMatMultNumeric_MPIAIJWatched_MPIDense(Mat A, Mat B, Mat C)
{
  NumericPhase of_petsc;

  PetscFunctionBegin;
  PetscCall(PrepareBlocks(A));
  PetscCall(PetscObjectQueryFunction((PetscObject)C, kOfPetsc, &of_petsc));
  PetscCall((*of_petsc)(A, B, C)); // InPetsc() is false: layouts may multiply
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

NumericPhase &NumericOf(Mat C, MatProductType type)
{
  return type == MATPRODUCT_AB ? C->ops->matmultnumeric : C->ops->transposematmultnumeric;
}

PetscErrorCode ReplaceNumeric(Mat C, MatProductType type, NumericPhase ours)
{
  PetscFunctionBegin;
  PetscCall(PetscObjectComposeFunction((PetscObject)C, kOfPetsc, NumericOf(C, type)));
  NumericOf(C, type) = ours;
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool InPetsc()
{
  return in_petsc;
}

PetscErrorCode ByPetsc(Mat A, Mat B, Mat C)
{
  NumericPhase of_petsc;

  PetscFunctionBegin;
  PetscCall(PetscObjectQueryFunction((PetscObject)C, kOfPetsc, &of_petsc));
  const bool           outer = std::exchange(in_petsc, true);
  const PetscErrorCode code  = (*of_petsc)(A, B, C);
  in_petsc                   = outer;
  PetscCall(code);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrepareBlocksBefore(Mat C)
{
  const NumericPhase numeric = NumericOf(C, MATPRODUCT_AB);

  PetscFunctionBegin;
  if (!numeric || numeric == Entry<MatMatMultNumeric_MPIAIJWatched_MPIDense>) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(ReplaceNumeric(C, MATPRODUCT_AB, Entry<MatMatMultNumeric_MPIAIJWatched_MPIDense>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
