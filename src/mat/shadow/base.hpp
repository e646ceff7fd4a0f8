// The methods of MATSEQAIJ and MATMPIAIJ, which their headers do not export, and the names of types.
#pragma once

#include "petsc/compat.hpp"

#include <cstddef>

namespace petscspmv {

/// Names of types and of composed functions are built on the stack, which cannot fail.
inline constexpr std::size_t kNameLength = 256;

/// The methods of one of both, taken from a pristine matrix.
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
void           ResetMethods(struct _MatOps &ops, const struct _MatOps &own, const struct _MatOps &base); // where own differs

/// PETSc's own creators of both, once they are replaced (workarounds/watch.cpp); the same in every session: matrices may still be
/// made while PetscFinalize() ends one.
struct Creators {
  PetscErrorCode (*seq)(Mat) = nullptr;
  PetscErrorCode (*mpi)(Mat) = nullptr;
};
Creators &CreatorsOfPetsc();

/// Changes a matrix's type name, or leaves it if memory is short: PetscObjectChangeTypeName() frees the old name first.
PetscErrorCode ChangeTypeName(Mat A, const char *name);
PetscErrorCode TakeTypeName(Mat A, char *name); // a name that PETSc has allocated

/// Whether PETSc is destroying A, or has moved its data elsewhere (MatHeaderMerge()): it removes everything composed itself.
bool IsGoingAway(Mat A);

/// While it lives, -mat_seqaij_type has no effect if it names one of our types: MatSetType() to MATSEQAIJ makes exactly that.
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
