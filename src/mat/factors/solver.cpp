#include "mat/factors/solver.hpp"

#include "mat/exec/session.hpp"
#include "mat/report/statistics.hpp"
#include "petsc/guard.hpp"

#include <cstddef>

namespace petscspmv {

namespace {

/// Keeps a permutation unless it is the natural order. ISIdentity() may be wrong: MatReorderForNonzeroDiagonal() writes into arrays
/// of what was the identity when that was asked first.
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

void FactorSolver::FreeRest()
{
  triangles_ = FactorTriangles(symmetric_);
  permuted_.Allocate(0);
  own_.Set(0);
}

PetscErrorCode FactorSolver::AfterSymbolic(IS rows, IS columns)
{
  const Locked alone(Lock());

  PetscFunctionBegin;
  NewPattern();
  PetscCall(TakePermutation(rows, &rows_));
  PetscCall(TakePermutation(columns, &columns_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void FactorSolver::AfterNumeric()
{
  const Locked alone(Lock());
  NewValues();
}

bool FactorSolver::PrepareTriangles(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja,
                                    const PetscScalar *values)
{
  if (HasLayouts()) triangles_.TakeValues(values);
  else if (!triangles_.Find(rows, nonzeros, ia, ja, values)) return false;
  if (!Make(triangles_.Lower(), nullptr) || !Make(triangles_.Upper(), triangles_.Inverse())) return false;
  if ((rows_ || columns_) && permuted_.size() == 0) permuted_.Allocate(static_cast<std::size_t>(rows));
  return true;
}

PetscErrorCode FactorSolver::Prepare(Mat factor, bool *made)
{
  const PetscInt *ia, *ja;
  PetscInt        rows;
  PetscBool       done;
  MatInfo         info;
  PetscScalar    *values;

  PetscFunctionBegin;
  *made = IsCurrent();
  if (*made) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(factor, MAT_LOCAL, &info));
  PetscCall(MatGetRowIJ(factor, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
  PetscCall(symmetric_ ? MatSeqSBAIJGetArray(factor, &values) : MatSeqAIJGetArray(factor, &values));
  own_.Set(info.nz_used * static_cast<double>(sizeof(PetscScalar) + sizeof(PetscInt)));
  PetscCall(Try(
    factor, [&] { return done && PrepareTriangles(rows, static_cast<PetscInt>(info.nz_used), ia, ja, values); }, made));
  PetscCall(symmetric_ ? MatSeqSBAIJRestoreArray(factor, &values) : MatSeqAIJRestoreArray(factor, &values));
  PetscCall(MatRestoreRowIJ(factor, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void FactorSolver::Run(const PetscScalar *b, PetscScalar *x) const
{
  RunLower({.kind = SweepKind::Solve, .b = b, .x = x});
  RunUpper({.kind = symmetric_ ? SweepKind::Start : SweepKind::Scaled, .b = x, .x = x});
}

PetscErrorCode FactorSolver::SolveByLayouts(Mat factor, Vec b, Vec x)
{
  const PetscScalar *from;
  PetscScalar       *to;
  MatInfo            info;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArrayWrite(x, &to));
  if (permuted_.size() == 0) {
    Run(from, to);
  } else {
    const PetscInt    *row = NULL, *column = NULL;
    PetscScalar *const in = permuted_.data();
    const PetscInt     n  = static_cast<PetscInt>(permuted_.size());
    if (rows_) PetscCall(ISGetIndices(rows_, &row));
    if (columns_) PetscCall(ISGetIndices(columns_, &column));
    for (PetscInt i = 0; i < n; ++i) in[i] = from[row ? row[i] : i];
    Run(in, in);
    for (PetscInt i = 0; i < n; ++i) to[column ? column[i] : i] = in[i];
    if (columns_) PetscCall(ISRestoreIndices(columns_, &column));
    if (rows_) PetscCall(ISRestoreIndices(rows_, &row));
  }
  PetscCall(VecRestoreArrayWrite(x, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscCall(MatGetInfo(factor, MAT_LOCAL, &info));
  const PetscLogDouble rows = factor->rmap->n;
  PetscCall(PetscLogFlops(symmetric_ ? 4 * info.nz_used - 3 * rows : 2 * info.nz_used - rows)); // as PETSc counts them
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FactorSolver::Solve(Mat factor, Vec b, Vec x)
{
  PetscFunctionBegin;
  const auto make = [&](bool *made) { return Prepare(factor, made); };
  const auto ours = [&] {
    AddCount(Count::Solve);
    return SolveByLayouts(factor, b, x);
  };
  const auto petscs = [&] {
    AddCount(Count::SolveByAij);
    return (*of_petsc.solve)(factor, b, x);
  };
  PetscCall(Apply(sweeps_, factor->rmap->n, 2, make, ours, petscs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
