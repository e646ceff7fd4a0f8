// Where PETSc asks for the exact names of AIJ's types: a matrix of our types passes for its base type there.
#pragma once

#include "mat/shadow/shadow.hpp"

#include <cstring>
#include <utility>

namespace petscspmv {

/// While it lives, a matrix derived from MATSEQAIJ or MATMPIAIJ (null: none) has the name of that type. Nothing may give it another
/// type meanwhile.
class PassesForAIJ {
public:
  explicit PassesForAIJ(Mat A) : A_(A)
  {
    static_assert(sizeof(MATSEQAIJ) == sizeof(MATMPIAIJ));
    if (!A_) return;
    if (((PetscObject)A_)->type_name[0] == 'm') std::memcpy(base_, MATMPIAIJ, sizeof(base_));
    std::swap(((PetscObject)A_)->type_name, name_);
  }
  ~PassesForAIJ()
  {
    if (A_) std::swap(((PetscObject)A_)->type_name, name_);
  }
  PassesForAIJ(const PassesForAIJ &)            = delete;
  PassesForAIJ &operator=(const PassesForAIJ &) = delete;

private:
  Mat   A_;
  char  base_[sizeof(MATSEQAIJ)] = MATSEQAIJ;
  char *name_                    = base_;
};

/// Registers `ours` under a name in place of what PETSc has there, which is kept in *of_petsc. Nothing happens if that is none, or
/// ours already.
template <class F, class Register>
PetscErrorCode ReplaceInList(PetscFunctionList list, const char *name, F *ours, F **of_petsc, const Register &registrar)
{
  F *found = nullptr;

  PetscFunctionBegin;
  PetscCall(PetscFunctionListFind(list, name, &found));
  if (!found || found == ours) PetscFunctionReturn(PETSC_SUCCESS);
  *of_petsc = found;
  PetscCall(registrar(name, ours));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Replaces PETSc's implementations that ask, for all objects that are made from now on.
PetscErrorCode LetPCsPass();       // (passing_pc.cpp)
PetscErrorCode LetColoringsPass(); // and coarsenings and orderings (passing_mat.cpp)

} // namespace petscspmv
