// MatSOR() and solves with factors by layouts of the triangles, against AIJ's own.
#include "lifecycle/lifecycle.hpp"

#include <petscpc.h>

#include <cstring>

namespace petscspmv::test {

namespace {

/// The matrix with an entry in each row's diagonal that exceeds the sum of the others.
TestMatrix Dominant(const TestMatrix &a)
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
TestMatrix Grid(int side)
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
TestMatrix OfNodes(const char *name, int nodes, int least, int most)
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
std::vector<TestMatrix> Matrices()
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

PetscErrorCode RelativeDifference(Vec x, Vec y, PetscReal *difference)
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

PetscErrorCode SameBits(Vec x, Vec y, bool *same)
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
PetscErrorCode PetscRoundsProducts(bool *rounds)
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

PetscErrorCode Relax(Mat A, Vec b, PetscReal omega, int flag, PetscReal shift, PetscInt its, PetscInt lits, Vec x)
{
  PetscFunctionBegin;
  PetscCall(FillVec(x, 7)); // the initial guess
  PetscCall(MatSOR(A, b, omega, static_cast<MatSORType>(flag), shift, its, lits, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether AIJ relaxes by nodes, with an omega of 1 and no shift.
PetscErrorCode HasNodes(Mat A, bool *has)
{
  Mat       block = A;
  PetscBool parallel;
  PetscInt  nodes = 0;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &parallel));
  if (parallel) PetscCall(MatMPIAIJGetSeqAIJ(A, &block, NULL, NULL));
  PetscCall(MatInodeGetInodeSizes(block, &nodes, NULL, NULL));
  *has = nodes > 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

class Sweeps : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override { OK(PetscRoundsProducts(&rounds)); }

  /// Both matrices relax in every way. `bits`: whether zero guesses give the same bits.
  void CheckRelaxations(Mat A, Mat R, bool bits)
  {
    OwnedVec b, x, y;
    bool     nodes = false;
    OK(HasNodes(R, &nodes));
    OK(MatCreateVecs(A, &x, &b));
    OK(VecDuplicate(x, &y));
    OK(FillVec(b, 5));
    const std::vector<int> flags =
      Processes() > 1 ? std::vector<int>{SOR_LOCAL_FORWARD_SWEEP, SOR_LOCAL_BACKWARD_SWEEP, SOR_LOCAL_SYMMETRIC_SWEEP}
                      : std::vector<int>{SOR_FORWARD_SWEEP, SOR_BACKWARD_SWEEP, SOR_SYMMETRIC_SWEEP, SOR_LOCAL_FORWARD_SWEEP,
                                         SOR_LOCAL_SYMMETRIC_SWEEP};
    for (const int flag : flags) {
      for (const int guess : {0, static_cast<int>(SOR_ZERO_INITIAL_GUESS)}) {
        for (const PetscReal omega : {1., 1.3}) {
          for (const PetscReal shift : {0., 0.5}) {
            for (const PetscInt its : {1, 3}) {
              SCOPED_TRACE(testing::Message()
                           << "flag " << flag << " guess " << guess << " omega " << omega << " shift " << shift << " its " << its);
              OK(Relax(A, b, omega, flag | guess, shift, its, its, x));
              OK(Relax(R, b, omega, flag | guess, shift, its, its, y));
              EXPECT_NEAR_VECTORS(x, y, kTolerance);
              bool same;
              OK(SameBits(x, y, &same));
              EXPECT_TRUE(same || !bits || !guess || its > 1 || !rounds || (nodes && omega == 1 && shift == 0));
            }
          }
        }
      }
    }
  }

  bool rounds = false;
};

TEST_P(Sweeps, RelaxAsAij)
{
  for (const TestMatrix &a : Matrices()) {
    SCOPED_TRACE(a.name);
    OwnedMat A, R;
    OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
    OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
    OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
    CheckRelaxations(A, R, true);
    for (const PetscScalar factor : {2., 0.75}) { // new values
      OK(MatScale(A, factor));
      OK(MatScale(R, factor));
      OK(MatShift(A, 1));
      OK(MatShift(R, 1));
      CheckRelaxations(A, R, true);
    }
    if (Processes() > 1 || a.rows < 30) continue;
    PetscReal bytes; // the layouts are there
    OK(MatSpMVGetStatistic(A, "sor_bytes", &bytes));
    EXPECT_GT(bytes, 0);
    OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_AIJ));
    CheckRelaxations(A, R, true);
    OK(MatSpMVGetStatistic(A, "sor_bytes", &bytes));
    EXPECT_EQ(bytes, 0);
  }
}

/// Another pattern in the same matrix.
TEST_P(Sweeps, FollowThePattern)
{
  OwnedMat         A, R;
  const TestMatrix a = Dominant(Banded(300, 300, 9)), b = Dominant(Banded(300, 300, 31));
  OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
  OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
  OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
  CheckRelaxations(A, R, true);
  const auto [begin, end] = OwnRows(300);
  for (const Mat M : {A.A, R.A}) {
    OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    OK(Insert(M, b, static_cast<PetscInt>(begin), static_cast<PetscInt>(end)));
  }
  CheckRelaxations(A, R, true);
}

TEST_P(Sweeps, HaveAijsErrors)
{
  if (Processes() > 1) return;
  const auto relaxed = [&](const char *type, bool missing, std::string *said) {
    OwnedMat A;
    OwnedVec x, b;
    OK(MatCreate(PETSC_COMM_SELF, &A));
    OK(MatSetSizes(A, 20, 20, 20, 20));
    OK(MatSetType(A, type));
    OK(MatSeqAIJSetPreallocation(A, 2, NULL));
    for (PetscInt row = 0; row < 20; ++row) {
      if (!missing || row != 11) {
        OK(MatSetValue(A, row, row, row == 11 ? 0. : 2., INSERT_VALUES));
      }
      if (row > 0) {
        OK(MatSetValue(A, row, row - 1, 1, INSERT_VALUES));
      }
    }
    OK(Assemble(A));
    OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
    OK(MatCreateVecs(A, &x, &b));
    OK(VecSet(b, 1));
    ExpectedError        expected;
    const auto           flag = static_cast<MatSORType>(SOR_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS);
    const PetscErrorCode ierr = MatSOR(A, b, 1, flag, 0, 1, 1, x);
    *said                     = std::to_string(static_cast<int>(ierr)) + expected.message;
  };
  for (const bool missing : {false, true}) {
    std::string ours, of_aij;
    relaxed(GetParam().c_str(), missing, &ours);
    relaxed(MATAIJ, missing, &of_aij);
    EXPECT_EQ(ours, of_aij);
  }
}

/// A node whose block is singular: AIJ's error, or what AIJ goes on with.
TEST_P(Sweeps, HaveAijsErrorsByNodes)
{
  if (Processes() > 1) return;
  const auto relaxed = [&](const char *type, const std::vector<double> &block, PetscBool errors, std::string *said) {
    TestMatrix a = OfNodes("nodes", 60, 3, 3);
    for (int row = 90; row < 93; ++row) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(row)]); a.col_idx[k] < 93; ++k) {
        if (a.col_idx[k] < 90) continue;
        a.real[k] = block[static_cast<std::size_t>(3 * (row - 90) + a.col_idx[k] - 90)];
        a.imag[k] = 0;
      }
    }
    OwnedMat       A;
    OwnedVec       x, b;
    ExpectedError  expected;
    MatFactorError failed;
    PetscReal      norm;
    OK(CreateMat(a, type, Distribution::Even, &A));
    OK(MatSetErrorIfFailure(A, errors));
    OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
    OK(MatCreateVecs(A, &x, &b));
    OK(VecSet(b, 1));
    const auto           flag = static_cast<MatSORType>(SOR_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS);
    const PetscErrorCode ierr = MatSOR(A, b, 1, flag, 0, 1, 1, x);
    OK(MatFactorGetError(A, &failed));
    OK(VecNorm(x, NORM_2, &norm));
    *said = std::to_string(static_cast<int>(ierr)) + expected.message + std::to_string(static_cast<int>(failed)) +
            (PetscIsInfOrNanReal(norm) ? "infinite" : "");
  };
  for (const auto &block : {std::vector<double>(9), std::vector<double>{0, 1, 2, 0, 3, 5, 0, 2, 2},
                            std::vector<double>{1, 2, 3, 1, 2, 3, 2, 5, 1}, std::vector<double>{0, 1, 0, 1, 0, 0, 0, 0, 2}}) {
    for (const PetscBool errors : {PETSC_TRUE, PETSC_FALSE}) {
      std::string ours, of_aij;
      relaxed(GetParam().c_str(), block, errors, &ours);
      relaxed(MATAIJ, block, errors, &of_aij);
      EXPECT_EQ(ours, of_aij);
    }
  }
}

