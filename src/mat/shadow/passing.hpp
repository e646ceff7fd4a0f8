// Lets a matrix of our types pass for its base type where PETSc asks for AIJ by its exact name.
#pragma once

#include "petsc/compat.hpp"

#include <cstring>
#include <utility>

namespace petscspmv {

/// While such an object lives, A has the type name MATSEQAIJ or MATMPIAIJ, whichever its type is derived from. A may be null: then
/// nothing happens. A must not be given another type meanwhile.
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
