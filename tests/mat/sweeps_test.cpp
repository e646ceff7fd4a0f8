// MatSOR() by layouts of the triangles, against AIJ's own.
#include "mat/sweeps.hpp"

#include <limits>

namespace petscspmv::test {

namespace {

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

  /// Both matrices relax in every way. `bits`: whether zero guesses give the same bits. Those of nodes are the same with the plain
  /// loop alone, but then with any guess.
  void CheckRelaxations(Mat A, Mat R, bool bits, MatSpMVSweeps by = MAT_SPMV_SWEEPS_LAYOUT)
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
          for (const PetscReal shift : {0., 0.5, -0.25}) {
            for (const PetscInt its : {1, 3}) {
              SCOPED_TRACE(testing::Message()
                           << "flag " << flag << " guess " << guess << " omega " << omega << " shift " << shift << " its " << its);
              OK(Relax(A, b, omega, flag | guess, shift, its, its, x));
              OK(Relax(R, b, omega, flag | guess, shift, its, its, y));
              EXPECT_NEAR_VECTORS(x, y, kTolerance);
              bool same;
              OK(SameBits(x, y, &same));
              const bool by_nodes = nodes && omega == 1 && shift == 0, from_zero = guess && its == 1,
                         as_petsc = by_nodes ? by == MAT_SPMV_SWEEPS_PLAIN && (from_zero || Processes() == 1) : from_zero;
              EXPECT_TRUE(same || !bits || !rounds || !as_petsc);
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
    for (const MatSpMVSweeps by : kOurSweeps) {
      SCOPED_TRACE(by);
      OK(MatSpMVSetSweeps(A, by));
      CheckRelaxations(A, R, true, by);
      for (const PetscScalar factor : {2., 0.75}) { // new values
        OK(MatScale(A, factor));
        OK(MatScale(R, factor));
        OK(MatShift(A, 1));
        OK(MatShift(R, 1));
        CheckRelaxations(A, R, true, by);
      }
    }
    OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
    CheckRelaxations(A, R, true);
    if (Processes() > 1 || a.rows < 30) continue;
    MatSpMVInfo info;
    PetscReal   bytes; // the layouts are there
    OK(MatSpMVGetStatistic(A, "sor_bytes", &bytes));
    EXPECT_GT(bytes, 0);
    OK(MatSpMVGetInfo(A, &info));
    EXPECT_GE(info.bytes, bytes);
    OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_AIJ));
    CheckRelaxations(A, R, true);
    OK(MatSpMVGetStatistic(A, "sor_bytes", &bytes));
    EXPECT_EQ(bytes, 0);
  }
}