/// Whether by nodes or not: what AIJ does, also if that has changed before the matrix got its type.
TEST_P(Sweeps, ByNodesWhereAijDoes)
{
  if (Processes() > 1) return;
  const TestMatrix a = OfNodes("nodes", 100, 3, 3);
  OwnedMat         A, R;
  PetscReal        bytes;
  for (Mat *M : {&A, &R}) OK(CreateMat(a, MATAIJ, Distribution::Even, M));
  const auto check = [&](PetscBool use, bool by_layout) {
    for (const Mat M : {A.A, R.A}) OK(MatSetOption(M, MAT_USE_INODES, use));
    OwnedVec b, x, y;
    OK(MatCreateVecs(A, &x, &b));
    OK(VecDuplicate(x, &y));
    OK(FillVec(b, 5));
    OK(Relax(A, b, 1, SOR_SYMMETRIC_SWEEP, 0, 2, 2, x));
    OK(Relax(R, b, 1, SOR_SYMMETRIC_SWEEP, 0, 2, 2, y));
    EXPECT_NEAR_VECTORS(x, y, kTolerance);
    OK(MatSpMVGetStatistic(A, "sor_bytes", &bytes));
    EXPECT_EQ(bytes > 0, by_layout);
  };
  OK(MatSetOption(A, MAT_USE_INODES, PETSC_FALSE));
  OK(MatSetOption(R, MAT_USE_INODES, PETSC_FALSE));
  OK(MatConvert(A, GetParam().c_str(), MAT_INPLACE_MATRIX, &A));
  OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
  check(PETSC_FALSE, false);
  check(PETSC_TRUE, true);
  check(PETSC_FALSE, false);
}

