// Matrices to relax and to factor, and how results are compared with AIJ's.
#pragma once

#include "lifecycle/lifecycle.hpp"

#include <array>
#include <cstring>

namespace petscspmv::test {

/// How sweeps are done from the first one on, if not by AIJ's loop or with rounded values.
inline constexpr std::array kOurSweeps{MAT_SPMV_SWEEPS_LAYOUT, MAT_SPMV_SWEEPS_PLAIN};

/// The matrix with an entry in each row's diagonal that exceeds the sum of the others.
inline TestMatrix Dominant(const TestMatrix &a)
{
  TestMatrix b{a.name, a.rows, a.rows, {0}, {}, {}, {}};
  for (int row = 0; row < a.rows; ++row) {
    double sum = 1;
    bool   put = false;
    for (int k = a.row_ptr[static_cast<std::size_t>(row)]; k < a.row_ptr[static_cast<std::size_t>(row) + 1]; ++k) {
      const auto e = static_cast<std::size_t>(k);
      if (a.col_idx[e] != row && a.col_idx[e] < a.rows) sum += std::abs(a.real[e]) + std::abs(a.imag[e]);
    }
    const auto put_diagonal = [&] {
      b.col_idx.push_back(row);
      b.real.push_back(sum);
      b.imag.push_back(0.25);
      put = true;
    };
    for (int k = a.row_ptr[static_cast<std::size_t>(row)]; k < a.row_ptr[static_cast<std::size_t>(row) + 1]; ++k) {
      const auto e = static_cast<std::size_t>(k);
      if (a.col_idx[e] >= row && !put) put_diagonal();
      if (a.col_idx[e] == row || a.col_idx[e] >= a.rows) continue;
      b.col_idx.push_back(a.col_idx[e]);
      b.real.push_back(a.real[e]);
      b.imag.push_back(a.imag[e]);
    }
    if (!put) put_diagonal();
    b.row_ptr.push_back(b.nnz());
  }
  return b;
}

/// The five-point stencil on a square, of which a diagonal's rows are side by side.
inline TestMatrix Grid(int side)
{
  TestMatrix a{"grid", side * side, side * side, {0}, {}, {}, {}};
  for (int i = 0; i < a.rows; ++i) {
    for (const int j : {i - side, i - 1, i, i + 1, i + side}) {
      if (j < 0 || j >= a.cols || (j == i - 1 && i % side == 0) || (j == i + 1 && j % side == 0)) continue;
      a.col_idx.push_back(j);
      a.real.push_back(i == j ? 4.5 : -1 + 0.3 * std::sin(std::min(i, j)));
      a.imag.push_back(0);
    }
    a.row_ptr.push_back(a.nnz());
  }
  return a;
}

/// Nodes of so many rows, coupled to others on one side or on both.
inline TestMatrix OfNodes(const char *name, int nodes, int least, int most)
{
  std::vector<int> first{0};
  for (int k = 0; k < nodes; ++k) first.push_back(first.back() + least + (k * 7 + k / 5) % (most - least + 1));
  TestMatrix a{name, first.back(), first.back(), {0}, {}, {}, {}};
  for (int k = 0; k < nodes; ++k) {
    for (int row = first[static_cast<std::size_t>(k)]; row < first[static_cast<std::size_t>(k) + 1]; ++row) {
      for (const int of : {k - 31 - k % 3, k - 20, k - 1, k, k + 1, k + 20}) {
        if (of < 0 || of >= nodes || (of == k - 1 && k % 5) || (of == k + 1 && k % 4)) continue;
        for (int col = first[static_cast<std::size_t>(of)]; col < first[static_cast<std::size_t>(of) + 1]; ++col) {
          a.col_idx.push_back(col);
          a.real.push_back(col == row ? 45 : of == k ? 7 - 0.5 * (col % 3) : -1 - 0.1 * ((col * row) % 7));
          a.imag.push_back(0.1);
        }
      }
      a.row_ptr.push_back(a.nnz());
    }
  }
  return a;
}

/// Grids, bands, symmetric or not in their structure, long and short rows, nodes of several rows, nearly empty ones.
inline std::vector<TestMatrix> Matrices()
{
  std::vector<TestMatrix> all{Dominant(Banded(0, 0, 1)),
                              Dominant(Banded(1, 1, 1)),
                              Dominant(Banded(37, 37, 6, true)),
                              Dominant(Banded(1500, 1500, 30)),
                              Dominant(Banded(1500, 1500, 40, true)),
                              Dominant(FromRowLengths("no neighbours", 45, 45, [](int) { return 0; })),
                              Dominant(FromRowLengths("random", 400, 400, [](int i) { return i % 7; })),
                              Dominant(FromRowLengths("long rows", 300, 300, [](int i) { return i % 50 == 9 ? 200 : 3; }))};
  all.push_back(Grid(45));
  all.push_back(OfNodes("nodes", 200, 3, 3));
  all.push_back(OfNodes("nodes of all sizes", 250, 1, 5));
  return all;
}

inline PetscErrorCode RelativeDifference(Vec x, Vec y, PetscReal *difference)
{
  OwnedVec  d;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &d));
  PetscCall(VecCopy(x, d));
  PetscCall(VecAXPY(d, -1, y));
  PetscCall(VecNorm(d, NORM_INFINITY, difference));
  PetscCall(VecNorm(y, NORM_INFINITY, &norm));
  if (norm > 0) *difference /= norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define EXPECT_NEAR_VECTORS(x, y, most)                                                                                            \
  do {                                                                                                                             \
    PetscReal relative = -1;                                                                                                       \
    OK(RelativeDifference(x, y, &relative));                                                                                       \
    EXPECT_TRUE(relative >= 0 && relative <= (most)) << #x " against " #y ": " << relative;                                        \
  } while (0)

