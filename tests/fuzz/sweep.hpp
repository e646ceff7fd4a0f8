// Relaxations and solves with factors of the fuzz test, beside its products.
#pragma once

#include "fuzz/operations.hpp"

#include <petsc/private/petscimpl.h>

#include <string>

namespace petscspmv::test {

inline PetscErrorCode PatternOf(Mat M, Pattern *pattern)
{
  PetscInt begin, end;

  PetscFunctionBegin;
  pattern->digest = 0;
  PetscCall(MatGetNonzeroState(M, &pattern->state));
  PetscCall(MatGetOwnershipRange(M, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    PetscInt        length;
    const PetscInt *columns;
    PetscCall(MatGetRow(M, row, &length, &columns, NULL));
    for (PetscInt k = 0; k < length; ++k) pattern->digest = pattern->digest * 1000003 + static_cast<std::uint64_t>(columns[k]);
    PetscCall(MatRestoreRow(M, row, &length, &columns, NULL));
    pattern->digest = pattern->digest * 1000003 + static_cast<std::uint64_t>(length);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether a preconditioner may go on with M: it is that matrix, of that size, and another pattern has a greater state, by which
/// PETSc knows it. After another matrix's header has taken the place of its own, as in a transpose, it may have the same state or a
/// lesser one.
inline PetscErrorCode GoesOn(PC pc, Mat M, const Pattern &before, const Pattern &now, bool *goes_on)
{
  Mat      of;
  PetscInt sizes[4];

  PetscFunctionBegin;
  PetscCall(PCGetOperators(pc, &of, NULL));
  PetscCall(MatGetSize(M, &sizes[0], NULL));
  PetscCall(MatGetLocalSize(M, &sizes[1], NULL));
  PetscCall(MatGetSize(of, &sizes[2], NULL));
  PetscCall(MatGetLocalSize(of, &sizes[3], NULL));
  int same = of == M && sizes[0] == sizes[2] && sizes[1] == sizes[3] && (before.digest == now.digest || before.state < now.state);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
  *goes_on = same;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The preconditioner that a matrix has had so far, for what the matrix is now; another one if it is drawn, or if it cannot go on.
/// None is LU, since PETSc's numeric LU by inodes gives Inf after some changes, with AIJ's own loops as well.
inline PetscErrorCode UpdatePC(Subject &s, Draw &draw)
{
  const PCType     alone[] = {PCILU, PCICC};
  bool             goes_on = draw(4) > 0;
  const int        kind    = draw(2);
  const Mat        M       = s.M;
  Pattern          now;
  std::vector<Mat> blocks;
  OwnedVec         diagonal;
  PetscReal        least;

  PetscFunctionBegin;
  if (!goes_on) s.pc_kind = kind;
  PetscCall(MatCreateVecs(M, NULL, &diagonal));
  PetscCall(MatGetDiagonal(M, diagonal));
  PetscCall(VecMin(diagonal, NULL, &least));
  if (std::string(alone[s.pc_kind]) == PCICC && least <= 0) { // PETSc's shifts may go on for ever
    s.pc_kind = 0;
    goes_on   = false;
  }
  PetscCall(PatternOf(M, &now));
  if (s.pc && goes_on) PetscCall(GoesOn(s.pc, M, s.pc_pattern, now, &goes_on));
  if (!goes_on) PetscCall(PCDestroy(&s.pc));
  s.pc_pattern = now;
  if (!s.pc) {
    PetscCall(PCCreate(PETSC_COMM_WORLD, &s.pc));
    PetscCall(PCSetType(s.pc, Processes() > 1 ? PCBJACOBI : alone[s.pc_kind]));
  }
  PetscCall(Blocks(M, blocks));
  blocks.push_back(M);
  for (const Mat each : blocks) { // AIJ sometimes changes values without a new state
    if (s.type == "aij") PetscCall(PetscObjectStateIncrease((PetscObject)each));
  }
  PetscCall(PCSetOperators(s.pc, M, M));
  PetscCall(PCSetUp(s.pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A few relaxations, drawn for all matrices alike, and the preconditioner. The twin is copied, since AIJ keeps inverted diagonals
/// where values change without a new state.
inline PetscErrorCode Sweep(Subject &s, Draw draw, std::deque<OwnedVec> &results)
{
  const int kinds[] = {SOR_LOCAL_FORWARD_SWEEP, SOR_LOCAL_BACKWARD_SWEEP, SOR_LOCAL_SYMMETRIC_SWEEP};
  OwnedVec  b;
  OwnedMat  copy;
  Mat       M = s.M;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(MatNorm(M, NORM_INFINITY, &norm));
  if (s.type == "aij") {
    PetscCall(MatDuplicate(s.M, MAT_COPY_VALUES, &copy)); // which uses nodes as the twin does
    M = copy;
  }
  PetscCall(MatSpMVSetSweeps(M, draw(3) ? MAT_SPMV_SWEEPS_LAYOUT : MAT_SPMV_SWEEPS_PLAIN));
  PetscCall(MatCreateVecs(M, NULL, &b));
  PetscCall(FillVec(b, draw.Seed()));
  for (int k = 0; k < 3; ++k) {
    const int       flag  = kinds[draw(3)] | (draw(2) ? SOR_ZERO_INITIAL_GUESS : 0);
    const PetscReal omega = draw(2) ? 1 : 1.25, shift = draw(3) ? 0 : 0.5;
    const PetscInt  its = 1 + draw(2), lits = 1 + draw(2);
    Vec *const      x = &results.emplace_back();
    PetscCall(VecDuplicate(b, x));
    PetscCall(FillVec(*x, draw.Seed()));
    PetscCall(VecScale(*x, 1 / norm)); // of the size of a solution, which rounding errors of the guess are compared with
    PetscCall(MatSOR(M, b, omega, static_cast<MatSORType>(flag), shift, its, lits, *x));
  }
  PetscCall(UpdatePC(s, draw));
  PetscCall(Precondition(s.pc, results));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::test