/// With values that are there again, retrieved or copied from another matrix, by layouts and by AIJ's loop, whose inverted diagonal
/// AIJ itself does not take anew.
TEST_P(Sweeps, RelaxWithFormerValues)
{
  for (const TestMatrix &a : {Grid(20), OfNodes("nodes", 100, 3, 3)}) {
    for (const MatSpMVSweeps by : {MAT_SPMV_SWEEPS_AIJ, MAT_SPMV_SWEEPS_LAYOUT, MAT_SPMV_SWEEPS_PLAIN}) {
      for (const bool copied : {false, true}) {
        SCOPED_TRACE(testing::Message() << a.name << " " << by << (copied ? " copied" : " retrieved"));
        OwnedMat A, D, R;
        OwnedVec b, x, y;
        OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
        OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
        OK(MatSpMVSetSweeps(A, by));
        OK(MatCreateVecs(A, &x, &b));
        OK(VecDuplicate(x, &y));
        OK(FillVec(b, 5));
        if (copied) {
          OK(MatDuplicate(A, MAT_COPY_VALUES, &D));
        } else {
          OK(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
          OK(MatStoreValues(A));
        }
        OK(MatScale(A, 3));
        OK(Relax(A, b, 1, SOR_LOCAL_SYMMETRIC_SWEEP, 0, 1, 1, x));
        OK(copied ? MatCopy(D, A, SAME_NONZERO_PATTERN) : MatRetrieveValues(A));
        OK(Relax(A, b, 1, SOR_LOCAL_SYMMETRIC_SWEEP, 0, 1, 1, x));
        OK(Relax(R, b, 1, SOR_LOCAL_SYMMETRIC_SWEEP, 0, 1, 1, y));
        EXPECT_NEAR_VECTORS(x, y, kTolerance);
      }
    }
  }
}

/// Relaxations that need one triangle keep the other one, also with another omega.
TEST_P(Sweeps, KeepBothTriangles)
{
  if (Processes() > 1) return;
  OwnedMat  A;
  OwnedVec  b, x;
  PetscReal one, both;
  OK(CreateMat(Grid(45), GetParam().c_str(), Distribution::Even, &A));
  OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
  OK(MatCreateVecs(A, &x, &b));
  OK(FillVec(b, 5));
  OK(Relax(A, b, 1.3, SOR_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS, 0, 1, 1, x));
  OK(MatSpMVGetStatistic(A, "sor_bytes", &one));
  OK(Relax(A, b, 1, SOR_BACKWARD_SWEEP | SOR_ZERO_INITIAL_GUESS, 0, 1, 1, x));
  OK(MatSpMVGetStatistic(A, "sor_bytes", &both));
  EXPECT_GT(both, 1.4 * one);
}

/// Another pattern in the same matrix.
TEST_P(Sweeps, FollowThePattern)
{
  for (const MatSpMVSweeps by : kOurSweeps) {
    OwnedMat         A, R;
    const TestMatrix a = Dominant(Banded(300, 300, 9)), b = Dominant(Banded(300, 300, 31));
    OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
    OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
    OK(MatSpMVSetSweeps(A, by));
    CheckRelaxations(A, R, true, by);
    const auto [begin, end] = OwnRows(300);
    for (const Mat M : {A.A, R.A}) {
      OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
      OK(Insert(M, b, static_cast<PetscInt>(begin), static_cast<PetscInt>(end)));
    }
    CheckRelaxations(A, R, true, by);
  }
}

/// What is left to AIJ, after layouts were made.
TEST_P(Sweeps, LeaveTheRestToAij)
{
  if (Processes() > 1) return;
  OwnedMat A, R;
  OwnedVec b, x, y;
  OK(CreateMat(Grid(45), GetParam().c_str(), Distribution::Even, &A));
  OK(CreateMat(Grid(45), MATAIJ, Distribution::Even, &R));
  OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
  OK(MatCreateVecs(A, &x, &b));
  OK(VecDuplicate(x, &y));
  OK(FillVec(b, 5));
  for (const int flag :
       std::initializer_list<int>{SOR_SYMMETRIC_SWEEP, SOR_EISENSTAT | SOR_ZERO_INITIAL_GUESS, SOR_APPLY_UPPER, SOR_APPLY_LOWER}) {
    for (const PetscReal omega : {1., 1.3}) {
      SCOPED_TRACE(testing::Message() << "flag " << flag << " omega " << omega);
      std::string    said[2];
      PetscErrorCode failed[2];
      for (const int k : {0, 1}) {
        ExpectedError expected;
        failed[k] = Relax(k ? R : A, b, omega, flag, 0, 1, 1, k ? y : x);
        said[k]   = expected.message;
      }
      EXPECT_EQ(failed[0], failed[1]);
      EXPECT_EQ(said[0], said[1]);
      EXPECT_TRUE(failed[1] == PETSC_SUCCESS || flag == SOR_APPLY_LOWER);
      if (failed[1]) continue;
      EXPECT_NEAR_VECTORS(x, y, kTolerance);
    }
  }
}

/// With floating-point exceptions trapped or not.
TEST_P(Sweeps, HaveAijsErrors)
{
  if (Processes() > 1) return;
  const auto relaxed = [&](const char *type, MatSpMVSweeps by, bool missing, PetscFPTrap trap, std::string *said) {
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
    OK(MatSpMVSetSweeps(A, by));
    OK(MatCreateVecs(A, &x, &b));
    OK(VecSet(b, 1));
    ExpectedError expected;
    const auto    flag = static_cast<MatSORType>(SOR_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS);
    OK(PetscFPTrapPush(trap));
    const PetscErrorCode ierr = MatSOR(A, b, 1, flag, 0, 1, 1, x);
    OK(PetscFPTrapPop());
    *said = std::to_string(static_cast<int>(ierr)) + expected.message;
  };
  for (const bool missing : {false, true}) {
    for (const PetscFPTrap trap : {PETSC_FP_TRAP_OFF, PETSC_FP_TRAP_ON}) {
      std::string ours, of_aij;
      relaxed(MATAIJ, MAT_SPMV_SWEEPS_AIJ, missing, trap, &of_aij);
      for (const MatSpMVSweeps by : kOurSweeps) {
        relaxed(GetParam().c_str(), by, missing, trap, &ours);
        EXPECT_EQ(ours, of_aij) << by;
      }
    }
  }
}

/// A zero on the diagonal that is gone: layouts are made after all.
TEST_P(Sweeps, AfterAZeroOnTheDiagonal)
{
  if (Processes() > 1) return;
  OwnedMat  A;
  OwnedVec  x, b;
  PetscReal bytes;
  OK(CreateMat(Grid(45), GetParam().c_str(), Distribution::Even, &A));
  OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_SINGLE));
  OK(MatCreateVecs(A, &x, &b));
  OK(VecSet(b, 1));
  for (const PetscScalar diagonal : {0., 5.}) {
    OK(MatSetValue(A, 77, 77, diagonal, INSERT_VALUES));
    OK(Assemble(A));
    ExpectedError        expected;
    const PetscErrorCode ierr = Relax(A, b, 1, SOR_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS, 0, 1, 1, x);
    EXPECT_EQ(ierr == PETSC_SUCCESS, diagonal != PetscScalar(0));
    OK(MatSpMVGetStatistic(A, "sor_bytes", &bytes));
    EXPECT_EQ(bytes > 0, diagonal != PetscScalar(0));
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
  const auto check = [&](bool by_layout) {
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
  check(false); // who has no word of the nodes leaves them to AIJ
  for (const PetscBool use : {PETSC_FALSE, PETSC_TRUE, PETSC_FALSE}) {
    for (const Mat M : {A.A, R.A}) OK(MatSetOption(M, MAT_USE_INODES, use));
    check(true);
    for (const Mat M : {A.A, R.A}) OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
    for (const Mat M : {A.A, R.A}) OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
    check(true);
  }
}

/// AIJ's loop would go on with the room that it has made for other nodes' blocks, whatever type the matrix had meanwhile.
TEST_P(Sweeps, WithOtherNodes)
{
  if (Processes() > 1) return;
  const PetscInt row = 4;
  for (const std::string &meanwhile :
       {GetParam(), std::string(MATSEQAIJ), std::string(MATSEQAIJPERM), Types().front(), Types().back()}) {
    for (const MatSpMVSweeps by : {MAT_SPMV_SWEEPS_AUTO, MAT_SPMV_SWEEPS_AIJ, MAT_SPMV_SWEEPS_PLAIN, MAT_SPMV_SWEEPS_LAYOUT}) {
      OwnedMat A, R;
      OwnedVec b, x, y;
      OK(CreateMat(OfNodes("nodes", 100, 3, 3), GetParam().c_str(), Distribution::Even, &A));
      OK(MatCreateVecs(A, &x, &b));
      OK(VecDuplicate(x, &y));
      OK(FillVec(b, 5));
      OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_AIJ));
      OK(Relax(A, b, 1, SOR_SYMMETRIC_SWEEP, 0, 1, 1, x));
      for (const std::string &type : {meanwhile, GetParam()}) OK(MatConvert(A, type.c_str(), MAT_INPLACE_MATRIX, &A));
      OK(MatSpMVSetSweeps(A, by));
      OK(MatZeroRows(A, 1, &row, 30, NULL, NULL)); // now a node of its own
      OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &R));
      for (const int flag : {SOR_FORWARD_SWEEP, SOR_BACKWARD_SWEEP, SOR_SYMMETRIC_SWEEP}) {
        OK(Relax(R, b, 1, flag, 0, 1, 1, y));
        for (int k = 0; k < 30; ++k) {
          OK(Relax(A, b, 1, flag, 0, 1, 1, x));
          EXPECT_NEAR_VECTORS(x, y, kTolerance);
        }
      }
    }
  }
}

