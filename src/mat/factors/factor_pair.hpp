// The triangles of a factor that a solve goes through.
#pragma once

#include "mat/factors/triangles_of.hpp"
#include "mat/sweeps/pair.hpp"

#include <cstddef>

namespace petscspmv {

/// L and U, or U^T and U of a symmetric factor; or, of a solve with the transpose, U^T and L^T.
class FactorPair final : public TrianglePair {
public:
  FactorPair(bool symmetric, bool transposed) : transposed_(transposed), triangles_(symmetric) { }

  /// What a solve needs beside layouts: room for a vector, the square root of D.
  struct Needs {
    bool work = false, roots = false;
  };

  /// Makes layouts of a factor, unless PETSc's loops have to solve.
  PetscErrorCode Prepare(Mat factor, const Needs &needs, Made *made);

  /// x_out[i] (+)= y_i, where y solves with b_in[i]; null: in natural order.
  void Solve(const PetscInt *in, const PetscInt *out, bool add, const PetscScalar *b, PetscScalar *x);

  /// The halves of a symmetric solve: U^T D^1/2 x = b_in[i], and D^1/2 U x_out[i] = b.
  void SolveForward(const PetscInt *in, const PetscScalar *b, PetscScalar *x);
  void SolveBackward(const PetscInt *out, const PetscScalar *b, PetscScalar *x);

  /// Whether D has a square root, after it was asked for.
  bool HasRoots() const { return has_roots_; }

private:
  bool        PrepareTriangles(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja, const PetscScalar *values);
  void        FindRoots(std::size_t rows);
  void        Run(const PetscScalar *b, PetscScalar *x) const;
  void        FreeRest() override;
  TrianglesOf Of() const override
  {
    return triangles_.IsSymmetric() || transposed_ ? TrianglesOf::Transposed : TrianglesOf::Factor;
  }

  bool               transposed_;
  FactorTriangles    triangles_;
  Array<PetscScalar> work_;
  Array<PetscReal>   roots_; // of D^-1 with the current values; empty as long as nothing has asked for them
  bool               has_roots_ = false;
};

} // namespace petscspmv