/// Values rounded to single precision give other results, near the exact ones: so it is the layouts that relax by nodes.
TEST_P(Sweeps, ByNodesInSinglePrecision)
{
  OwnedMat         A, R;
  OwnedVec         b, x, y;
  PetscReal        largest = 0;
  const TestMatrix a       = OfNodes("nodes", 2000, 3, 3);
  OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
  OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
  OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_SINGLE));
  OK(MatCreateVecs(A, &x, &b));
  OK(VecDuplicate(x, &y));
  OK(FillVec(b, 5));
  for (int k = 0; k < 10; ++k) { // 8 by PETSc
    PetscReal difference;
    OK(Relax(A, b, 1, SOR_LOCAL_SYMMETRIC_SWEEP, 0, 1, 1, x));
    OK(Relax(R, b, 1, SOR_LOCAL_SYMMETRIC_SWEEP, 0, 1, 1, y));
    OK(RelativeDifference(x, y, &difference));
    largest = std::max(largest, difference);
  }
  EXPECT_LE(largest, 1e-6);
  EXPECT_EQ(largest > 1e-12, sizeof(PetscReal) == 8);
}

/// PETSc asks for columns in order, but AIJ relaxes with others as well.
TEST_P(Sweeps, WithColumnsOutOfOrder)
{
  if (Processes() > 1) return;
  std::vector<PetscInt>    row_ptr{0}, columns;
  std::vector<PetscScalar> values;
  const PetscInt           n = 60;
  for (PetscInt i = 0; i < n; ++i) {
    const std::vector<PetscInt> order =
      i % 3 ? std::vector<PetscInt>{i - 2, i - 1, i, i + 1, i + 2} : std::vector<PetscInt>{i + 2, i - 1, i, i + 1, i - 2};
    for (const PetscInt j : order) {
      if (j < 0 || j >= n) continue;
      columns.push_back(j);
      values.push_back(i == j ? 6. : 1. / static_cast<double>(1 + i % 5));
    }
    row_ptr.push_back(static_cast<PetscInt>(columns.size()));
  }
  OwnedMat A, R;
  for (const Mat *M : {&A.A, &R.A}) {
    OK(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, n, n, row_ptr.data(), columns.data(), values.data(), const_cast<Mat *>(M)));
  }
  OK(MatConvert(A, GetParam().c_str(), MAT_INPLACE_MATRIX, &A));
  OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
  CheckRelaxations(A, R, true);
}