/// Products with the nodes' blocks follow relaxations, as PCEISENSTAT asks for them.
TEST_P(Sweeps, MultiplyBlocksOfNodes)
{
  OwnedMat A, R;
  OwnedVec b, x, y;
  for (const TestMatrix &a : {OfNodes("nodes", 100, 3, 3), OfNodes("nodes of all sizes", 150, 1, 5)}) {
    OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
    OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
    OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
    OK(MatCreateVecs(A, &x, &b));
    OK(VecDuplicate(x, &y));
    OK(FillVec(b, 5));
    for (const PetscScalar factor : {1., 3.}) {
      for (const Mat M : {A.A, R.A}) {
        OK(MatScale(M, factor));
        OK(Relax(M, b, 1, SOR_LOCAL_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS, 0, 1, 1, x));
      }
      OK(MatMultDiagonalBlock(A, b, x));
      OK(MatMultDiagonalBlock(R, b, y));
      EXPECT_NEAR_VECTORS(x, y, kTolerance);
    }
    OK(MatConvert(A, MATAIJ, MAT_INPLACE_MATRIX, &A));
    OK(MatMultDiagonalBlock(A, b, x));
    EXPECT_NEAR_VECTORS(x, y, kTolerance);
    for (Mat *M : {&A, &R}) OK(MatDestroy(M));
    for (Vec *v : {&b, &x, &y}) OK(VecDestroy(v));
  }
}

