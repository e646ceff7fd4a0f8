// What is kept with a factor: PETSc's own methods, and layouts of its triangles, or what the plain loop needs.
#pragma once

#include "mat/exec/memory_use.hpp"
#include "mat/factors/factor_pair.hpp"
#include "petsc/compat.hpp"

namespace petscspmv {

/// A solve for x with a factor or its transpose. If y is not null, it is added to the solution.
struct VectorSolve {
  bool transposed = false;
  Vec  b, y = NULL, x;
};

class FactorSolver {
public:
  FactorSolver(const struct _MatOps &of_factor, bool symmetric, MatSpMVSweeps sweeps) :
    of_petsc(of_factor), is_symmetric(symmetric), sweeps_(sweeps), pair_(symmetric, false), transposed_(symmetric, true)
  {
  }
  ~FactorSolver();
  FactorSolver(const FactorSolver &)            = delete;
  FactorSolver &operator=(const FactorSolver &) = delete;

  struct _MatOps of_petsc; // the factor's methods without ours
  const bool     is_symmetric;

  /// Call after the symbolic phase, which may change the pattern, with the permutations of that phase.
  PetscErrorCode NewPattern(IS rows, IS columns);

  /// Call after the numeric phase.
  PetscErrorCode NewValues(Mat factor);

  /// Solve by layouts, by the plain loop or by PETSc's methods, whichever the choice selects.
  PetscErrorCode Solve(Mat factor, const VectorSolve &solve);
  PetscErrorCode SolveMany(Mat factor, bool transposed, Mat B, Mat X);
  PetscErrorCode SolveHalf(Mat factor, bool backward, Vec b, Vec x);

private:
  enum class Kind; // of solves that read and write alike

  /// Calls f(in, out) with the permutations of b and x; null: in natural order.
  template <class F>
  PetscErrorCode InOrder(bool transposed, const F &f) const;

  PetscErrorCode LogFlops(Mat factor, bool symmetric, double solves) const;
  PetscErrorCode SolveByOurs(FactorPair &pair, Mat factor, const VectorSolve &solve);
  PetscErrorCode SolveManyByOurs(FactorPair &pair, Mat factor, bool transposed, Mat B, Mat X);
  PetscErrorCode SolveHalfByOurs(Mat factor, bool backward, Vec b, Vec x);

  /// Solves with a pair of triangles, by ours() or petscs().
  template <class Ours, class Petscs>
  PetscErrorCode Apply(FactorPair &pair, Mat factor, Kind kind, FactorPair::Needs needs, double triangles, const Ours &ours,
                       const Petscs &petscs);

  MatSpMVSweeps sweeps_;
  OwnBytes      own_;
  double        nonzeros_ = 0;                 // of the factor, since the last NewValues()
  IS            rows_ = NULL, columns_ = NULL; // null: in natural order
  FactorPair    pair_, transposed_;
};

} // namespace petscspmv
