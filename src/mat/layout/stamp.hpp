// What a layout was made from.
#pragma once

#include "mat/format/csr.hpp"
#include "petsc/compat.hpp"

#include <algorithm>

namespace petscspmv {

/// The state of the AIJ arrays that a layout was made from. Nothing invalidates a layout from outside: every use compares the
/// stamp with the matrix.
struct Stamp {
  PetscObjectState   state = -1, nonzerostate = -1;
  const PetscInt    *i = nullptr, *j = nullptr;
  const PetscScalar *a    = nullptr;
  PetscInt           rows = -1, cols = -1, nnz = -1;

  bool SamePattern(const Stamp &s) const
  {
    return nonzerostate == s.nonzerostate && i == s.i && j == s.j && rows == s.rows && cols == s.cols && nnz == s.nnz;
  }
  bool SameValues(const Stamp &now) const { return state == now.state && a == now.a; }

  /// Takes the stamp of a sequential matrix.
  PetscErrorCode Take(Mat A);

  /// The bytes of the three arrays; 0 if there are none.
  double CsrBytes() const
  {
    const double index = sizeof(PetscInt);
    return static_cast<double>(std::max<PetscInt>(nnz, 0)) * (sizeof(PetscScalar) + index) + static_cast<double>(rows + 1) * index;
  }

  /// The arrays, as formats receive them.
  Csr<PetscScalar, PetscInt> Lent() const;
};

} // namespace petscspmv