/// Values rounded to single precision give other results, near the exact ones: so it is the layouts that relax by nodes.
TEST_P(Sweeps, ByNodesInSinglePrecision)
{
  OwnedMat         A, R;
  OwnedVec         b, x, y;
  PetscReal        difference;
  const TestMatrix a = OfNodes("nodes", 2000, 3, 3);
  OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
  OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
  OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_SINGLE));
  OK(MatCreateVecs(A, &x, &b));
  OK(VecDuplicate(x, &y));
  OK(FillVec(b, 5));
  OK(Relax(A, b, 1, SOR_LOCAL_SYMMETRIC_SWEEP, 0, 1, 1, x));
  OK(Relax(R, b, 1, SOR_LOCAL_SYMMETRIC_SWEEP, 0, 1, 1, y));
  OK(RelativeDifference(x, y, &difference));
  EXPECT_LE(difference, 1e-6);
  EXPECT_EQ(difference > 1e-12, sizeof(PetscReal) == 8);
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
  for (const MatSpMVSweeps by : kOurSweeps) {
    OK(MatSpMVSetSweeps(A, by));
    CheckRelaxations(A, R, true, by);
  }
}

/// Columns that are set anew in place.
TEST_P(Sweeps, WithOtherColumns)
{
  if (Processes() > 1) return;
  for (const MatSpMVSweeps by : kOurSweeps) {
    SCOPED_TRACE(by);
    const PetscInt n = 200;
    OwnedMat       A, R;
    for (Mat *M : {&A, &R}) {
      OK(MatCreate(PETSC_COMM_SELF, M));
      OK(MatSetSizes(*M, n, n, n, n));
      OK(MatSetType(*M, M == &A ? GetParam().c_str() : MATAIJ));
      OK(MatSeqAIJSetPreallocation(*M, 2, NULL));
    }
    OK(MatSpMVSetSweeps(A, by));
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
      CheckRelaxations(A, R, true, by);
    }
  }
}

