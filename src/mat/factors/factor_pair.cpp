#include "mat/factors/factor_pair.hpp"

#include <cstddef>

namespace petscspmv {

void FactorPair::FreeRest()
{
  triangles_ = FactorTriangles(triangles_.IsSymmetric());
  work_.Allocate(0);
  roots_.Allocate(0);
}

bool FactorPair::PrepareTriangles(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja,
                                  const PetscScalar *values)
{
  if (!HasValues()) roots_.Allocate(0);
  if (!triangles_.IsFound() && !triangles_.Find(rows, nonzeros, ia, ja)) return false;
  triangles_.Lend(ja, values);
  if (!HasValues()) triangles_.TakeInverse(values);
  const PetscScalar *const inverse = triangles_.Inverse();
  if (transposed_) return Make(triangles_.TransposedUpper(), inverse) && Make(triangles_.TransposedLower(), nullptr);
  return Make(triangles_.Lower(), nullptr) && Make(triangles_.Upper(), inverse);
}

/// Finds the square roots of D^-1. For solves by halves PETSc requires them to be real, and so do layouts.
void FactorPair::FindRoots(std::size_t rows)
{
  roots_.Allocate(rows);
  has_roots_ = false;
  for (std::size_t i = 0; i < rows; ++i) {
    const PetscScalar inverse = triangles_.Inverse()[i];
    if (PetscImaginaryPart(inverse) != 0 || !(PetscRealPart(inverse) >= 0)) return;
    roots_[i] = PetscSqrtReal(PetscRealPart(inverse));
  }
  has_roots_ = true;
}

PetscErrorCode FactorPair::Prepare(Mat factor, const Needs &needs, Outcome *outcome)
{
  const PetscInt *ia, *ja;
  PetscBool       done = PETSC_TRUE;
  PetscInt        n    = factor->rmap->n;
  MatInfo         info;
  PetscScalar    *values;
  const auto      rows      = static_cast<std::size_t>(n);
  const bool      symmetric = triangles_.IsSymmetric(), current = IsCurrent();

  PetscFunctionBegin;
  *outcome = Outcome::Made;
  if (current && work_.size() >= (needs.work ? rows : 0) && roots_.size() >= (needs.roots ? rows : 0))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetInfo(factor, MAT_LOCAL, &info));
  if (symmetric) {
    PetscCall(MatGetRowIJ(factor, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
    PetscCall(MatSeqSBAIJGetArray(factor, &values));
  } else { // factors with inodes have no MatGetRowIJ()
    PetscCall(MatSeqAIJGetCSRAndMemType(factor, &ia, &ja, &values, NULL));
  }
  const auto make = [&] {
    if (!current && (!done || !PrepareTriangles(n, static_cast<PetscInt>(info.nz_used), ia, ja, values))) return Outcome::Never;
    if (needs.work && work_.size() == 0) work_.Allocate(rows);
    if (needs.roots && roots_.size() == 0) FindRoots(rows);
    return Outcome::Made;
  };
  PetscCall(Try(factor, make, outcome));
  if (symmetric) {
    PetscCall(MatSeqSBAIJRestoreArray(factor, &values));
    PetscCall(MatRestoreRowIJ(factor, 0, PETSC_FALSE, PETSC_FALSE, &n, &ia, &ja, &done));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

void FactorPair::Run(const PetscScalar *b, PetscScalar *x) const
{
  const bool symmetric = triangles_.IsSymmetric();
  RunLower({.kind = transposed_ ? SweepKind::Scaled : SweepKind::Solve, .b = b, .x = x});
  RunUpper({.kind = transposed_ ? SweepKind::Solve : symmetric ? SweepKind::Start : SweepKind::Scaled, .b = x, .x = x});
}

void FactorPair::Solve(const PetscInt *in, const PetscInt *out, bool add, const PetscScalar *b, PetscScalar *x)
{
  if (!in && !out && !add) return Run(b, x);
  PetscScalar *const work = work_.data();
  const auto         rows = static_cast<PetscInt>(work_.size());
  for (PetscInt i = 0; i < rows; ++i) work[i] = b[in ? in[i] : i];
  Run(work, work);
  for (PetscInt i = 0; i < rows; ++i) {
    PetscScalar &to = x[out ? out[i] : i];
    to              = add ? to + work[i] : work[i];
  }
}

void FactorPair::SolveForward(const PetscInt *in, const PetscScalar *b, PetscScalar *x)
{
  for (std::size_t i = 0; i < work_.size(); ++i) work_[i] = b[in ? static_cast<std::size_t>(in[i]) : i];
  RunLower({.kind = SweepKind::Solve, .b = work_.data(), .x = x});
  for (std::size_t i = 0; i < work_.size(); ++i) x[i] *= roots_[i];
}

void FactorPair::SolveBackward(const PetscInt *out, const PetscScalar *b, PetscScalar *x)
{
  for (std::size_t i = 0; i < work_.size(); ++i) work_[i] = b[i] * roots_[i];
  RunUpper({.kind = SweepKind::Solve, .b = work_.data(), .x = work_.data()});
  for (std::size_t i = 0; i < work_.size(); ++i) x[out ? static_cast<std::size_t>(out[i]) : i] = work_[i];
}

} // namespace petscspmv
