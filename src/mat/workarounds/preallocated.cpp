#include "mat/workarounds/preallocated.hpp"

#include "mat/exec/session.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

#include <utility>

namespace petscspmv {

#if PETSC_VERSION_GE(3, 19, 0)

PetscErrorCode DestroyBase(Mat A, const Base &base)
{
  PetscFunctionBegin;
  PetscCall((*base.ops.destroy)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void KeepWhatIsPreallocated(Mat, bool)
{
}

PetscErrorCode GiveUpPreallocated(Mat)
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
  return PETSC_SUCCESS; // MatAssemblyBegin() has ensured that A is preallocated
}

#else

namespace {

struct Kept {
  Mat              kept          = nullptr; // holds the data of the matrix whose type is being set
  PetscObjectId    owner         = 0;       // the id of that matrix
  PetscObjectState nonzero_state = 0;       // its nonzero state then, which MatSetType() increases
};

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

/// Exchanges the contents of two matrices of the same type, sizes and distribution.
void Exchange(Mat A, Mat B)
{
  std::swap(A->data, B->data);
  std::swap(A->preallocated, B->preallocated);
}

/// Hands A's data over to the matrix that is kept. A is then as empty as a matrix that has only got its type.
PetscErrorCode Keep(Mat A, MatType base)
{
  const Base *of_blocks;
  Mat         T;
  PetscBool   same;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&of_blocks)); // cached for destroying T, since PetscFinalize() must not create matrices
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
  if (!same) PetscFunctionReturn(PETSC_SUCCESS); // -mat_seqaij_type names a type of PETSc's
  Exchange(A, T);
  PetscCall(PetscObjectGetId((PetscObject)A, &State().owner));
  State().nonzero_state = A->nonzerostate;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <PetscErrorCode (*get_base)(const Base **)>
PetscErrorCode MatDestroy_AIJPreallocated(Mat A)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall((*get_base)(&base));
  PetscCall(DestroyBase(A, *base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether the kept data are those of A, and only MatSetType() has changed A since.
bool IsKept(Mat A)
{
  const Kept   &state = State();
  PetscObjectId id;
  return state.kept && !PetscObjectGetId((PetscObject)A, &id) && id == state.owner && A->nonzerostate == state.nonzero_state + 1;
}

} // namespace

PetscErrorCode DestroyBase(Mat A, const Base &base)
{
  PetscFunctionBegin;
  if (!IsGoingAway(A) && A->preallocated && !A->assembled && !A->was_assembled) PetscCall(Keep(A, base.name));
  PetscCall((*base.ops.destroy)(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void KeepWhatIsPreallocated(Mat A, bool mpi)
{
  if (mpi) A->ops->destroy = Entry<MatDestroy_AIJPreallocated<GetMPIBase>>;
  else A->ops->destroy = Entry<MatDestroy_AIJPreallocated<GetSeqBase>>;
}

PetscErrorCode GiveUpPreallocated(Mat A)
{
  PetscObjectId id;

  PetscFunctionBegin;
  PetscCall(PetscObjectGetId((PetscObject)A, &id));
  if (State().kept && id != State().owner && A != State().kept) PetscCall(DestroyKept());
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

/// Otherwise assembly would crash. A matrix-free operator that takes its type from options was never meant to be preallocated.
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
