// Calls that PETSc's rules forbid, or that come at an odd time: an error and a matrix that works afterwards, or the right answer.
// docs/promises.md lists what is promised; what takes a whole program is in programs/loading_test.py.
#include "lifecycle/lifecycle.hpp"
#include "support/fill_nan.hpp"

#include <algorithm>
#include <cmath>

namespace petscspmv::test {

namespace {

constexpr int kSize = 40;

void ForEachType(void (*check)(Pair &pair, const std::string &type))
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    Pair pair;
    OK(pair.Create(Banded(kSize, kSize, 7), type));
    check(pair, type);
    EXPECT_SAME(pair.A, pair.R);
    OK(MatDestroy(&pair.A)); // which fails where a product has left communication unfinished
  }
}

/// Vectors of the matrix's sizes, with numbers in x.
struct Vectors {
  OwnedVec x, y, z;

  PetscErrorCode Create(Mat A)
  {
    PetscFunctionBegin;
    PetscCall(MatCreateVecs(A, &x, &y));
    PetscCall(VecDuplicate(y, &z));
    PetscCall(FillVec(x, 5));
    PetscCall(FillVec(y, 6));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

TEST(Misuse, UnassembledMatrices)
{
  ForEachType([](Pair &pair, const std::string &) {
    Vectors v;
    OK(v.Create(pair.A));
    const auto [begin, end] = OwnRows(kSize);
    for (Mat M : {pair.A.A, pair.R.A}) {
      for (PetscInt row = begin; row < end; ++row) OK(MatSetValue(M, row, row, 1, ADD_VALUES));
    }
    FAILS_WITH("unassembled", MatMult(pair.A, v.x, v.y));
    FAILS_WITH("unassembled", MatMultAdd(pair.A, v.x, v.y, v.z));
    FAILS_WITH("unassembled", MatResidual(pair.A, v.y, v.x, v.z));
    FAILS_WITH("unassembled", MatMultTranspose(pair.A, v.y, v.x));
    OK(Assemble(pair.A));
    OK(Assemble(pair.R));
  });
}

TEST(Misuse, MatricesWithoutTypeOrSizes)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    OwnedMat A;
    OwnedVec x;
    OK(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, kSize, &x));
    OK(MatCreate(PETSC_COMM_WORLD, &A));
    OK(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, kSize, kSize));
    OK(MatSetType(A, type.c_str()));
    EXPECT_NE(
      [&] {
        ExpectedError expected;
        return static_cast<int>(MatMult(A, x, x));
      }(),
      0);
    OK(MatSpMVSetEager(A, PETSC_TRUE)); // settings wait for the matrix
    OK(MatSetUp(A));
    OK(Assemble(A));
    OK(MatShift(A, 2));
    OwnedVec  y;
    PetscReal norm;
    OK(VecSet(x, 1));
    OK(VecDuplicate(x, &y));
    OK(MatMult(A, x, y));
    OK(VecNorm(y, NORM_INFINITY, &norm));
    EXPECT_EQ(norm, 2);
  }
}