inline PetscErrorCode SameBits(Vec x, Vec y, bool *same)
{
  const PetscScalar *of_x, *of_y;
  PetscInt           n;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(x, &n));
  PetscCall(VecGetArrayRead(x, &of_x));
  PetscCall(VecGetArrayRead(y, &of_y));
  *same = std::memcmp(of_x, of_y, static_cast<std::size_t>(n) * sizeof(PetscScalar)) == 0;
  PetscCall(VecRestoreArrayRead(y, &of_y));
  PetscCall(VecRestoreArrayRead(x, &of_x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether PETSc's loops round products before they subtract them: with e of half the digits, (1 + e)^2 rounds to 1 + 2 e.
inline PetscErrorCode PetscRoundsProducts(bool *rounds)
{
  const PetscReal e = PetscSqrtReal(PETSC_MACHINE_EPSILON) / 4;
  OwnedMat        A;
  OwnedVec        b, x;
  PetscScalar     last;
  const PetscInt  row = 1;

  PetscFunctionBegin;
  PetscCall(MatCreateSeqAIJ(PETSC_COMM_SELF, 2, 2, 2, NULL, &A));
  PetscCall(MatSetOption(A, MAT_USE_INODES, PETSC_FALSE));
  PetscCall(MatSetValue(A, 0, 0, 1, INSERT_VALUES));
  PetscCall(MatSetValue(A, 1, 0, 1 + e, INSERT_VALUES));
  PetscCall(MatSetValue(A, 1, 1, 1, INSERT_VALUES));
  PetscCall(Assemble(A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSetValue(b, 0, 1 + e, INSERT_VALUES));
  PetscCall(VecSetValue(b, 1, 1 + 2 * e, INSERT_VALUES));
  PetscCall(VecAssemblyBegin(b));
  PetscCall(VecAssemblyEnd(b));
  PetscCall(MatSOR(A, b, 1, static_cast<MatSORType>(SOR_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 1, 1, x));
  PetscCall(VecGetValues(x, 1, &row, &last));
  *rounds = last == PetscScalar(0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv::test
