// What is kept with a factor: PETSc's own methods, and layouts of its triangles.
#pragma once

#include "mat/exec/memory_use.hpp"
#include "mat/factors/triangles_of.hpp"
#include "mat/sweeps/choice.hpp"
#include "mat/sweeps/made.hpp"
#include "petsc/compat.hpp"

namespace petscspmv {

class FactorSolver {
public:
  FactorSolver(const struct _MatOps &of_factor, bool symmetric, MatSpMVSweeps sweeps) :
    of_petsc(of_factor), symmetric_(symmetric), sweeps_(sweeps), triangles_(symmetric)
  {
  }
  ~FactorSolver();
  FactorSolver(const FactorSolver &)            = delete;
  FactorSolver &operator=(const FactorSolver &) = delete;

  struct _MatOps of_petsc; // the factor's methods without ours

  /// The symbolic phase is done, with these permutations: another pattern.
  PetscErrorCode NewPattern(IS rows, IS columns);

  /// The numeric phase is done.
  void NewValues();

  /// Decides what does the next solve, and makes the layouts if they do it.
  PetscErrorCode Begin(Mat factor, bool *by_layout);

  /// Solves by the layouts.
  PetscErrorCode Solve(Mat factor, Vec b, Vec x);

  /// Reports the time of a solve to the choice.
  void End(bool by_layout, double seconds);

private:
  PetscErrorCode Make(Mat factor, bool *made);
  bool           MakeLayouts(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja, const PetscScalar *values);
  void           Free();
  void           Run(const PetscScalar *b, PetscScalar *x) const;

  bool               symmetric_;
  MatSpMVSweeps      sweeps_;
  SweepChoice        choice_;
  OwnBytes           own_;
  IS                 rows_ = NULL, columns_ = NULL; // null: in natural order
  Execution          execution_;
  FactorTriangles    triangles_;
  PetscTriangle      lower_, upper_;
  Array<PetscScalar> permuted_;
  bool               current_ = false; // whether the layouts have the factor's values
};

} // namespace petscspmv