/// A submatrix with other columns in the same matrix, in which every row has as many entries: the nonzero state stays.
TEST_P(Sweeps, WithOtherColumnsOfASubMatrix)
{
  if (Processes() > 1) return;
  for (const MatSpMVSweeps by : kOurSweeps) {
    SCOPED_TRACE(by);
    const PetscInt n = 200;
    OwnedMat       A, R, part, part_of_R;
    for (Mat *M : {&A, &R}) { // of rows i < n those are coupled that are 100 apart, of the others those that are 50 apart
      OK(MatCreate(PETSC_COMM_SELF, M));
      OK(MatSetSizes(*M, 2 * n, 2 * n, 2 * n, 2 * n));
      OK(MatSetType(*M, M == &A ? GetParam().c_str() : MATAIJ));
      OK(MatSeqAIJSetPreallocation(*M, 2, NULL));
      for (PetscInt i = 0; i < 2 * n; ++i) {
        const PetscInt distance = i < n ? 100 : 50, other = i / distance % 2 == 0 ? i + distance : i - distance;
        OK(MatSetValue(*M, i, i, 4, INSERT_VALUES));
        OK(MatSetValue(*M, i, other, -1 - static_cast<PetscReal>(i) / 1000, INSERT_VALUES));
      }
      OK(Assemble(*M));
    }
    for (const PetscInt first : {PetscInt(0), n}) {
      IS is;
      OK(ISCreateStride(PETSC_COMM_SELF, n, first, 1, &is));
      OK(MatCreateSubMatrix(A, is, is, first ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &part));
      OK(MatDestroy(&part_of_R)); // PETSc 3.25 relaxes with the former diagonal when it is reused
      OK(MatCreateSubMatrix(R, is, is, MAT_INITIAL_MATRIX, &part_of_R));
      OK(MatSpMVSetSweeps(part, by));
      OK(ISDestroy(&is));
      CheckRelaxations(part, part_of_R, true);
      PetscReal bytes;
      OK(MatSpMVGetStatistic(part, "sor_bytes", &bytes));
      EXPECT_GT(bytes, 0);
    }
  }
}

/// Values that are not numbers, in the matrix or in the guess, reach what they reach with AIJ, also by nodes.
TEST_P(Sweeps, HaveAijsInfinitiesOfTheMatrix)
{
  if (Processes() > 1) return;
  for (const TestMatrix &a : {Dominant(Banded(200, 200, 14)), OfNodes("nodes", 100, 3, 3)}) {
    for (const double infinite : {std::numeric_limits<double>::infinity(), std::nan("")}) {
      for (const bool in_guess : {false, true}) {
        SCOPED_TRACE(testing::Message() << a.name << " " << infinite << (in_guess ? " in the guess" : " in the matrix"));
        const PetscInt middle = static_cast<PetscInt>(a.rows) / 2;
        OwnedMat       A, R;
        OwnedVec       b, x, y;
        for (Mat *M : {&A, &R}) {
          OK(CreateMat(a, M == &A ? GetParam().c_str() : MATAIJ, Distribution::Even, M));
          const PetscInt far =
            static_cast<PetscInt>(a.col_idx[static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(middle)])]);
          ASSERT_LT(far, middle - 5); // not in a node's block
          if (in_guess) continue;
          OK(MatSetValue(*M, middle, far, infinite, INSERT_VALUES));
          OK(Assemble(*M));
        }
        OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
        OK(MatCreateVecs(A, &x, &b));
        OK(VecDuplicate(x, &y));
        OK(FillVec(b, 1));
        for (const int flag : {SOR_FORWARD_SWEEP, SOR_BACKWARD_SWEEP, SOR_SYMMETRIC_SWEEP}) {
          for (const Vec v : {x.v, y.v}) {
            OK(FillVec(v, 7));
            if (in_guess) {
              OK(VecSetValue(v, middle, infinite, INSERT_VALUES));
            }
            OK(VecAssemblyBegin(v));
            OK(VecAssemblyEnd(v));
            OK(MatSOR(v == x.v ? A : R, b, 1, static_cast<MatSORType>(flag), 0, 1, 1, v));
          }
          const PetscScalar *of_x, *of_y;
          OK(VecGetArrayRead(x, &of_x));
          OK(VecGetArrayRead(y, &of_y));
          for (PetscInt i = 0; i < static_cast<PetscInt>(a.rows); ++i)
            EXPECT_EQ(PetscIsInfOrNanScalar(of_x[i]), PetscIsInfOrNanScalar(of_y[i])) << flag << ", row " << i;
          OK(VecRestoreArrayRead(y, &of_y));
          OK(VecRestoreArrayRead(x, &of_x));
        }
        PetscReal bytes;
        OK(MatSpMVGetStatistic(A, "sor_bytes", &bytes));
        EXPECT_GT(bytes, 0);
      }
    }
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