/// Columns that are set anew in place.
TEST_P(Sweeps, WithOtherColumns)
{
  if (Processes() > 1) return;
  const PetscInt n = 200;
  OwnedMat       A, R;
  for (Mat *M : {&A, &R}) {
    OK(MatCreate(PETSC_COMM_SELF, M));
    OK(MatSetSizes(*M, n, n, n, n));
    OK(MatSetType(*M, M == &A ? GetParam().c_str() : MATAIJ));
    OK(MatSeqAIJSetPreallocation(*M, 2, NULL));
  }
  OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
  for (const PetscInt distance : {20, 33}) {
    std::vector<PetscInt> columns;
    for (PetscInt i = 0; i < n; ++i) {
      const PetscInt other = i < n / 2 ? i + distance : i - distance;
      columns.push_back(std::min(i, other));
      columns.push_back(std::max(i, other));
    }
    for (const Mat M : {A.A, R.A}) {
      OK(MatSeqAIJSetColumnIndices(M, columns.data()));
      for (PetscInt i = 0; i < n; ++i) {
        OK(MatSetValue(M, i, i < n / 2 ? i + distance : i - distance, 0.5, INSERT_VALUES));
        OK(MatSetValue(M, i, i, 2, INSERT_VALUES));
      }
      OK(Assemble(M));
    }
    CheckRelaxations(A, R, true);
  }
}

/// Values that are not numbers reach what they reach with AIJ.
TEST_P(Sweeps, HaveAijsInfinities)
{
  OwnedMat         A, R;
  OwnedVec         b, x, y;
  const TestMatrix a = Dominant(Banded(200, 200, 14));
  OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
  OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
  OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
  OK(MatCreateVecs(A, &x, &b));
  OK(VecDuplicate(x, &y));
  OK(FillVec(b, 1));
  const auto [begin, end] = OwnRows(200);
  if (begin <= 150 && 150 < end) {
    OK(VecSetValue(b, 150, PETSC_INFINITY, INSERT_VALUES));
  }
  if (begin <= 190 && 190 < end) {
    OK(VecSetValue(b, 190, std::nan(""), INSERT_VALUES));
  }
  OK(VecAssemblyBegin(b));
  OK(VecAssemblyEnd(b));
  for (const int flag : {SOR_LOCAL_FORWARD_SWEEP, SOR_LOCAL_BACKWARD_SWEEP}) {
    OK(Relax(A, b, 1.1, flag | SOR_ZERO_INITIAL_GUESS, 0, 1, 1, x));
    OK(Relax(R, b, 1.1, flag | SOR_ZERO_INITIAL_GUESS, 0, 1, 1, y));
    const PetscScalar *of_x, *of_y;
    PetscInt           n;
    OK(VecGetLocalSize(x, &n));
    OK(VecGetArrayRead(x, &of_x));
    OK(VecGetArrayRead(y, &of_y));
    for (PetscInt i = 0; i < n; ++i) EXPECT_EQ(PetscIsInfOrNanScalar(of_x[i]), PetscIsInfOrNanScalar(of_y[i])) << i;
    OK(VecRestoreArrayRead(x, &of_x));
    OK(VecRestoreArrayRead(y, &of_y));
  }
}

