#include "mat/factors/solver.hpp"

#include "mat/exec/session.hpp"
#include "mat/layout/nodes.hpp"
#include "mat/report/flops.hpp"
#include "petsc/guard.hpp"

#include <cstddef>

namespace petscspmv {

namespace {

/// Keeps a permutation unless it is the natural order. ISIdentity() may return a stale answer: MatReorderForNonzeroDiagonal()
/// writes into the arrays of an IS that was found to be the identity before.
PetscErrorCode TakePermutation(IS permutation, IS *kept)
{
  bool natural = true;

  PetscFunctionBegin;
  if (permutation) {
    const PetscInt *index;
    PetscInt        n;
    PetscCall(ISGetLocalSize(permutation, &n));
    PetscCall(ISGetIndices(permutation, &index));
    for (PetscInt i = 0; i < n; ++i) natural = natural && index[i] == i;
    PetscCall(ISRestoreIndices(permutation, &index));
  }
  if (!natural) PetscCall(PetscObjectReference((PetscObject)permutation));
  PetscCall(ISDestroy(kept));
  if (!natural) *kept = permutation;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

FactorSolver::~FactorSolver()
{
  static_cast<void>(ISDestroy(&rows_));
  static_cast<void>(ISDestroy(&columns_));
}

PetscErrorCode FactorSolver::NewPattern(IS rows, IS columns)
{
  const Locked alone(Lock());

  PetscFunctionBegin;
  pair_.NewPattern();
  transposed_.NewPattern();
  PetscCall(TakePermutation(rows, &rows_));
  PetscCall(TakePermutation(columns, &columns_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FactorSolver::NewValues(Mat factor)
{
  const Locked alone(Lock());
  Nodes        nodes;
  MatInfo      info;

  PetscFunctionBegin;
  pair_.NewValues();
  transposed_.NewValues();
  PetscCall(MatGetInfo(factor, MAT_LOCAL, &info));
  nonzeros_ = info.nz_used;
  if (!is_symmetric && factor->assembled) PetscCall(nodes.Take(factor));
  pair_.SetNodes(nodes.count > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <class F>
PetscErrorCode FactorSolver::InOrder(bool transposed, const F &f) const
{
  const IS        from = transposed ? columns_ : rows_, to = transposed ? rows_ : columns_;
  const PetscInt *in = NULL, *out = NULL;

  PetscFunctionBegin;
  if (from) PetscCall(ISGetIndices(from, &in));
  if (to) PetscCall(ISGetIndices(to, &out));
  f(in, out);
  if (to) PetscCall(ISRestoreIndices(to, &out));
  if (from) PetscCall(ISRestoreIndices(from, &in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Logs as many flops as PETSc's solves do.
PetscErrorCode FactorSolver::LogFlops(Mat factor, bool symmetric, double solves) const
{
  const auto rows = static_cast<PetscLogDouble>(factor->rmap->n);

  PetscFunctionBegin;
  PetscCall(AddFlops(solves * (symmetric ? 4 * nonzeros_ - 3 * rows : 2 * nonzeros_ - rows)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum class FactorSolver::Kind { Whole, Adding, Many, Forward, Backward };

template <class Ours, class Petscs>
PetscErrorCode FactorSolver::Apply(FactorPair &pair, Mat factor, Kind kind, FactorPair::Needs needs, double triangles,
                                   const Ours &ours, const Petscs &petscs)
{
  PetscFunctionBegin;
  const auto make = [&](Outcome *outcome) {
    PetscFunctionBegin;
    own_.Set(nonzeros_ * static_cast<double>(sizeof(PetscScalar) + sizeof(PetscInt)));
    PetscCall(pair.Prepare(factor, {.work = needs.work || rows_ || columns_, .roots = needs.roots}, outcome));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  const bool shared = !needs.work && !needs.roots && !rows_ && !columns_; // no buffer is used
  PetscCall(pair.Apply({.by        = sweeps_,
                        .rows      = factor->rmap->n,
                        .entries   = is_symmetric ? nonzeros_ : 0.5 * nonzeros_,
                        .triangles = triangles,
                        .as        = Sweeping::Solve,
                        .kind      = static_cast<std::size_t>(kind),
                        .shared    = shared},
                       make, ours, petscs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FactorSolver::SolveByOurs(FactorPair &pair, Mat factor, const VectorSolve &solve)
{
  const PetscScalar *from;
  PetscScalar       *to;

  PetscFunctionBegin;
  if (solve.y && solve.y != solve.x) PetscCall(VecCopy(solve.y, solve.x));
  PetscCall(VecGetArrayRead(solve.b, &from));
  PetscCall(solve.y ? VecGetArray(solve.x, &to) : VecGetArrayWrite(solve.x, &to));
  PetscCall(InOrder(solve.transposed, [&](const PetscInt *in, const PetscInt *out) { pair.Solve(in, out, solve.y, from, to); }));
  PetscCall(solve.y ? VecRestoreArray(solve.x, &to) : VecRestoreArrayWrite(solve.x, &to));
  PetscCall(VecRestoreArrayRead(solve.b, &from));
  PetscCall(LogFlops(factor, is_symmetric, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FactorSolver::Solve(Mat factor, const VectorSolve &solve)
{
  FactorPair &pair = solve.transposed ? transposed_ : pair_;

  PetscFunctionBegin;
  const auto ours   = [&] { return SolveByOurs(pair, factor, solve); };
  const auto petscs = [&] {
    if (!solve.y) return (*(solve.transposed ? of_petsc.solvetranspose : of_petsc.solve))(factor, solve.b, solve.x);
    return (*(solve.transposed ? of_petsc.solvetransposeadd : of_petsc.solveadd))(factor, solve.b, solve.y, solve.x);
  };
  PetscCall(Apply(pair, factor, solve.y ? Kind::Adding : Kind::Whole, {.work = solve.y != NULL}, 2, ours, petscs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FactorSolver::SolveManyByOurs(FactorPair &pair, Mat factor, bool transposed, Mat B, Mat X)
{
  const PetscScalar *from;
  PetscScalar       *to;
  PetscInt           columns, lda_from, lda_to;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B, NULL, &columns));
  PetscCall(MatDenseGetLDA(B, &lda_from));
  PetscCall(MatDenseGetLDA(X, &lda_to));
  PetscCall(MatDenseGetArrayRead(B, &from));
  PetscCall(MatDenseGetArray(X, &to));
  PetscCall(InOrder(transposed, [&](const PetscInt *in, const PetscInt *out) {
    for (std::ptrdiff_t k = 0; k < columns; ++k) pair.Solve(in, out, false, from + k * lda_from, to + k * lda_to);
  }));
  PetscCall(MatDenseRestoreArray(X, &to));
  PetscCall(MatDenseRestoreArrayRead(B, &from));
  PetscCall(LogFlops(factor, is_symmetric, static_cast<double>(columns)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FactorSolver::SolveMany(Mat factor, bool transposed, Mat B, Mat X)
{
  FactorPair &pair = transposed ? transposed_ : pair_;
  PetscInt    columns;
  PetscBool   dense, from_dense;

  PetscFunctionBegin;
  PetscCall(MatGetSize(B, NULL, &columns));
  PetscCall(PetscObjectTypeCompare((PetscObject)B, MATSEQDENSE, &from_dense));
  PetscCall(PetscObjectTypeCompare((PetscObject)X, MATSEQDENSE, &dense));
  const auto ours   = [&] { return SolveManyByOurs(pair, factor, transposed, B, X); };
  const auto petscs = [&] { return (*(transposed ? of_petsc.matsolvetranspose : of_petsc.matsolve))(factor, B, X); };
  if (columns == 0 || !dense || !from_dense) PetscCall(petscs());
  else PetscCall(Apply(pair, factor, Kind::Many, {}, 2 * static_cast<double>(columns), ours, petscs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FactorSolver::SolveHalfByOurs(Mat factor, bool backward, Vec b, Vec x)
{
  const PetscScalar *from;
  PetscScalar       *to;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArrayWrite(x, &to));
  PetscCall(InOrder(false, [&](const PetscInt *in, const PetscInt *out) {
    backward ? pair_.SolveBackward(out, from, to) : pair_.SolveForward(in, from, to);
  }));
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscCall(LogFlops(factor, false, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FactorSolver::SolveHalf(Mat factor, bool backward, Vec b, Vec x)
{
  PetscFunctionBegin;
  const auto petscs = [&] { return (*(backward ? of_petsc.backwardsolve : of_petsc.forwardsolve))(factor, b, x); };
  const auto ours   = [&] { // without real roots PETSc's method fails
    return pair_.HasRoots() ? SolveHalfByOurs(factor, backward, b, x) : petscs();
  };
  PetscCall(Apply(pair_, factor, backward ? Kind::Backward : Kind::Forward, {.work = true, .roots = true}, 1, ours, petscs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