/// By itself PETSc's loop begins, and others go on where they pay: with the same results, also after new values.
TEST_P(Sweeps, ByThemselves)
{
  if (Processes() > 1) return;
  const TestMatrix a = Grid(50);
  OwnedMat         A, R;
  OwnedVec         b, x, y;
  PetscReal        bytes = 0, tried = 0;
  OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
  OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
  OK(MatCreateVecs(A, &x, &b));
  OK(VecDuplicate(x, &y));
  OK(FillVec(b, 1));
  const auto relax = [&] {
    PetscReal all = 0;
    OK(MatSpMVGetStatistic(A, "sor_bytes", &all));
    tried = std::max(tried, all);
    OK(Relax(A, b, 1, SOR_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS, 0, 1, 1, x));
    OK(Relax(R, b, 1, SOR_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS, 0, 1, 1, y));
    EXPECT_NEAR_VECTORS(x, y, kTolerance);
  };
  relax();
  OK(MatSpMVGetStatistic(A, "sor_layout_bytes", &bytes));
  EXPECT_EQ(bytes, 0);
  for (int k = 0; k < 1000 && bytes == 0; ++k) { // whether and when, is a matter of time
    relax();
    OK(MatSpMVGetStatistic(A, "sor_layout_bytes", &bytes));
  }
  for (int k = 0; k < 20; ++k) relax();
  EXPECT_GT(tried, 0); // at least the plain loop
  OK(MatShift(A, 1));
  OK(MatShift(R, 1));
  for (int k = 0; k < 20; ++k) relax();
}

/// Relaxation that decides for each iteration does all of them, with AIJ's bits as long as no layout is made.
TEST_P(Sweeps, DecideForEachIteration)
{
  for (const TestMatrix &a : {Grid(12), OfNodes("nodes", 40, 3, 3)}) {
    OwnedMat R;
    OwnedVec b, x, y;
    OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
    OK(MatCreateVecs(R, &x, &b));
    OK(VecDuplicate(x, &y));
    OK(FillVec(b, 5));
    for (const int flag : {SOR_LOCAL_FORWARD_SWEEP, SOR_LOCAL_BACKWARD_SWEEP, SOR_LOCAL_SYMMETRIC_SWEEP}) {
      for (const int guess : {0, static_cast<int>(SOR_ZERO_INITIAL_GUESS)}) {
        for (const PetscReal omega : {1., 1.3}) {
          SCOPED_TRACE(testing::Message() << a.name << " flag " << flag << " guess " << guess << " omega " << omega);
          OwnedMat A;
          bool     same;
          OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
          OK(Relax(A, b, omega, flag | guess, 0, 2, 2, x));
          OK(Relax(R, b, omega, flag | guess, 0, 2, 2, y));
          EXPECT_NEAR_VECTORS(x, y, kTolerance);
          OK(SameBits(x, y, &same));
          EXPECT_TRUE(same || Processes() > 1); // with several, products with off-diagonal blocks add in another order
        }
      }
    }
  }
}