/// Products with vectors and dense matrices that have `more` rows on this process than they should. MatMultAdd() compares global
/// sizes of x, and local sizes of the vector that it adds: the former may not differ, the latter not everywhere.
void ExpectSizesToFail(Pair &pair, PetscInt more, bool everywhere)
{
  Vectors        v;
  OwnedVec       other;
  OwnedMat       B, C;
  PetscInt       size;
  const PetscInt rows = LocalSize(kSize, Distribution::Even) + more;
  OK(v.Create(pair.A));
  OK(VecCreateMPI(PETSC_COMM_WORLD, rows, PETSC_DECIDE, &other));
  OK(VecSet(other, 1));
  OK(VecGetSize(other, &size));
  FAILS_WITH("dim", MatMult(pair.A, other, v.y));
  FAILS_WITH("dim", MatMult(pair.A, v.x, other));
  if (everywhere) FAILS_WITH("dim", MatMultAdd(pair.A, v.x, other, v.z));
  if (size != kSize) FAILS_WITH("dim", MatMultAdd(pair.A, other, v.y, v.z));
  FAILS_WITH("dim", MatMultTranspose(pair.A, other, v.x));
  FAILS_WITH("dim", MatResidual(pair.A, v.y, other, v.z));
  FAILS_WITH("dim", MatResidual(pair.A, v.y, v.x, other));
  if (everywhere) FAILS_WITH("Incompatible vector", MatResidual(pair.A, other, v.x, v.z));
  OK(MatCreateDense(PETSC_COMM_WORLD, rows, PETSC_DECIDE, PETSC_DECIDE, 3, NULL, &B));
  OK(Assemble(B));
  FAILS_WITH("dim", MatMatMult(pair.A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
}

TEST(Misuse, VectorsOfOtherSizes)
{
  ForEachType([](Pair &pair, const std::string &) { ExpectSizesToFail(pair, 1, true); });
}

/// A size that differs on one process alone differs in total: every process has an error, and none waits.
TEST(Misuse, VectorsOfAnotherSizeOnOneProcess)
{
  ForEachType([](Pair &pair, const std::string &) { ExpectSizesToFail(pair, Rank() == Processes() - 1, Processes() == 1); });
}

/// The same size in total: an error where the local size differs. That is both of two processes; a third would wait.
TEST(Misuse, VectorsDistributedInAnotherWay)
{
  if (Processes() > 2) GTEST_SKIP() << "the third waits";
  ForEachType([](Pair &pair, const std::string &) { ExpectSizesToFail(pair, Rank() == 0 ? 1 : -1, true); });
}

/// Only debug builds of PETSc look for them.
TEST(Misuse, NumbersThatAreNone)
{
  ForEachType([](Pair &pair, const std::string &) {
    Vectors v;
    OK(v.Create(pair.A));
    OK(MatSetErrorIfFailure(pair.A, PETSC_TRUE));
    OK(VecSet(v.x, PETSC_INFINITY));
    OK(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
    const bool by_mult     = MatMult(pair.A, v.x, v.z) == PETSC_SUCCESS,
               by_residual = MatResidual(pair.A, v.y, v.x, v.z) == PETSC_SUCCESS;
    OK(PetscPopErrorHandler());
    EXPECT_EQ(by_residual, by_mult);
  });
}

TEST(Misuse, VectorsThatAreTheSame)
{
  ForEachType([](Pair &pair, const std::string &) {
    Vectors v;
    OK(v.Create(pair.A));
    FAILS_WITH("different vectors", MatMult(pair.A, v.x, v.x));
    FAILS_WITH("different vectors", MatMultAdd(pair.A, v.x, v.y, v.x));
    FAILS_WITH("different vectors", MatMultTranspose(pair.A, v.x, v.x));
    FAILS_WITH("different vectors", MatResidual(pair.A, v.y, v.x, v.x));
    OwnedVec expected;
    OK(VecDuplicate(v.y, &expected));
    OK(MatMultAdd(pair.A, v.x, v.y, expected));
    OK(MatMultAdd(pair.A, v.x, v.y, v.y)); // PETSc allows it
    PetscBool equal;
    OK(VecEqual(expected, v.y, &equal));
    EXPECT_TRUE(equal);
  });
}

/// A vector that is read-locked, or whose array is taken, may be multiplied with, but not written to.
TEST(Misuse, VectorsWhoseArraysAreTaken)
{
  ForEachType([](Pair &pair, const std::string &) {
    Vectors            v;
    const PetscScalar *array;
    OK(v.Create(pair.A));
    OK(VecGetArrayRead(v.x, &array));
    OK(MatMult(pair.A, v.x, v.y));
    OK(VecRestoreArrayRead(v.x, &array));
    OK(VecLockReadPush(v.x)); // which is checked by a PETSc for debugging only
    OK(MatMult(pair.A, v.x, v.y));
    if (PetscDefined(USE_DEBUG)) {
      FAILS_WITH("locked", MatMultTranspose(pair.R, v.y, v.x));
      FAILS_WITH("locked", MatMultTranspose(pair.A, v.y, v.x));
    }
    OK(VecLockReadPop(v.x));
  });
}

/// Takes the array of this process' diagonal block and doubles its values.
PetscErrorCode TakeDoubled(Mat M, Mat *block, PetscScalar **values)
{
  MatInfo info;

  PetscFunctionBegin;
  *block = M;
  if (Processes() > 1) PetscCall(MatMPIAIJGetSeqAIJ(M, block, NULL, NULL));
  PetscCall(MatGetInfo(*block, MAT_LOCAL, &info));
  PetscCall(MatSeqAIJGetArray(*block, values));
  for (PetscInt k = 0; k < static_cast<PetscInt>(info.nz_used); ++k) (*values)[k] *= 2;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The largest difference between entries of this process.
PetscReal Farthest(Vec a, Vec b)
{
  const PetscScalar *of_a, *of_b;
  PetscInt           rows;
  PetscReal          farthest = 0;
  VecGetLocalSize(a, &rows);
  VecGetArrayRead(a, &of_a);
  VecGetArrayRead(b, &of_b);
  for (PetscInt i = 0; i < rows; ++i) {
    const PetscReal distance = PetscAbsScalar(of_a[i] - of_b[i]);
    if (!(distance <= farthest)) farthest = std::isnan(distance) ? PETSC_MAX_REAL : distance;
  }
  VecRestoreArrayRead(a, &of_a);
  VecRestoreArrayRead(b, &of_b);
  return farthest;
}

/// Whether -spmv_audit finds products with a matrix whose array is taken: where layouts have copies of its values, as those of
/// csr5, which multiplies for the type spmv here.
bool IsAudited(const std::string &type)
{
  PetscBool audit = PETSC_FALSE;
  PetscOptionsHasName(NULL, NULL, "-spmv_audit", &audit);
  return audit && type != MATIPCSR && type != MATSPECULATIVE;
}

/// Whether an audit may stop a product while ghost values are in flight: vectors may be on a device.
bool AuditsLate(Mat A)
{
  PetscBool on_host = PETSC_TRUE;
  MatBoundToCPU(A, &on_host);
  return !on_host && Processes() > 1;
}

/// Products with a matrix whose array is taken have the values from before or those written so far, all rows of a process the
/// same; after it is restored they have the new ones, whatever came between.
TEST(Misuse, MatricesWhoseArraysAreTaken)
{
  ForEachType([](Pair &pair, const std::string &type) {
    constexpr PetscReal kRounding = 1000 * PETSC_MACHINE_EPSILON, kChange = 1; // entries of A x are less than 20
    Vectors             v;
    OwnedVec            before, after;
    Mat                 block, reference;
    PetscScalar        *values;
    OK(v.Create(pair.A));
    OK(VecDuplicate(v.y, &before));
    OK(VecDuplicate(v.y, &after));
    OK(MatMult(pair.R, v.x, before));
    OK(TakeDoubled(pair.R, &reference, &values));
    OK(MatSeqAIJRestoreArray(reference, &values));
    OK(MatMult(pair.R, v.x, after));
    EXPECT_GT(Farthest(before, after), kChange);
    OK(TakeDoubled(pair.A, &block, &values));
    if (!IsAudited(type)) {
      OK(FillNaN(v.y));
      OK(MatMult(pair.A, v.x, v.y));
      EXPECT_LE(std::min(Farthest(v.y, before), Farthest(v.y, after)), kRounding);
    } else if (!AuditsLate(pair.A)) {
      FAILS_WITH("layout is stale", MatMult(pair.A, v.x, v.y));
    }
    for (Mat M : {block, reference}) {
      if (M == reference) {
        OK(MatSeqAIJGetArray(M, &values));
      }
      values[0] = 4;
      OK(MatSeqAIJRestoreArray(M, &values));
    }
  });
}

TEST(Misuse, TypesChangeBetweenProducts)
{
  ForEachType([](Pair &pair, const std::string &type) {
    for (const std::string &other : Types()) {
      OK(MatConvert(pair.A, other.c_str(), MAT_INPLACE_MATRIX, &pair.A.A));
      EXPECT_SAME(pair.A, pair.R);
      OK(MatConvert(pair.A, MATAIJ, MAT_INPLACE_MATRIX, &pair.A.A));
      EXPECT_SAME(pair.A, pair.R);
    }
    OK(MatConvert(pair.A, type.c_str(), MAT_INPLACE_MATRIX, &pair.A.A));
  });
}

/// A solver that was set up before the conversion.
TEST(Misuse, TypesChangeUnderASolver)
{
  ForEachType([](Pair &pair, const std::string &type) {
    Vectors   v;
    OwnedVec  residual;
    PetscReal norm, least;
    KSP       ksp;
    PC        pc;
    OK(v.Create(pair.A));
    OK(VecDuplicate(v.y, &residual));
    OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
    OK(KSPSetOperators(ksp, pair.A, pair.A));
    OK(KSPSetType(ksp, KSPGMRES));
    OK(KSPGetPC(ksp, &pc));
    OK(PCSetType(pc, PCJACOBI));
    OK(KSPSetTolerances(ksp, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 500));
    OK(KSPSetUp(ksp));
    for (const std::string &next : {std::string(MATAIJ), type}) {
      OK(MatConvert(pair.A, next.c_str(), MAT_INPLACE_MATRIX, &pair.A.A));
      OK(KSPSolve(ksp, v.y, v.x));
      OK(MatMult(pair.R, v.x, residual));
      OK(VecAXPY(residual, -1, v.y));
      OK(VecNorm(residual, NORM_2, &norm));
      OK(VecNorm(v.y, NORM_2, &least));
      EXPECT_LE(norm, 1e-7 * least) << next;
    }
    OK(KSPDestroy(&ksp));
  });
}

/// Who borrows a matrix, or a block of it, and holds a reference may go on when its owner has destroyed it.
TEST(Misuse, MatricesDestroyedWhileBorrowed)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    Pair    pair;
    Vectors v;
    Mat     blocks[2];
    OK(pair.Create(Banded(kSize, kSize, 7), type));
    for (Mat *block = blocks; Mat M : {pair.A.A, pair.R.A}) {
      *block = M;
      if (Processes() > 1) {
        OK(MatMPIAIJGetSeqAIJ(M, block, NULL, NULL));
      }
      OK(PetscObjectReference((PetscObject)*block++));
    }
    OK(MatDestroy(&pair.A));
    OK(MatDestroy(&pair.R));
    EXPECT_SAME(blocks[0], blocks[1]);
    for (Mat block : blocks) OK(MatScale(block, 2));
    EXPECT_SAME(blocks[0], blocks[1]);
    for (Mat &block : blocks) OK(MatDestroy(&block));
  }
}

/// Every setter and question on a matrix that is none of the library's: as PETSc's own do.
TEST(Misuse, MatricesOfOtherTypes)
{
  OwnedMat    A;
  MatSpMVInfo info;
  PetscReal   value;
  OK(CreateMat(Banded(kSize, kSize, 7), MATAIJ, Distribution::Even, &A));
  OK(MatSpMVSetEager(A, PETSC_TRUE));
  OK(MatSpMVSetTranspose(A, MAT_SPMV_TRANSPOSE_LAYOUT));
  OK(MatSpMVSetOption(A, "sigma", 4));
  for (const int code : {[&] {
                           ExpectedError expected;
                           return static_cast<int>(MatSpMVGetInfo(A, &info));
                         }(),
                         [&] {
                           ExpectedError expected;
                           return static_cast<int>(MatSpMVGetStatistic(A, "tiles", &value));
                         }()})
    EXPECT_NE(code, 0);
}

/// Whole numbers of all sizes and names that are none.
TEST(Misuse, Settings)
{
  ForEachType([](Pair &pair, const std::string &) {
    PetscReal value;
    FAILS_WITH("no option", MatSpMVSetOption(pair.A, "none such", 1));
    FAILS_WITH("not a MatSpMVTranspose", MatSpMVSetTranspose(pair.A, static_cast<MatSpMVTranspose>(3)));
    EXPECT_NE(
      [&] {
        ExpectedError expected;
        return static_cast<int>(MatSpMVGetStatistic(pair.A, "none such", &value));
      }(),
      0);
  });
}

} // namespace

} // namespace petscspmv::test
