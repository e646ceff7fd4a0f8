// The methods of MATSEQAIJ and MATMPIAIJ, which their headers do not export, and the names of types.
#pragma once

#include "petsc/compat.hpp"

#include <cstddef>

namespace petscspmv {

/// Names of types and of composed functions are built on the stack, which cannot fail.
inline constexpr std::size_t kNameLength = 256;

/// The methods of one of these two types, taken from a matrix that nothing has changed.
struct Base {
  MatType        name;
  bool           parallel;
  struct _MatOps ops;
  PetscErrorCode (*retrieve)(Mat);                   // MatRetrieveValues_C
  PetscErrorCode (*kron)(Mat, Mat, MatReuse, Mat *); // MatSeqAIJKron_C
  PetscErrorCode (*columns)(Mat, PetscInt *);        // MatSeqAIJSetColumnIndices_C
};
PetscErrorCode GetSeqBase(const Base **base);
PetscErrorCode GetMPIBase(const Base **base);
PetscErrorCode GetBaseOf(Mat A, const Base **base);
void           ResetMethods(struct _MatOps &ops, const struct _MatOps &own, const struct _MatOps &base); // those that own replaces

/// PETSc's own creators of these two types, once ours have replaced them (workarounds/watch.cpp). They last as long as the process,
/// since matrices may still be made while PetscFinalize() ends a session.
struct Creators {
  PetscErrorCode (*seq)(Mat) = nullptr;
  PetscErrorCode (*mpi)(Mat) = nullptr;
};
Creators &CreatorsOfPetsc();

/// Changes a matrix's type name, or leaves the old one if memory is short; PetscObjectChangeTypeName() would have freed it already.
PetscErrorCode ChangeTypeName(Mat A, const char *name);
PetscErrorCode TakeTypeName(Mat A, char *name); // to a name that PETSc has allocated

/// Whether PETSc is destroying A, or has moved its data elsewhere (MatHeaderMerge()): in both cases PETSc itself removes everything
/// that is composed with A.
bool IsGoingAway(Mat A);

/// While such an object lives, -mat_seqaij_type has no effect if it names one of our types: MatSetType() to MATSEQAIJ makes a
/// MATSEQAIJ.
class WithoutCatchAll {
public:
  WithoutCatchAll() { ++living; }
  ~WithoutCatchAll() { --living; }
  WithoutCatchAll(const WithoutCatchAll &)            = delete;
  WithoutCatchAll &operator=(const WithoutCatchAll &) = delete;
  static bool      Any() { return living > 0; }

private:
  static thread_local int living;
};

} // namespace petscspmv
