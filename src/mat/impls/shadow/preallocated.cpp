// Matrices that are preallocated before they get their type: by `-mat_type csr5` and MatSetFromOptions() after preallocation, as by
// DOLFINx with `petsc_options`.
//
// MatSetType() destroys what the old type holds and creates the new one, which is not preallocated. From 3.19 on PETSc then
// collects values in a hash table; 3.18 crashes at the first of them, with every derived type. So there the library replaces the
// creators of MATSEQAIJ and MATMPIAIJ: they call PETSc's, and wrap the destroy method. It hands the preallocated data over to a
// matrix that is kept until MatSetType() calls the creator of one of our types, which takes them back.
#include "mat/exec/session.hpp"
#include "mat/impls/shadow/guard.hpp"
#include "mat/impls/shadow/shadow.hpp"

#include <utility>

namespace petscspmv {

#if PETSC_VERSION_GE(3, 19, 0)

PetscErrorCode RegisterPreallocated()
{
  return PETSC_SUCCESS;
}

PetscErrorCode MatSetTypeAsPreallocated(Mat A, MatType base)
{
  PetscFunctionBegin;
  PetscCall(MatSetType(A, base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ForgetPreallocated()
{
  return PETSC_SUCCESS;
}

PetscErrorCode CheckPreallocated(Mat)
{
  return PETSC_SUCCESS; // MatAssemblyBegin() has seen to it
}

#else

namespace {

/// A base type's methods that are wrapped.
struct Wrapped {
  PetscErrorCode (*create)(Mat)  = nullptr;
  PetscErrorCode (*destroy)(Mat) = nullptr;
};

/// Of the process: matrices may outlive the session's state, in PetscFinalize().
struct Bases {
  Wrapped seq, mpi;
};

struct Kept {
  Mat              kept          = nullptr; // has the data of the matrix whose type is being set,
  PetscObjectId    owner         = 0;       // which is this one,
  PetscObjectState nonzero_state = 0;       // and had this state, which MatSetType() increases
};

Wrapped &SeqAIJ()
{
  return OfProcess<Bases>().seq;
}

Wrapped &MPIAIJ()
{
  return OfProcess<Bases>().mpi;
}

Kept &State()
{
  return OfSession<Kept>();
}

PetscErrorCode DestroyKept()
{
  PetscFunctionBegin;
  PetscCall(MatDestroy(&State().kept));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Exchanges the contents of two matrices of one type and layout.
void Exchange(Mat A, Mat B)
{
  std::swap(A->data, B->data);
  std::swap(A->preallocated, B->preallocated);
}

/// Hands the data over to the matrix that is kept; A is then as empty as any that has its type only.
PetscErrorCode Keep(Mat A, MatType base)
{
  Mat       T;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(DestroyKept());
  PetscCall(MatCreate(PetscObjectComm((PetscObject)A), &T));
  State().kept = T;
  PetscCall(PetscLayoutReference(A->rmap, &T->rmap));
  PetscCall(PetscLayoutReference(A->cmap, &T->cmap));
  {
    const WithoutCatchAll guard;
    PetscCall(MatSetType(T, base));
  }
  PetscCall(PetscObjectTypeCompare((PetscObject)T, base, &same));
  if (!same) PetscFunctionReturn(PETSC_SUCCESS); // by -mat_seqaij_type with a type of PETSc's
  Exchange(A, T);
  PetscCall(PetscObjectGetId((PetscObject)A, &State().owner));
  State().nonzero_state = A->nonzerostate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DestroyBase(Mat A, MatType base, const Wrapped &wrapped)
{
  PetscFunctionBegin;
  if (!IsLast(A) && A->preallocated && !A->assembled && !A->was_assembled) PetscCall(Keep(A, base));
  PetscCall((*wrapped.destroy)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_SeqAIJPreallocated(Mat A)
{
  PetscFunctionBegin;
  PetscCall(DestroyBase(A, MATSEQAIJ, SeqAIJ()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDestroy_MPIAIJPreallocated(Mat A)
{
  PetscFunctionBegin;
  PetscCall(DestroyBase(A, MATMPIAIJ, MPIAIJ()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether the data kept are of this matrix, and nothing else has happened to it.
bool IsKept(Mat A)
{
  const Kept   &state = State();
  PetscObjectId id;
  return state.kept && !PetscObjectGetId((PetscObject)A, &id) && id == state.owner && A->nonzerostate == state.nonzero_state + 1;
}

/// PETSc's creator, and whether the destroy method of its matrix is to be wrapped: not if -mat_seqaij_type has made it another
/// type. Data that are kept for a matrix other than the one whose type is set now were given up: it became no type of ours.
PetscErrorCode CreateBase(Mat A, MatType base, Wrapped &wrapped, PetscBool *plain)
{
  PetscObjectId id;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)A, &id));
  if (State().kept && id != State().owner && A != State().kept) PetscCall(DestroyKept());
  PetscCall((*wrapped.create)(A));
  PetscCall(PetscObjectTypeCompare((PetscObject)A, base, plain));
  if (*plain) wrapped.destroy = A->ops->destroy;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_SeqAIJPreallocated(Mat A)
{
  PetscBool plain;

  PetscFunctionBegin;
  PetscCall(CreateBase(A, MATSEQAIJ, SeqAIJ(), &plain));
  if (plain) A->ops->destroy = Entry<MatDestroy_SeqAIJPreallocated>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatCreate_MPIAIJPreallocated(Mat A)
{
  PetscBool plain;

  PetscFunctionBegin;
  PetscCall(CreateBase(A, MATMPIAIJ, MPIAIJ(), &plain));
  if (plain) A->ops->destroy = Entry<MatDestroy_MPIAIJPreallocated>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Wrap(MatType base, Wrapped &wrapped, PetscErrorCode (*create)(Mat))
{
  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(MatList, base, &wrapped.create));
  PetscCheck(wrapped.create, PETSC_COMM_SELF, PETSC_ERR_PLIB, "PETSc has no matrix type %s", base);
  PetscCall(MatRegister(base, create));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode RegisterPreallocated()
{
  PetscFunctionBegin;
  PetscCall(MatInitializePackage());
  PetscCall(Wrap(MATSEQAIJ, SeqAIJ(), Entry<MatCreate_SeqAIJPreallocated>));
  PetscCall(Wrap(MATMPIAIJ, MPIAIJ(), Entry<MatCreate_MPIAIJPreallocated>));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetTypeAsPreallocated(Mat A, MatType base)
{
  const bool kept = IsKept(A);

  PetscFunctionBegin;
  PetscCall(MatSetType(A, base));
  if (kept) {
    Exchange(A, State().kept);
    PetscCall(DestroyKept());
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ForgetPreallocated()
{
  PetscFunctionBegin;
  PetscCall(DestroyKept());
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Otherwise assembly crashes. A matrix-free operator that takes its type from options was never meant to be preallocated.
PetscErrorCode CheckPreallocated(Mat A)
{
  const TypeInfo *type = TypeOf(A);

  PetscFunctionBegin;
  PetscCheck(A->preallocated, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE,
             "Matrix of type %s has not been preallocated. If it is of another kind, such as a matrix-free operator, and a global "
             "-mat_type has given it this type, use -mat_seqaij_type %s in place of -mat_type",
             ((PetscObject)A)->type_name, type ? type->seq.c_str() : MATSEQAIJ);
  PetscFunctionReturn(PETSC_SUCCESS);
}

#endif

} // namespace petscspmv
