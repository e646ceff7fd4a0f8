// Calls that PETSc's rules forbid, or that come at an odd time: an error and a matrix that works afterwards, or the right answer.
// docs/promises.md lists what is promised; what takes a whole program is in programs/loading_test.py.
#include "lifecycle/lifecycle.hpp"

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
  }
}

/// Vectors of the matrix' sizes, with numbers in x.
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
    EXPECT_NE([&] {
      ExpectedError expected;
      return static_cast<int>(MatMult(A, x, x));
    }(), 0);
    OK(MatSpMVSetEager(A, PETSC_TRUE)); // settings wait for the matrix
    OK(MatSetUp(A));
    OK(Assemble(A));
    OK(MatShift(A, 2));
    OwnedVec y;
    PetscReal norm;
    OK(VecSet(x, 1));
    OK(VecDuplicate(x, &y));
    OK(MatMult(A, x, y));
    OK(VecNorm(y, NORM_INFINITY, &norm));
    EXPECT_EQ(norm, 2);
  }
}

TEST(Misuse, VectorsOfOtherSizes)
{
  ForEachType([](Pair &pair, const std::string &) {
    Vectors  v;
    OwnedVec other;
    OK(v.Create(pair.A));
    OK(VecCreateMPI(PETSC_COMM_WORLD, LocalSize(kSize, Distribution::Even) + 1, PETSC_DECIDE, &other)); // on every process
    OK(VecSet(other, 1));
    FAILS_WITH("dim", MatMult(pair.A, other, v.y));
    FAILS_WITH("dim", MatMult(pair.A, v.x, other));
    FAILS_WITH("dim", MatMultAdd(pair.A, v.x, other, v.z));
    FAILS_WITH("dim", MatMultTranspose(pair.A, other, v.x));
    OwnedMat B, C;
    OK(MatCreateDense(PETSC_COMM_WORLD, LocalSize(kSize, Distribution::Even) + 1, PETSC_DECIDE, PETSC_DECIDE, 3, NULL, &B));
    OK(Assemble(B));
    FAILS_WITH("dim", MatMatMult(pair.A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
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
    OwnedVec expected;
    OK(VecDuplicate(v.y, &expected));
    OK(MatMultAdd(pair.A, v.x, v.y, expected));
    OK(MatMultAdd(pair.A, v.x, v.y, v.y)); // PETSc allows it
    PetscBool equal;
    OK(VecEqual(expected, v.y, &equal));
    EXPECT_TRUE(equal);
  });
}

/// A vector whose array is read-locked, or taken, may be multiplied with, but not written to.
TEST(Misuse, VectorsWhoseArraysAreTaken)
{
  ForEachType([](Pair &pair, const std::string &) {
    Vectors            v;
    const PetscScalar *array;
    OK(v.Create(pair.A));
    OK(VecGetArrayRead(v.x, &array));
    OK(MatMult(pair.A, v.x, v.y));
    if (PetscDefined(USE_DEBUG)) FAILS_WITH("locked", MatMultTranspose(pair.A, v.y, v.x));
    OK(VecRestoreArrayRead(v.x, &array));
  });
}

/// Values written between taking and restoring the array of a matrix are those of products after restoring it, whatever came
/// between.
TEST(Misuse, MatricesWhoseArraysAreTaken)
{
  ForEachType([](Pair &pair, const std::string &) {
    Vectors   v;
    PetscBool audit;
    OK(v.Create(pair.A));
    OK(PetscOptionsHasName(NULL, NULL, "-spmv_audit", &audit));
    for (Mat M : {pair.A.A, pair.R.A}) {
      Mat          block = M;
      PetscScalar *values;
      if (Processes() > 1) {
        OK(MatMPIAIJGetSeqAIJ(M, &block, NULL, NULL));
      }
      OK(MatSeqAIJGetArray(block, &values));
      values[0] = 3;
      ExpectedError expected; // of an audit; without, the product is one of the values before or after
      const bool    unfinished = audit && Processes() > 1; // it would stop while ghost values are in flight
      if (!unfinished && MatMult(M, v.x, v.y)) {
        EXPECT_NE(expected.message.find("layout is stale"), std::string::npos) << expected.message;
      }
      values[0] = 4;
      OK(MatSeqAIJRestoreArray(block, &values));
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
  OK(MatCSR5SetSigma(A, 4));
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
    EXPECT_NE([&] {
      ExpectedError expected;
      return static_cast<int>(MatSpMVGetStatistic(pair.A, "none such", &value));
    }(), 0);
  });
}

} // namespace

} // namespace petscspmv::test
