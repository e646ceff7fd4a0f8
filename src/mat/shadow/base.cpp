#include "mat/shadow/base.hpp"

#include "mat/exec/session.hpp"

#include <cstring>

namespace petscspmv {

namespace {

/// Gives A a base type by PETSc's own creator, without what workarounds/watch.cpp adds.
PetscErrorCode CreateUnwatched(Mat A, const Base &base)
{
  const Creators &of_petsc      = CreatorsOfPetsc();
  PetscErrorCode (*create)(Mat) = base.parallel ? of_petsc.mpi : of_petsc.seq;

  PetscFunctionBegin;
  PetscCall(create ? (*create)(A) : MatSetType(A, base.name));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TakeBase(Base &base)
{
  Mat       A;
  PetscBool same;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, &A));
  PetscCall(MatSetSizes(A, 0, 0, 0, 0));
  {
    const WithoutCatchAll guard;
    PetscCall(CreateUnwatched(A, base));
  }
  PetscCall(PetscObjectTypeCompare((PetscObject)A, base.name, &same));
  if (!same) { // -mat_seqaij_type has given A another type: use that type's conversion back
    PetscErrorCode (*back)(Mat, MatType, MatReuse, Mat *) = nullptr;
    char name[kNameLength];
    PetscCall(PetscSNPrintf(name, sizeof(name), "MatConvert_%s_%s_C", ((PetscObject)A)->type_name, base.name));
    PetscCall(PetscObjectQueryFunction((PetscObject)A, name, &back));
    PetscCheck(back, PETSC_COMM_SELF, PETSC_ERR_SUP,
               "Cannot derive from %s: -mat_seqaij_type names a type that does not convert to %s", ((PetscObject)A)->type_name,
               base.name);
    PetscCall((*back)(A, base.name, MAT_INPLACE_MATRIX, &A));
  }
  base.ops = *A->ops;
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatRetrieveValues_C", &base.retrieve));
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatSeqAIJKron_C", &base.kron));
  PetscCall(PetscObjectQueryFunction((PetscObject)A, "MatSeqAIJSetColumnIndices_C", &base.columns));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetBase(Base &base, bool &known, const Base **result)
{
  PetscFunctionBegin;
  if (!known) {
    PetscCall(TakeBase(base));
    known = true;
  }
  *result = &base;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

thread_local int WithoutCatchAll::living = 0;

Creators &CreatorsOfPetsc()
{
  return OfProcess<Creators>();
}

bool IsGoingAway(Mat A)
{
  return ((PetscObject)A)->refct == 0 || !((PetscObject)A)->type_name;
}

PetscErrorCode ChangeTypeName(Mat A, const char *name)
{
  char *copy;

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(name, &copy));
  PetscCall(TakeTypeName(A, copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TakeTypeName(Mat A, char *name)
{
  PetscFunctionBegin;
  PetscCall(PetscFree(((PetscObject)A)->type_name));
  ((PetscObject)A)->type_name = name;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetSeqBase(const Base **base)
{
  static Base seq{MATSEQAIJ, false, {}, nullptr, nullptr, nullptr};
  static bool known = false;

  PetscFunctionBegin;
  PetscCall(GetBase(seq, known, base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetMPIBase(const Base **base)
{
  static Base mpi{MATMPIAIJ, true, {}, nullptr, nullptr, nullptr};
  static bool known = false;

  PetscFunctionBegin;
  PetscCall(GetBase(mpi, known, base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetBaseOf(Mat A, const Base **base)
{
  PetscBool mpi;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  PetscCall(mpi ? GetMPIBase(base) : GetSeqBase(base));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The table is an array of function pointers, as MatSetOperation() assumes.
void ResetMethods(struct _MatOps &ops, const struct _MatOps &own, const struct _MatOps &base)
{
  constexpr std::size_t size = sizeof(void (*)());
  static_assert(sizeof(struct _MatOps) % size == 0);
  for (std::size_t at = 0; at < sizeof(struct _MatOps); at += size) {
    const char *inherited = reinterpret_cast<const char *>(&base) + at;
    if (std::memcmp(reinterpret_cast<const char *>(&own) + at, inherited, size))
      std::memcpy(reinterpret_cast<char *>(&ops) + at, inherited, size);
  }
}

} // namespace petscspmv