/// A preconditioner of a type and options with two matrices.
struct Preconditioner {
  PC pc = NULL;

  ~Preconditioner() { PCDestroy(&pc); }

  PetscErrorCode Create(Mat A, const std::string &type, const std::string &options)
  {
    PetscFunctionBegin;
    PetscCall(PetscOptionsInsertString(NULL, options.c_str()));
    PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
    PetscCall(PCSetOperators(pc, A, A));
    PetscCall(PCSetType(pc, type.c_str()));
    PetscCall(PCSetFromOptions(pc));
    PetscCall(PCSetUp(pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/// Options stay in the database, so that each case gives all of them.
struct FactorCase {
  const char *pc, *options;
  bool        side_by_side = true; // rows, of a grid's factors
};

std::vector<FactorCase> FactorCases()
{
#define LEVELS(l, o, s) "-pc_factor_levels " #l " -pc_factor_mat_ordering_type " o " -pc_factor_shift_type " s
  if (Processes() > 1)
    return {{PCBJACOBI, "-sub_pc_type ilu -sub_pc_factor_shift_type none"},
            {PCBJACOBI, "-sub_pc_type icc -sub_pc_factor_shift_type nonzero"},
            {PCBJACOBI, "-sub_pc_type sor"},
            {PCASM, "-sub_pc_type ilu -sub_pc_factor_shift_type none"}};
  return {{PCILU, LEVELS(0, "natural", "none")},       {PCILU, LEVELS(0, "rcm", "none")},
          {PCILU, LEVELS(2, "natural", "nonzero")},    {PCILU, LEVELS(1, "nd", "nonzero")},
          {PCICC, LEVELS(0, "natural", "none")},       {PCICC, LEVELS(0, "rcm", "none")},
          {PCICC, LEVELS(2, "natural", "nonzero")},    {PCLU, LEVELS(0, "nd", "none")},
          {PCLU, LEVELS(0, "natural", "none"), false}, // filled bands
          {PCCHOLESKY, LEVELS(0, "nd", "none")},       {PCCHOLESKY, LEVELS(0, "natural", "none"), false}};
#undef LEVELS
}

class Factors : public Sweeps {
protected:
  void CheckSolves(PC pc, PC reference, Mat A, bool bits, bool transposes = true)
  {
    OwnedVec b, x, y;
    OK(MatCreateVecs(A, &x, &b));
    OK(VecDuplicate(x, &y));
    for (int seed = 0; seed < 3; ++seed) {
      OK(FillVec(b, seed));
      OK(PCApply(pc, b, x));
      OK(PCApply(reference, b, y));
      EXPECT_NEAR_VECTORS(x, y, 100 * kTolerance);
      bool same;
      OK(SameBits(x, y, &same));
      EXPECT_TRUE(same || !bits || !rounds);
      if (!transposes) continue;
      OK(PCApplyTranspose(pc, b, x));
      OK(PCApplyTranspose(reference, b, y));
      EXPECT_NEAR_VECTORS(x, y, 100 * kTolerance);
    }
  }

  /// Complete and incomplete factors in the natural order, with a flag of PCs.
  void CheckFactorsWith(const TestMatrix &a, const std::string &flag, bool bits)
  {
    for (const char *const type : {PCLU, PCILU}) {
      SCOPED_TRACE(type);
      OwnedMat A, R;
      OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
      OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
      OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
      Preconditioner    pc, reference;
      const std::string options = flag + " -pc_factor_levels 0 -pc_factor_mat_ordering_type natural -pc_factor_shift_type none";
      OK(pc.Create(A, type, options));
      OK(reference.Create(R, type, options));
      OK(PetscOptionsClearValue(NULL, flag.c_str()));
      CheckSolves(pc.pc, reference.pc, A, bits);
    }
  }
};

TEST_P(Factors, SolveAsAijs)
{
  for (const TestMatrix &a : Matrices()) {
    for (const FactorCase &each : FactorCases()) {
      SCOPED_TRACE(a.name + ", " + each.pc + " " + each.options);
      const bool nodes = a.name.starts_with("nodes"), transposes = !std::strstr(each.options, "sor");
      OwnedMat   A, R;
      OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
      OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
      OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
      Preconditioner pc, reference;
      OK(pc.Create(A, each.pc, each.options));
      OK(reference.Create(R, each.pc, each.options));
      CheckSolves(pc.pc, reference.pc, A, !nodes, transposes);
      for (const Mat M : {A.A, R.A}) OK(MatShift(M, 2)); // new values
      for (const PC p : {pc.pc, reference.pc}) OK(PCSetUp(p));
      CheckSolves(pc.pc, reference.pc, A, !nodes, transposes);
      if (a.rows < 100) continue;
      const TestMatrix c = Dominant(Banded(a.rows, a.rows, 17, true)); // another pattern
      OwnedMat         C, S;
      OK(CreateMat(c, GetParam().c_str(), Distribution::Even, &C));
      OK(CreateMat(c, MATAIJ, Distribution::Even, &S));
      OK(MatSpMVSetSweeps(C, MAT_SPMV_SWEEPS_LAYOUT));
      OK(PCSetOperators(pc.pc, C, C));
      OK(PCSetOperators(reference.pc, S, S));
      for (const PC p : {pc.pc, reference.pc}) OK(PCSetUp(p));
      CheckSolves(pc.pc, reference.pc, C, true, transposes);
    }
  }
}

/// Rounded values give other results, near the exact ones: so it is the layouts that solve, also after PETSc's first ones.
TEST_P(Factors, RoundedToSinglePrecision)
{
  const std::string key = "-mat_" + GetParam() + "_sweeps"; // reaches submatrices, too
  OK(PetscOptionsSetValue(NULL, key.c_str(), "single"));
  const TestMatrix a = Grid(60);
  for (const FactorCase &each : FactorCases()) {
    if (!each.side_by_side) continue;
    SCOPED_TRACE(std::string(each.pc) + " " + each.options);
    OwnedMat A, R;
    OwnedVec b, x, y;
    OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
    OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
    Preconditioner pc, reference;
    OK(pc.Create(A, each.pc, each.options));
    OK(reference.Create(R, each.pc, each.options));
    OK(MatCreateVecs(A, &x, &b));
    OK(VecDuplicate(x, &y));
    OK(FillVec(b, 1));
    OK(PCApply(reference.pc, b, y));
    PetscReal largest = 0;
    for (int k = 0; k < 10; ++k) { // 8 by PETSc
      PetscReal difference;
      OK(PCApply(pc.pc, b, x));
      OK(RelativeDifference(x, y, &difference));
      largest = std::max(largest, difference);
    }
    EXPECT_LE(largest, 1e-6);
    EXPECT_EQ(largest > 0, sizeof(PetscReal) == 8);
  }
  OK(PetscOptionsClearValue(NULL, key.c_str()));
}

/// Columns that are permuted so that no diagonal entry is zero, in what was the natural order.
TEST_P(Factors, WithNonzerosAlongTheDiagonal)
{
  if (Processes() > 1) return;
  TestMatrix a{"swapped", 128, 128, {0}, {}, {}, {}};
  for (int row = 0; row < a.rows; ++row) {
    const int large = row % 17 == 5 ? row + 1 : row % 17 == 6 ? row - 1 : row; // of two rows the diagonal entries are swapped
    for (const int col : {row - 20, row - 1, row, row + 1, row + 20}) {
      if (col < 0 || col >= a.cols) continue;
      a.col_idx.push_back(col);
      a.real.push_back(col == large ? 9 : col == row ? 0 : 1);
      a.imag.push_back(0);
    }
    a.row_ptr.push_back(a.nnz());
  }
  CheckFactorsWith(a, "-pc_factor_nonzeros_along_diagonal", true);
}

/// A solve between two phases of a factorization has no defined result, but no harm comes of it.
TEST_P(Factors, BetweenPhases)
{
  if (Processes() > 1) return;
  const TestMatrix a = Grid(20);
  OwnedMat         A, F;
  OwnedVec         b, x, y;
  IS               rows, columns;
  MatFactorInfo    info;
  OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
  OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
  OK(MatCreateVecs(A, &x, &b));
  OK(VecDuplicate(x, &y));
  OK(FillVec(b, 1));
  OK(MatGetOrdering(A, MATORDERINGNATURAL, &rows, &columns));
  OK(MatFactorInfoInitialize(&info));
  info.fill = 1;
  OK(MatGetFactor(A, MATSOLVERPETSC, MAT_FACTOR_ILU, &F));
  for (int k = 0; k < 2; ++k) {
    OK(MatILUFactorSymbolic(F, A, rows, columns, &info));
    if (k > 0) {
      OK(MatSolve(F, b, x));
    }
    OK(MatLUFactorNumeric(F, A, &info));
    OK(MatSolve(F, b, k == 0 ? y : x));
  }
  bool same;
  OK(SameBits(x, y, &same));
  EXPECT_TRUE(same);
  OK(ISDestroy(&rows));
  OK(ISDestroy(&columns));
}

/// In place, the factor takes the matrix's place.
TEST_P(Factors, InPlace)
{
  if (Processes() > 1) return;
  CheckFactorsWith(Dominant(Banded(200, 200, 14)), "-pc_factor_in_place", false);
}

/// A program may name PETSc's solver before or after the set-up, and then has it.
TEST_P(Factors, NamePetsc)
{
  if (Processes() > 1) return;
  const TestMatrix a = Dominant(Banded(200, 200, 14));
  OwnedMat         A;
  MatSolverType    solver;
  Mat              factor;
  OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
  Preconditioner pc;
  OK(pc.Create(A, PCILU, ""));
  OK(PCFactorSetMatSolverType(pc.pc, MATSOLVERPETSC));
  OK(PCFactorGetMatrix(pc.pc, &factor));
  OK(MatFactorGetSolverType(factor, &solver));
  EXPECT_STREQ(solver, MATSOLVERPETSC);
  PetscBool plain;
  OK(PetscObjectTypeCompare((PetscObject)factor, MATSEQAIJ, &plain));
  EXPECT_TRUE(plain);
}

/// By itself PETSc's loop begins, and a layout goes on as soon as it pays: with the same results, also after new values.
TEST_P(Factors, ByThemselves)
{
  if (Processes() > 1) return;
  const TestMatrix a = Grid(50);
  OwnedMat         A, R;
  OwnedVec         b, x, y;
  PetscReal        bytes = 0;
  OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
  OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
  OK(MatCreateVecs(A, &x, &b));
  OK(VecDuplicate(x, &y));
  OK(FillVec(b, 1));
  const auto relax = [&] {
    OK(Relax(A, b, 1, SOR_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS, 0, 1, 1, x));
    OK(Relax(R, b, 1, SOR_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS, 0, 1, 1, y));
    EXPECT_NEAR_VECTORS(x, y, kTolerance);
  };
  relax();
  OK(MatSpMVGetStatistic(A, "sor_bytes", &bytes));
  EXPECT_EQ(bytes, 0);
  for (int k = 0; k < 1000 && bytes == 0; ++k) { // when, is a matter of time
    relax();
    OK(MatSpMVGetStatistic(A, "sor_bytes", &bytes));
  }
  for (int k = 0; k < 20; ++k) relax();
  OK(MatShift(A, 1));
  OK(MatShift(R, 1));
  for (int k = 0; k < 20; ++k) relax();
}

INSTANTIATE_TEST_SUITE_P(Types, Sweeps, testing::ValuesIn(Types()), [](const auto &type) { return type.param; });
INSTANTIATE_TEST_SUITE_P(Types, Factors, testing::ValuesIn(Types()), [](const auto &type) { return type.param; });

} // namespace

} // namespace petscspmv::test
