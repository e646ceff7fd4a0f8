// What is kept with a factor: PETSc's own methods, and layouts of its triangles.
#pragma once

#include "mat/exec/memory_use.hpp"
#include "mat/factors/triangles_of.hpp"
#include "mat/sweeps/pair.hpp"
#include "petsc/compat.hpp"

namespace petscspmv {

class FactorSolver final : public TrianglePair {
public:
  FactorSolver(const struct _MatOps &of_factor, bool symmetric, MatSpMVSweeps sweeps) :
    of_petsc(of_factor), symmetric_(symmetric), sweeps_(sweeps), triangles_(symmetric)
  {
  }
  ~FactorSolver() override;

  struct _MatOps of_petsc; // the factor's methods without ours

  /// The symbolic phase is done, with these permutations: another pattern.
  PetscErrorCode AfterSymbolic(IS rows, IS columns);

  /// The numeric phase is done.
  void AfterNumeric();

  /// By the layouts or by PETSc.
  PetscErrorCode Solve(Mat factor, Vec b, Vec x);

private:
  PetscErrorCode Prepare(Mat factor, bool *made);
  bool PrepareTriangles(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja, const PetscScalar *values);
  PetscErrorCode SolveByLayouts(Mat factor, Vec b, Vec x);
  void           Run(const PetscScalar *b, PetscScalar *x) const;
  void           FreeRest() override;

  bool               symmetric_;
  MatSpMVSweeps      sweeps_;
  OwnBytes           own_;
  IS                 rows_ = NULL, columns_ = NULL; // null: in natural order
  FactorTriangles    triangles_;
  Array<PetscScalar> permuted_;
};

} // namespace petscspmv
