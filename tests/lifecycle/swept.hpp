// Relaxations and solves with factors by layouts of the triangles, beside products.
#pragma once

#include "support/petsc_test.hpp"

#include <deque>
#include <petscpc.h>

namespace petscspmv::test {

struct OwnedPC {
  PC pc                               = nullptr;
  OwnedPC()                           = default;
  OwnedPC(const OwnedPC &)            = delete;
  OwnedPC &operator=(const OwnedPC &) = delete;
  ~OwnedPC() { PCDestroy(&pc); }
      operator PC() const { return pc; }
  PC *operator&() { return &pc; }
};

/// Whether options make layouts of triangles or the plain loop do all sweeps, of csr5 and so of all types.
inline bool SweepsAreOurs()
{
  char      by[8] = "";
  PetscBool set   = PETSC_FALSE;
  PetscOptionsGetString(NULL, NULL, "-mat_csr5_sweeps", by, sizeof(by), &set);
  return set && (std::string(by) == "layout" || std::string(by) == "plain");
}

/// Whether each diagonal entry of a square matrix exceeds the other entries of its row, of its column, and of both above the
/// diagonal: then relaxations and factors, complete and incomplete, symmetric or not, are stable. Collective.
inline PetscErrorCode IsDominant(Mat A, bool *dominant)
{
  PetscBool              square;
  PetscInt               begin, end, rows;
  std::vector<PetscReal> sums; // of each row, column, and of both above the diagonal; and the diagonal

  PetscFunctionBegin;
  *dominant = false;
  PetscCall(MatHasCongruentLayouts(A, &square));
  if (!square) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  PetscCall(MatGetSize(A, &rows, NULL));
  sums.resize(static_cast<std::size_t>(4 * rows));
  const auto at = [&](int which, PetscInt row) -> PetscReal & { return sums[static_cast<std::size_t>(which * rows + row)]; };
  for (PetscInt row = begin; row < end; ++row) {
    PetscInt           length;
    const PetscInt    *columns;
    const PetscScalar *values;
    PetscCall(MatGetRow(A, row, &length, &columns, &values));
    for (PetscInt k = 0; k < length; ++k) {
      const PetscReal size = PetscAbsScalar(values[k]);
      if (columns[k] == row) {
        at(3, row) = size;
        continue;
      }
      at(0, row) += size;
      at(1, columns[k]) += size;
      if (columns[k] < row) continue;
      at(2, row) += size;
      at(2, columns[k]) += size;
    }
    PetscCall(MatRestoreRow(A, row, &length, &columns, &values));
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<PetscMPIInt>(4 * rows), MPIU_REAL, MPIU_SUM,
                             PetscObjectComm((PetscObject)A)));
  *dominant = rows > 0;
  for (PetscInt row = 0; row < rows; ++row) {
    for (const int which : {0, 1, 2}) *dominant = *dominant && at(3, row) > at(which, row) && at(3, row) < PETSC_MAX_REAL;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Relaxes in all ways: by nodes too, where there are some, with zero and other guesses, in both directions.
inline PetscErrorCode Relax(Mat A, std::deque<OwnedVec> &results)
{
  OwnedVec b;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, NULL, &b));
  PetscCall(FillVec(b, 5));
  for (const int sweep : {SOR_LOCAL_FORWARD_SWEEP, SOR_LOCAL_BACKWARD_SWEEP, SOR_LOCAL_SYMMETRIC_SWEEP}) {
    for (const int guess : {0, static_cast<int>(SOR_ZERO_INITIAL_GUESS)}) {
      for (const PetscReal omega : {1., 1.2}) {
        Vec *const x = &results.emplace_back();
        PetscCall(VecDuplicate(b, x));
        PetscCall(FillVec(*x, 6));
        PetscCall(MatSOR(A, b, omega, static_cast<MatSORType>(sweep | guess), 0, 2, 1, *x));
      }
    }
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Applies a preconditioner and its transpose.
inline PetscErrorCode Precondition(PC pc, std::deque<OwnedVec> &results)
{
  Mat      A;
  OwnedVec b;

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, &A, NULL));
  PetscCall(MatCreateVecs(A, NULL, &b));
  PetscCall(FillVec(b, 7));
  for (const auto apply : {PCApply, PCApplyTranspose}) {
    Vec *const x = &results.emplace_back();
    PetscCall(VecDuplicate(b, x));
    PetscCall(apply(pc, b, *x));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The largest difference of two lists of vectors, relative to the largest entry. Collective.
inline PetscErrorCode LargestDifference(const std::deque<OwnedVec> &results, const std::deque<OwnedVec> &of_aij, PetscReal *largest)
{
  PetscFunctionBegin;
  *largest = results.size() == of_aij.size() ? 0 : PETSC_INFINITY;
  for (std::size_t k = 0; k < results.size() && k < of_aij.size(); ++k) {
    PetscReal difference, norm, own;
    PetscCall(VecNorm(of_aij[k], NORM_INFINITY, &norm));
    PetscCall(VecNorm(results[k], NORM_INFINITY, &own));
    if (PetscIsInfOrNanReal(norm) && PetscIsInfOrNanReal(own)) continue; // a diagonal entry and a shift may cancel each other
    PetscCall(VecAXPY(results[k], -1, of_aij[k]));
    PetscCall(VecNorm(results[k], NORM_INFINITY, &difference));
    if (!(difference <= *largest * norm)) *largest = norm > 0 ? difference / norm : PETSC_INFINITY;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// How much relaxations with A differ from those with a plain copy of R, whose inverted diagonals are new; 0 if A is not of our
/// types or not dominant, or if PETSc would relax. Collective.
inline PetscErrorCode SweptDifference(Mat A, Mat R, PetscReal *difference)
{
  bool                 dominant;
  PetscBool            aij, plain;
  OwnedMat             fresh;
  std::deque<OwnedVec> results, of_aij;

  PetscFunctionBegin;
  *difference = 0;
  PetscCall(PetscObjectBaseTypeCompareAny((PetscObject)A, &aij, MATSEQAIJ, MATMPIAIJ, ""));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)A, &plain, MATSEQAIJ, MATMPIAIJ, ""));
  if (!SweepsAreOurs() || !aij || plain) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(IsDominant(R, &dominant));
  if (!dominant) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatConvert(R, MATAIJ, MAT_INITIAL_MATRIX, &fresh));
  PetscCall(Relax(A, results));
  PetscCall(Relax(fresh, of_aij));
  PetscCall(LargestDifference(results, of_aij, difference));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Relaxations with A, by layouts, give what they give with AIJ.
#define EXPECT_SAME_SWEEPS(A, R)                                                                                                   \
  do {                                                                                                                             \
    PetscReal swept = -1;                                                                                                          \
    OK(::petscspmv::test::SweptDifference(A, R, &swept));                                                                          \
    EXPECT_TRUE(swept >= 0 && swept <= 100 * kTolerance) << "sweeps with " #A " against " #R ": " << swept;                        \
  } while (0)

} // namespace petscspmv::test