/// As Richardson's method asks for where it needs no norm: layouts may come in between the iterations of one relaxation. With this
/// omega x is still far from the solution in the end, so that each iteration counts.
TEST_P(Sweeps, ByThemselvesInOneRelaxation)
{
  if (Processes() > 1) return;
  constexpr PetscInt  kMany  = 4000;
  constexpr PetscReal kOmega = 1e-4;
  const TestMatrix    a      = Grid(50);
  OwnedMat            R;
  OwnedVec            b, x, y, one_less;
  OK(PetscSpMVForget());
  OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
  OK(MatCreateVecs(R, &x, &b));
  OK(VecDuplicate(x, &y));
  OK(VecDuplicate(x, &one_less));
  OK(FillVec(b, 1));
  for (const int flag : {static_cast<int>(SOR_SYMMETRIC_SWEEP), SOR_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS}) {
    OwnedMat A;
    OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
    OK(Relax(A, b, kOmega, flag, 0, kMany, 1, x));
    OK(Relax(R, b, kOmega, flag, 0, kMany, 1, y));
    EXPECT_NEAR_VECTORS(x, y, kTolerance);
    OK(Relax(R, b, kOmega, flag, 0, kMany - 1, 1, one_less));
    PetscReal least, norm;
    OK(VecAXPY(one_less, -1, y));
    OK(VecNorm(one_less, NORM_2, &least));
    OK(VecNorm(y, NORM_2, &norm));
    EXPECT_GT(least, 100 * kTolerance * norm); // a lost iteration would be seen
  }
}

/// More iterations than a square of a 32-bit number counts, by layouts of both triangles though a first relaxation needs one.
TEST_P(Sweeps, CountManyIterations)
{
  if (Processes() > 1) return;
  constexpr PetscInt kMany = 65536;
  OwnedMat           A, R;
  OwnedVec           b, x, y;
  OK(CreateMat(Grid(5), GetParam().c_str(), Distribution::Even, &A));
  OK(CreateMat(Grid(5), MATAIJ, Distribution::Even, &R));
  OK(MatSpMVSetSweeps(A, MAT_SPMV_SWEEPS_LAYOUT));
  OK(MatCreateVecs(A, &x, &b));
  OK(VecDuplicate(x, &y));
  OK(FillVec(b, 1));
  for (const int flag : {SOR_FORWARD_SWEEP, SOR_SYMMETRIC_SWEEP}) {
    for (const PetscInt its : {PetscInt{1}, kMany}) {
      OK(Relax(A, b, 1e-5, flag | SOR_ZERO_INITIAL_GUESS, 0, its, 1, x));
      OK(Relax(R, b, 1e-5, flag | SOR_ZERO_INITIAL_GUESS, 0, its, 1, y));
      EXPECT_NEAR_VECTORS(x, y, kTolerance);
    }
  }
}

/// Layouts of many rows are made in parts, as time allows; all relaxations are right with as many as there are. The first is made
/// by what is expected before any measurement: what earlier tests have found is forgotten.
TEST_P(Sweeps, InParts)
{
  if (Processes() > 1) return;
  const TestMatrix a = Grid(200); // windows of 8192 rows
  OwnedMat         A, R;
  OwnedVec         b, x, y;
  PetscReal        bytes = 0, before = 0;
  int              grown = 0;
  OK(PetscSpMVForget());
  OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
  OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
  OK(MatCreateVecs(A, &x, &b));
  OK(VecDuplicate(x, &y));
  OK(FillVec(b, 1));
  const auto relax = [&](int flag, PetscReal omega, PetscReal shift) {
    OK(Relax(A, b, omega, flag, shift, 1, 1, x));
    OK(Relax(R, b, omega, flag, shift, 1, 1, y));
    EXPECT_NEAR_VECTORS(x, y, kTolerance);
  };
  for (int k = 0; k < 1000 && grown < 4; ++k) {
    relax(SOR_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS, 1.2, 0);
    OK(MatSpMVGetStatistic(A, "sor_layout_bytes", &bytes));
    if (bytes <= before) continue;
    before = bytes;
    ++grown;
    for (const int flag : {SOR_FORWARD_SWEEP, SOR_BACKWARD_SWEEP, SOR_SYMMETRIC_SWEEP}) {
      for (const int guess : {0, static_cast<int>(SOR_ZERO_INITIAL_GUESS)}) relax(flag | guess, 1.2, 0);
    }
    if (grown == 2) {
      OK(MatShift(A, 1));
      OK(MatShift(R, 1));
    }
    relax(SOR_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS, 1.1, 0.5);
  }
  EXPECT_GE(grown, 1);
}

INSTANTIATE_TEST_SUITE_P(Types, Sweeps, testing::ValuesIn(Types()), [](const auto &type) { return type.param; });

} // namespace

} // namespace petscspmv::test
