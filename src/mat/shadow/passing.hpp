// Where PETSc asks for the exact names of AIJ's types: a matrix of our types passes for its base type there.
#pragma once

#include "petsc/compat.hpp"

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

} // namespace petscspmv
