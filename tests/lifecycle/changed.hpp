// Matrices whose values changed after their layouts were built, to extract parts from and to query.
#pragma once

#include "lifecycle/lifecycle.hpp"

namespace petscspmv::test {

inline constexpr int kSize = 83;

/// Destroys an index set at the end of a scope.
struct OwnedIS {
  IS is                               = nullptr;
  OwnedIS()                           = default;
  OwnedIS(const OwnedIS &)            = delete;
  OwnedIS &operator=(const OwnedIS &) = delete;
  ~OwnedIS() { ISDestroy(&is); }
      operator IS() const { return is; }
  IS *operator&() { return &is; }
};

/// p with a layout that was built before its values changed.
inline PetscErrorCode CreateChanged(const std::string &type, Pair *p, bool symmetric = false)
{
  PetscFunctionBegin;
  PetscCall(p->Create(Banded(kSize, kSize, 9, symmetric), type));
  PetscCall(MatScale(p->A, 3));
  PetscCall(MatScale(p->R, 3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::test
