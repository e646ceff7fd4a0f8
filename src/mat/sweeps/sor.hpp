// SOR with layouts of both triangles of a matrix.
#pragma once

#include "mat/exec/array.hpp"
#include "mat/layout/stamp.hpp"
#include "mat/sweeps/choice.hpp"
#include "mat/sweeps/made.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv {

/// What MatSOR() is asked for.
struct Relaxation {
  PetscReal omega, shift;
  bool      forward, backward, zero_guess;
  PetscInt  sweeps;

  /// How many triangles its sweeps read.
  double Triangles() const;
};

/// The triangles of a sequential matrix, and what relaxes with them. With a zero initial guess a forward sweep needs the lower
/// triangle alone and a backward one the upper. With another one x is multiplied with the other triangle before.
class SorLayouts {
public:
  /// Compares with the matrix as it is now, before the choice is asked.
  void Look(const Stamp &now);

  /// Makes what a relaxation needs. False if PETSc's loop has to do it: a diagonal entry is missing or zero, or too few rows are
  /// side by side. Throws without memory.
  bool Prepare(const Execution &execution, const Stamp &now, const Relaxation &relaxation, MatSpMVSweeps sweeps);

  void Relax(const Execution &execution, const Relaxation &relaxation, const PetscScalar *b, PetscScalar *x);

  /// Frees the layouts.
  void Free();

  SweepChoice choice;

  PetscInt    Nonzeros() const { return seen_.nnz; } // of the matrix
  std::size_t Bytes() const
  {
    return lower_.Bytes() + upper_.Bytes() + diagonal_.bytes() + after_.bytes() + inverse_.bytes() + sum_.bytes() + more_.bytes();
  }

private:
  bool FindDiagonal(const Stamp &now);
  bool InvertDiagonal(const Stamp &now, const Relaxation &relaxation);
  bool Make(const Execution &execution, const Stamp &now, MatSpMVSweeps sweeps, bool upper);

  Stamp              seen_;                // at the last look
  Stamp              lower_of_, upper_of_; // what the layouts were made from
  PetscTriangle      lower_, upper_;
  Array<PetscInt>    diagonal_, after_; // of each row its diagonal entry, and the next
  Array<PetscScalar> inverse_;          // omega / (shift + a_ii)
  Stamp              inverse_of_;
  PetscReal          omega_ = 0, shift_ = 0;
  bool               in_lower_ = false, in_upper_ = false; // whether the layouts have that inverse
  Array<PetscScalar> sum_, more_;
  MatSpMVSweeps      made_for_ = MAT_SPMV_SWEEPS_AUTO;
};

} // namespace petscspmv
