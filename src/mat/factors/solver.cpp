#include "mat/factors/solver.hpp"

#include "mat/exec/session.hpp"
#include "mat/exec/settings.hpp"
#include "mat/tuning/choose_target.hpp"
#include "petsc/guard.hpp"

#include <cstddef>
#include <new>

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

void FactorSolver::Free()
{
  triangles_ = FactorTriangles(symmetric_);
  lower_     = PetscTriangle();
  upper_     = PetscTriangle();
  permuted_.Allocate(0);
  own_.Set(0);
  current_ = false;
}

PetscErrorCode FactorSolver::NewPattern(IS rows, IS columns)
{
  const Locked alone(Lock());

  PetscFunctionBegin;
  choice_.NewPattern();
  Free();
  PetscCall(TakePermutation(rows, &rows_));
  PetscCall(TakePermutation(columns, &columns_));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void FactorSolver::NewValues()
{
  const Locked alone(Lock());
  choice_.NewValues();
  current_ = false;
}

bool FactorSolver::MakeLayouts(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja, const PetscScalar *values)
{
  if (lower_ && upper_) {
    triangles_.TakeValues(values);
    lower_.Refresh(execution_, triangles_.Lower());
    upper_.Refresh(execution_, triangles_.Upper());
  } else {
    Free();
    if (!triangles_.Find(rows, nonzeros, ia, ja, values) || !MakeTriangle(execution_, triangles_.Lower(), sweeps_, lower_) ||
        !MakeTriangle(execution_, triangles_.Upper(), sweeps_, upper_))
      return false;
    if (rows_ || columns_) permuted_.Allocate(static_cast<std::size_t>(rows));
  }
  upper_.SetDiagonal(triangles_.Inverse());
  return true;
}

PetscErrorCode FactorSolver::Make(Mat factor, bool *made)
{
  const PetscInt *ia, *ja;
  PetscInt        rows;
  PetscBool       done;
  MatInfo         info;
  PetscScalar    *values;

  PetscFunctionBegin;
  *made = false;
  PetscCall(NeedTarget());
  execution_ = CurrentExecution();
  PetscCall(MatGetInfo(factor, MAT_LOCAL, &info));
  PetscCall(MatGetRowIJ(factor, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
  PetscCall(symmetric_ ? MatSeqSBAIJGetArray(factor, &values) : MatSeqAIJGetArray(factor, &values));
  own_.Set(info.nz_used * static_cast<double>(sizeof(PetscScalar) + sizeof(PetscInt)));
  try {
    const MakingLayout making;
    *made = done && MakeLayouts(rows, static_cast<PetscInt>(info.nz_used), ia, ja, values);
  } catch (const std::bad_alloc &) {
    PetscCall(PetscInfo(factor, "no memory for layouts of the factor, solving by PETSc's loops\n"));
  }
  PetscCall(symmetric_ ? MatSeqSBAIJRestoreArray(factor, &values) : MatSeqAIJRestoreArray(factor, &values));
  PetscCall(MatRestoreRowIJ(factor, 0, PETSC_FALSE, PETSC_FALSE, &rows, &ia, &ja, &done));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FactorSolver::Begin(Mat factor, bool *by_layout)
{
  const Locked alone(Lock());

  PetscFunctionBegin;
  *by_layout = sweeps_ == MAT_SPMV_SWEEPS_LAYOUT || choice_.WantsLayout();
  if (!*by_layout) {
    Free();
  } else if (!current_) {
    PetscCall(Make(factor, by_layout));
    current_ = *by_layout;
    if (!current_) {
      choice_.Refuse();
      Free();
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void FactorSolver::Run(const PetscScalar *b, PetscScalar *x) const
{
  lower_.Run(execution_, {.kind = SweepKind::Solve, .b = b, .x = x});
  upper_.Run(execution_, {.kind = symmetric_ ? SweepKind::Start : SweepKind::Scaled, .b = x, .x = x});
}

PetscErrorCode FactorSolver::Solve(Mat factor, Vec b, Vec x)
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

void FactorSolver::End(bool by_layout, double seconds)
{
  const Locked alone(Lock());
  if (by_layout) choice_.AddLayout(seconds, 2);
  else choice_.AddAij(seconds, 2);
}

} // namespace petscspmv
