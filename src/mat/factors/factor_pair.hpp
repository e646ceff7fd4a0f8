// The triangles of a factor that a solve goes through.
#pragma once

#include "mat/factors/triangles_of.hpp"
#include "mat/sweeps/pair.hpp"

#include <cstddef>

namespace petscspmv {

/// The triangles L and U; of a symmetric factor U^T and U; for solves with the transpose U^T and L^T.
class FactorPair final : public TrianglePair {
public:
  FactorPair(bool symmetric, bool transposed) : transposed_(transposed), triangles_(symmetric) { }

  /// What a solve needs besides triangles: a buffer for a vector (`work`), the square roots of D^-1 (`roots`).
  struct Needs {
    bool work = false, roots = false;
  };

  /// Makes layouts of a factor, or what the plain loop needs, current; if *outcome is not Made, PETSc's loops have to solve.
  PetscErrorCode Prepare(Mat factor, const Needs &needs, Outcome *outcome);

  /// Solves for y, with right-hand side b[in[i]], and sets x[out[i]] to y_i or, if `add`, adds y_i to it. Null: natural order.
  void Solve(const PetscInt *in, const PetscInt *out, bool add, const PetscScalar *b, PetscScalar *x);

  /// The halves of a symmetric solve: U^T D^1/2 x = b, with b in the order `in`; and D^1/2 U x = b, with x in the order `out`.
  void SolveForward(const PetscInt *in, const PetscScalar *b, PetscScalar *x);
  void SolveBackward(const PetscInt *out, const PetscScalar *b, PetscScalar *x);

  /// Reports whether PETSc's loop solves by nodes: then the plain loop, row by row, is expected to be slower. Counts before the
  /// first solve.
  void SetNodes(bool nodes) { nodes_ = nodes; }

  /// Whether all square roots of D^-1 are real, once a solve has needed them.
  bool HasRoots() const { return has_roots_; }

private:
  bool        PrepareTriangles(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja, const PetscScalar *values);
  void        FindRoots(std::size_t rows);
  void        Run(const PetscScalar *b, PetscScalar *x) const;
  void        FreeRest() override;
  SweepFamily Family() const override // transposed triangles are made entry by entry
  {
    const bool transposed = triangles_.IsSymmetric() || transposed_; // not stored in the order of solving
    if (transposed) return {.name = "transposed factor", .in_one_part = true, .build = 23};
    if (nodes_) return {.name = "factor with nodes", .build = 22, .loop = 1.5};
    return {.name = "factor"};
  }

  bool               transposed_, nodes_ = false;
  FactorTriangles    triangles_;
  Array<PetscScalar> work_;
  Array<PetscReal>   roots_; // of D^-1 with the current values; empty until a solve needs them
  bool               has_roots_ = false;
};

} // namespace petscspmv
