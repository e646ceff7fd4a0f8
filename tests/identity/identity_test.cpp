// Checks that a format's own kernels ran, that layouts are built when they should be and only then, and that options have the
// effect they name.
#include "support/options.hpp"
#include "support/petsc_test.hpp"

#include <petsc/private/petscimpl.h>

#include <fstream>
#include <set>
#include <sstream>

namespace petscspmv::test {

namespace {

/// What a matrix has done since construction, summed over all processes.
class Since {
public:
  explicit Since(Mat A) : A_(A), before_(Now()) { }

  MatSpMVInfo Counts() const
  {
    MatSpMVInfo now = Now();
    for (auto member : kMembers) now.*member -= before_.*member;
    return now;
  }

private:
  static constexpr PetscInt64 MatSpMVInfo::*kMembers[] = {&MatSpMVInfo::mult,    &MatSpMVInfo::multadd, &MatSpMVInfo::multtranspose,
                                                          &MatSpMVInfo::mpimult, &MatSpMVInfo::builds,  &MatSpMVInfo::refreshes};

  MatSpMVInfo Now() const
  {
    MatSpMVInfo info{};
    EXPECT_EQ(static_cast<int>(MatSpMVGetInfo(A_, &info)), 0);
    for (auto member : kMembers) MPI_Allreduce(MPI_IN_PLACE, &(info.*member), 1, MPIU_INT64, MPI_SUM, PETSC_COMM_WORLD);
    return info;
  }

  Mat         A_;
  MatSpMVInfo before_;
};

const TestMatrix &Square()
{
  static const TestMatrix a = FromRowLengths("square", 500, 500, [](int i) { return 1 + i % 7; });
  return a;
}

/// As large, with entries elsewhere.
const TestMatrix &OtherPattern()
{
  static const TestMatrix a = FromRowLengths(
    "other", 500, 500, [](int i) { return 1 + i % 4; }, 9);
  return a;
}

/// Sequential matrices of a format that a product involves: one, or two per process.
PetscInt64 Blocks()
{
  return Processes() == 1 ? 1 : 2 * Processes();
}

PetscErrorCode Multiply(Mat A, int times, bool transposed = false)
{
  Vec x, y;

  PetscFunctionBegin;
  PetscCall(transposed ? MatCreateVecs(A, &y, &x) : MatCreateVecs(A, &x, &y));
  PetscCall(FillVec(x, 1));
  for (int k = 0; k < times; ++k) PetscCall(transposed ? MatMultTranspose(A, x, y) : MatMult(A, x, y));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Changes y.
void ExpectClose(Vec y, Vec expected, const std::string &what = "")
{
  PetscReal difference, size;
  OK(VecNorm(expected, NORM_INFINITY, &size));
  OK(VecAXPY(y, -1.0, expected));
  OK(VecNorm(y, NORM_INFINITY, &difference));
  EXPECT_TRUE(difference <= kTolerance * size) << what << ": " << difference << " of " << size;
}

/// Two sequential matrices, on each process separately.
void ExpectSameProduct(Mat A, Mat R)
{
  OwnedVec x, y, z;
  OK(MatCreateVecs(R, &x, &y));
  OK(VecDuplicate(y, &z));
  OK(VecSet(x, 1.0));
  OK(MatMult(A, x, y));
  OK(MatMult(R, x, z));
  ExpectClose(y, z);
}

TEST(Identity, OwnKernelsRun)
{
  for (const std::string &type : Types()) {
    OwnedMat A;
    OwnedVec x, y, r;
    OK(CreateMat(Square(), type.c_str(), Distribution::Even, &A));
    OK(MatCreateVecs(A, &x, &y));
    OK(VecDuplicate(y, &r));
    OK(FillVec(x, 1));
    const Since since(A);
    for (int k = 0; k < 3; ++k) OK(MatMult(A, x, y));
    OK(MatMultAdd(A, x, y, y));
    OK(MatResidual(A, y, x, r));
    const MatSpMVInfo counts = since.Counts();
    const PetscInt64  n      = Processes();
    EXPECT_EQ(counts.mult, 3 * n) << type;
    EXPECT_EQ(counts.multadd, n == 1 ? 2 : 7 * n) << type; // off-diagonal blocks add; in a sum and in a residual both do
    EXPECT_EQ(counts.mpimult, n == 1 ? 0 : 3 * n) << type;
    EXPECT_EQ(counts.builds, Blocks()) << type;
    EXPECT_EQ(counts.refreshes, 0) << type;
  }
}

/// Also the first one of a parallel matrix, whose blocks are not of our types before.
TEST(Identity, ResidualsTakeOnePass)
{
  for (const std::string &type : Types()) {
    OwnedMat A;
    OwnedVec x, b, r;
    OK(CreateMat(Square(), type.c_str(), Distribution::Even, &A));
    OK(MatCreateVecs(A, &x, &b));
    OK(VecDuplicate(b, &r));
    const Since since(A);
    OK(MatResidual(A, b, x, r));
    EXPECT_EQ(since.Counts().mult, 0) << type;
    EXPECT_EQ(since.Counts().multadd, Blocks()) << type;
  }
}

/// Also on processes without entries, where the product is a copy: had one of them a norm that the others have not, VecNorm() would
/// hang or differ.
TEST(Identity, SumsForgetTheNormsOfTheirVector)
{
  for (const std::string &type : Types()) {
    for (const PetscInt rows : {0, 5}) { // of processes without entries
      OwnedMat A;
      OwnedVec x, b, z;
      OK(MatCreate(PETSC_COMM_WORLD, &A));
      OK(MatSetSizes(A, Rank() == 0 ? 10 : rows, Rank() == 0 ? 10 : rows, PETSC_DETERMINE, PETSC_DETERMINE));
      OK(MatSetType(A, type.c_str()));
      OK(MatSetUp(A));
      for (PetscInt row = 0; Rank() == 0 && row < 10; ++row) OK(MatSetValue(A, row, row, 3.0, INSERT_VALUES));
      OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
      OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
      OK(MatCreateVecs(A, &x, &b));
      OK(VecSet(x, 2.0));
      OK(VecDuplicate(b, &z));
      const auto expect_unknown = [&](const char *after) {
        PetscBool known;
        PetscReal norm;
        OK(VecNormAvailable(z, NORM_2, &known, &norm));
        EXPECT_FALSE(known) << type << " " << after << ", " << rows << " rows without entries";
      };
      const auto know_norms = [&] {
        PetscReal norm;
        OK(VecSet(b, 1.0));
        OK(VecScale(b, 1.5));
        OK(VecNorm(b, NORM_2, &norm));
        OK(VecCopy(b, z)); // with its norm
      };
      for (int round = 0; round < 3; ++round) {
        know_norms();
        OK(MatResidual(A, b, x, z));
        expect_unknown("MatResidual");
        know_norms();
        OK(MatMultAdd(A, x, b, z));
        expect_unknown("MatMultAdd");
        know_norms();
        OK(MatMultAdd(A, x, z, z));
        expect_unknown("MatMultAdd in place");
        know_norms();
        OK(MatMultTransposeAdd(A, x, b, z));
        expect_unknown("MatMultTransposeAdd");
      }
    }
  }
}

/// csrcopy has its own kernels for the transpose.
TEST(Identity, TransposedProductsRunWhereTheyShould)
{
  OwnedMat A;
  OwnedVec x, y;
  OK(CreateMat(Square(), "csrcopy", Distribution::Even, &A));
  OK(MatCreateVecs(A, &x, &y));
  OK(FillVec(y, 1));
  const Since since(A);
  OK(MatMultTranspose(A, y, x));
  OK(MatMultTransposeAdd(A, y, x, x));
  EXPECT_GT(since.Counts().multtranspose, 0);
  EXPECT_EQ(since.Counts().builds, Blocks());
}

/// The types whose products with the transpose are done by AIJ or by a layout of the transpose.
std::vector<std::string> TransposingTypes()
{
  std::vector<std::string> types = FormatTypes();
  std::erase(types, "csrcopy");
  return types;
}

/// How many of `times` products with the transpose were done by layouts.
PetscInt64 TransposesByLayout(Mat A, int times)
{
  const Since since(A);
  EXPECT_EQ(static_cast<int>(Multiply(A, times, true)), 0);
  return since.Counts().multtranspose / Blocks();
}

TEST(Identity, LayoutsOfTheTransposeAreMadeWhereTheyAreWorthIt)
{
  for (const std::string &type : TransposingTypes()) {
    SCOPED_TRACE(type);
    OwnedMat    A, B;
    MatSpMVInfo info;
    OK(CreateMat(Square(), type.c_str(), Distribution::Even, &A));
    OK(Multiply(A, 50)); // irrelevant here
    const Since since(A);
    EXPECT_EQ(TransposesByLayout(A, 32), 0);
    EXPECT_EQ(since.Counts().builds, 0);
    EXPECT_EQ(TransposesByLayout(A, 5), 5);
    EXPECT_EQ(since.Counts().builds, Blocks());
    OK(MatScale(A, 2.0)); // the values before lasted long
    EXPECT_EQ(TransposesByLayout(A, 3), 3);
    EXPECT_EQ(since.Counts().refreshes, Blocks());
    OK(MatScale(A, 2.0)); // these did not
    EXPECT_EQ(TransposesByLayout(A, 16), 0);
    EXPECT_EQ(TransposesByLayout(A, 2), 2);
    EXPECT_EQ(since.Counts().builds, Blocks());
    EXPECT_EQ(since.Counts().refreshes, 2 * Blocks());

    OK(MatSpMVGetInfo(A, &info));
    const double with = info.bytes;
    OK(MatSpMVSetTranspose(A, MAT_SPMV_TRANSPOSE_AIJ));
    EXPECT_EQ(TransposesByLayout(A, 40), 0);
    OK(MatSpMVGetInfo(A, &info));
    EXPECT_LT(info.bytes, with);
    OK(MatSpMVSetTranspose(A, MAT_SPMV_TRANSPOSE_LAYOUT));
    OK(MatDuplicate(A, MAT_COPY_VALUES, &B));
    for (Mat M : {A.A, B.A}) EXPECT_EQ(TransposesByLayout(M, 1), 1);
    FAILS_WITH("not a MatSpMVTranspose", MatSpMVSetTranspose(A, static_cast<MatSpMVTranspose>(3)));
  }
}

TEST(Identity, TransposesByOption)
{
  for (const std::string &type : TransposingTypes()) {
    SCOPED_TRACE(type);
    const std::string option = "-mat_" + type + "_transpose";
    OwnedMat          A, B, of_transpose;
    OwnedVec          x, y, z;
    PetscReal         value = 0;
    PetscBool         same;
    OK(PetscOptionsSetValue(NULL, option.c_str(), "layout"));
    OK(CreateMat(Square(), type.c_str(), Distribution::Even, &A));
    OK(PetscOptionsSetValue(NULL, option.c_str(), "aij"));
    OK(CreateMat(Square(), type.c_str(), Distribution::Even, &B));
    OK(PetscOptionsClearValue(NULL, option.c_str()));
    EXPECT_EQ(TransposesByLayout(A, 1), 1);
    EXPECT_EQ(TransposesByLayout(B, 40), 0);
    OK(MatSpMVGetStatistic(A, "transpose_bytes", &value));
    EXPECT_GT(value, 0);
    OK(MatSpMVGetStatistic(B, "transpose_bytes", &value));
    EXPECT_EQ(value, 0);
    if (Processes() > 1) continue; // sums of ghost values have another order
    OK(MatTranspose(A, MAT_INITIAL_MATRIX, &of_transpose));
    OK(MatCreateVecs(A, &x, &y));
    OK(VecDuplicate(x, &z));
    OK(FillVec(y, 1));
    OK(MatMultTranspose(A, y, x));
    OK(MatMult(of_transpose, y, z));
    OK(VecEqual(x, z, &same));
    EXPECT_TRUE(same); // the product of that format with A^T
  }
}

TEST(Identity, LayoutsAreMadeOnceAndRefreshedWhenValuesChange)
{
  for (const std::string &type : Types()) {
    OwnedMat A;
    OK(CreateMat(Square(), type.c_str(), Distribution::Even, &A));
    const Since since(A);
    EXPECT_EQ(since.Counts().builds, 0); // not before the first product
    OK(Multiply(A, 5));
    EXPECT_EQ(since.Counts().builds, Blocks());
    OK(MatScale(A, 2.0));
    OK(Multiply(A, 5));
    EXPECT_EQ(since.Counts().refreshes, Blocks());
    OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
    OK(Multiply(A, 5));
    EXPECT_EQ(since.Counts().builds, Blocks()) << type;
    OwnedMat B;
    OK(MatDuplicate(A, MAT_COPY_VALUES, &B));
    const Since copy(B);
    OK(Multiply(A, 1));
    OK(Multiply(B, 1));
    EXPECT_EQ(since.Counts().builds, Blocks()) << type;
    EXPECT_EQ(copy.Counts().builds, Blocks()) << type;
  }
}

TEST(Identity, EagerMatricesHaveTheirLayoutAfterAssembly)
{
  for (const std::string &type : FormatTypes()) {
    const std::string key = "-mat_" + type + "_eager";
    OwnedMat          A;
    OK(PetscOptionsSetValue(NULL, key.c_str(), "true"));
    OK(CreateMat(Square(), type.c_str(), Distribution::Even, &A));
    OK(PetscOptionsClearValue(NULL, key.c_str()));
    const Since since(A);
    MatSpMVInfo info;
    OK(MatSpMVGetInfo(A, &info));
    EXPECT_EQ(info.builds, Processes() == 1 ? 1 : 2) << type;
    OK(Multiply(A, 3));
    EXPECT_EQ(since.Counts().builds, 0) << type;
    EXPECT_EQ(since.Counts().refreshes, Blocks()) << type; // values may be written after assembly: one refresh, no more
  }
}

/// The value of an option as the layout reports it.
void ExpectStatistic(Mat A, const char *key, double value)
{
  PetscReal found = -1;
  OK(MatSpMVGetStatistic(A, key, &found));
  EXPECT_EQ(found, value) << key;
}

/// Every option takes effect, keeps products right, is inherited by a copy, and rejects invalid values.
TEST(Identity, OptionsTakeEffect)
{
  for (const OptionCase &option : OptionCases()) {
    SCOPED_TRACE(std::string(option.type) + " " + option.key);
    OwnedMat A, R, copy;
    PetscInt initial, found;
    OK(CreateMat(Square(), option.type, Distribution::Even, &A));
    OK(CreateMat(Square(), MATAIJ, Distribution::Even, &R));
    OK(Multiply(A, 1));
    OK(MatSpMVGetOption(A, option.key, &initial));
    for (PetscInt value : option.values) {
      OK(MatSpMVSetOption(A, option.key, value));
      OK(MatSpMVGetOption(A, option.key, &found));
      EXPECT_EQ(found, value);
      ExpectStatistic(A, option.key, static_cast<double>(value));
      EXPECT_SAME(A, R);
    }
    OK(MatDuplicate(A, MAT_COPY_VALUES, &copy));
    ExpectStatistic(copy, option.key, static_cast<double>(option.values.back()));
    for (PetscInt value : option.outside) FAILS_WITH("must be ", MatSpMVSetOption(A, option.key, value));
    OK(MatSpMVSetOption(A, option.key, initial));
    OK(MatSpMVSetOption(R, option.key, option.values.front())); // no effect on it
    EXPECT_SAME(A, R);
  }
}

TEST(Identity, ErrorOfUnknownNameListsTheKnownOnes)
{
  OwnedMat  A, aij;
  PetscReal v;
  OK(CreateMat(Square(), "csr5", Distribution::Even, &A));
  OK(CreateMat(Square(), MATAIJ, Distribution::Even, &aij));
  OK(MatSpMVSetOption(A, "omega", PETSC_DECIDE));
  ExpectStatistic(A, "omega", 8);
  FAILS_WITH("must be 1 to 64, or PETSC_DECIDE", MatSpMVSetOption(A, "omega", 65));
  FAILS_WITH("no option chunk; it has omega", MatSpMVSetOption(A, "chunk", 1));
  FAILS_WITH("no figure chunk; it has omega", MatSpMVGetStatistic(A, "chunk", &v));
  FAILS_WITH("not one of PetscSpMV's", MatSpMVGetStatistic(aij, "omega", &v));
}

/// Matrix products and submatrices write values after their assembly: eager matrices must not keep the old ones.
TEST(Identity, EagerMatricesSeeValuesWrittenAfterAssembly)
{
  for (const std::string &type : Types()) {
    const std::string key = "-mat_" + type + "_eager";
    OwnedMat          A, R, AA, RR;
    IS                all;
    Mat              *submatrices = nullptr, *references = nullptr;
    OK(PetscOptionsSetValue(NULL, key.c_str(), "true"));
    OK(CreateMat(Square(), type.c_str(), Distribution::Even, &A));
    OK(CreateMat(Square(), MATAIJ, Distribution::Even, &R));
    OK(ISCreateStride(PETSC_COMM_SELF, 500, 0, 1, &all));
    for (MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_REUSE_MATRIX, MAT_REUSE_MATRIX}) {
      OK(MatMatMult(A, A, reuse, PETSC_DEFAULT, &AA));
      OK(MatMatMult(R, R, reuse, PETSC_DEFAULT, &RR));
      EXPECT_SAME(AA, RR);
      OK(MatCreateSubMatrices(A, 1, &all, &all, reuse, &submatrices));
      OK(MatCreateSubMatrices(R, 1, &all, &all, reuse, &references));
      ExpectSameProduct(submatrices[0], references[0]);
      OK(MatScale(A, 2.0));
      OK(MatScale(R, 2.0));
    }
    OK(MatDestroySubMatrices(1, &submatrices));
    OK(MatDestroySubMatrices(1, &references));
    OK(ISDestroy(&all));
    OK(PetscOptionsClearValue(NULL, key.c_str()));
  }
}

/// A caller that changes a block's arrays may increase the state of the parallel matrix only.
TEST(Identity, StateOfAParallelMatrixReachesItsBlocks)
{
  if (Processes() == 1) GTEST_SKIP();
  for (const std::string &type : Types()) {
    OwnedMat        A, R;
    Mat             diagonal;
    PetscScalar    *values;
    const PetscInt *i, *j;
    PetscMemType    memtype;
    OK(CreateMat(Square(), type.c_str(), Distribution::Even, &A));
    OK(Multiply(A, 2));
    OK(MatMPIAIJGetSeqAIJ(A, &diagonal, NULL, NULL));
    OK(MatSeqAIJGetCSRAndMemType(diagonal, &i, &j, &values, &memtype));
    for (PetscInt k = 0; k < i[LocalSize(500, Distribution::Even)]; ++k) values[k] *= 3;
    OK(PetscObjectStateIncrease((PetscObject)A.A));
    OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &R));
    EXPECT_SAME(A, R);
  }
}

/// The same if MatMult() is not the first to use the blocks: relaxation multiplies with the off-diagonal block, and a
/// preconditioner with the diagonal one.
TEST(Identity, StateOfAParallelMatrixReachesItsBlocksFromElsewhere)
{
  if (Processes() == 1) GTEST_SKIP();
  for (const std::string &type : Types()) {
    OwnedMat        A, R;
    Mat             blocks[2], diagonal, reference;
    PetscScalar    *values;
    const PetscInt *i, *j;
    PetscMemType    memtype;
    OwnedVec        b, x, y;
    OK(CreateMat(Square(), type.c_str(), Distribution::Even, &A));
    OK(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    OK(MatShift(A, 1e7));
    OK(Multiply(A, 2));
    OK(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
    for (int k = 1; k >= 0; --k) {
      OK(MatSeqAIJGetCSRAndMemType(blocks[k], &i, &j, &values, &memtype));
      for (PetscInt e = 0; e < i[LocalSize(500, Distribution::Even)]; ++e) values[e] *= 3;
      OK(PetscObjectStateIncrease((PetscObject)A.A));
      OK(MatDestroy(&R));
      OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &R));
      if (k == 0) break; // AIJ keeps the inverse of the diagonal
      OK(MatCreateVecs(A, &b, &x));
      OK(VecDuplicate(x, &y));
      OK(FillVec(b, 1));
      OK(MatSOR(A, b, 1.0, static_cast<MatSORType>(SOR_LOCAL_SYMMETRIC_SWEEP), 0.0, 2, 1, x));
      OK(MatSOR(R, b, 1.0, static_cast<MatSORType>(SOR_LOCAL_SYMMETRIC_SWEEP), 0.0, 2, 1, y));
      ExpectClose(x, y, type);
    }
    OK(MatGetDiagonalBlock(A, &diagonal));
    OK(MatGetDiagonalBlock(R, &reference));
    ExpectSameProduct(diagonal, reference);
  }
}

/// A program may replace methods, including those by which this library's types differ from AIJ.
TEST(Identity, ReplacedMethodsStayAndDisturbNobody)
{
  for (const std::string &type : Types()) {
    OwnedMat    A;
    MatSpMVInfo info;
    PetscViewer viewer;
    OK(CreateMat(Square(), type.c_str(), Distribution::Even, &A));
    OK(MatSetOperation(A, MATOP_MULT,
                       reinterpret_cast<void (*)(void)>(
                         static_cast<PetscErrorCode (*)(Mat, Vec, Vec)>([](Mat, Vec, Vec y) { return VecSet(y, 7.0); }))));
    OwnedVec  x, y;
    PetscReal largest, least;
    OK(MatCreateVecs(A, &x, &y));
    OK(MatMult(A, x, y));
    OK(VecMax(y, NULL, &largest));
    OK(VecMin(y, NULL, &least));
    EXPECT_TRUE(largest == 7 && least == 7);
    OwnedVec residual;
    OK(VecDuplicate(y, &residual));
    OK(MatResidual(A, y, x, residual));
    OK(VecNorm(residual, NORM_INFINITY, &largest));
    EXPECT_EQ(largest, 0);
    OK(MatSpMVGetInfo(A, &info));
    EXPECT_EQ(info.mult, 0);
    OK(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "identity-view.txt", &viewer));
    OK(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO_DETAIL));
    OK(MatView(A, viewer));
    OK(PetscViewerPopFormat(viewer));
    OK(PetscViewerDestroy(&viewer));
  }
}

/// As AIJ's, whose methods ask for arrays: also of matrices without entries, where the sum is a copy.
TEST(Identity, SumsTakeNestsOfOneVector)
{
  if (Processes() > 1) GTEST_SKIP();
  for (const std::string &type : Types()) {
    for (const PetscInt entries : {0, 1}) {
      OwnedMat A;
      OwnedVec x, b, nest, z;
      OK(MatCreate(PETSC_COMM_SELF, &A));
      OK(MatSetSizes(A, 5, 5, 5, 5));
      OK(MatSetType(A, type.c_str()));
      OK(MatSetUp(A));
      for (PetscInt k = 0; k < entries; ++k) OK(MatSetValue(A, k, k, 4.0, INSERT_VALUES));
      OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
      OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
      OK(MatCreateVecs(A, &x, &b));
      OK(VecDuplicate(b, &z));
      OK(VecSet(x, 1.0));
      OK(VecSet(b, 2.0));
      Vec inner = b;
      OK(VecCreateNest(PETSC_COMM_SELF, 1, NULL, &inner, &nest));
      const auto expect_sum = [&](Vec of) {
        const PetscScalar *sum;
        OK(VecGetArrayRead(of, &sum));
        for (PetscInt row = 0; row < 5; ++row) EXPECT_EQ(sum[row], row < entries ? 6.0 : 2.0) << type << ", row " << row;
        OK(VecRestoreArrayRead(of, &sum));
      };
      OK(MatMultAdd(A, x, nest, z));
      expect_sum(z);
      OK(VecSet(z, 0.0));
      OK(MatMultTransposeAdd(A, x, nest, z));
      expect_sum(z);
      OK(VecSet(z, 2.0));
      OK(VecSet(b, 0.0));
      OK(MatMultAdd(A, x, z, nest));
      expect_sum(b);
    }
  }
}

/// On one process alone, of whose block the others know nothing.
TEST(Identity, ResidualsGoByTheMatMultAddOfABlock)
{
  if (Processes() == 1) GTEST_SKIP();
  for (const std::string &type : Types()) {
    OwnedMat A;
    OwnedVec x, b, r, product, expected;
    Mat      block;
    OK(CreateMat(Square(), type.c_str(), Distribution::Even, &A));
    OK(MatCreateVecs(A, &x, &b));
    OK(VecDuplicate(b, &r));
    OK(VecDuplicate(b, &product));
    OK(VecDuplicate(b, &expected));
    OK(FillVec(x, 1));
    OK(FillVec(b, 2));
    OK(MatMult(A, x, product));
    OK(MatMPIAIJGetSeqAIJ(A, &block, NULL, NULL));
    const auto mult_add = [](Mat of, Vec with, Vec add, Vec z) {
      PetscFunctionBegin;
      if (add != z) PetscCall(VecCopy(add, z));
      OwnedVec y;
      PetscCall(VecDuplicate(z, &y));
      PetscCall(MatMult(of, with, y));
      PetscCall(VecAXPY(z, 1.0, y));
      PetscFunctionReturn(PETSC_SUCCESS);
    };
    if (Rank() == 0) {
      OK(MatSetOperation(block, MATOP_MULT_ADD,
                         reinterpret_cast<void (*)(void)>(static_cast<PetscErrorCode (*)(Mat, Vec, Vec, Vec)>(mult_add))));
    }
    OK(MatResidual(A, b, x, r));
    OK(VecWAXPY(expected, -1.0, product, b));
    ExpectClose(r, expected, type);
  }
}

/// The prefix may be set after the type.
TEST(Identity, OptionsAreThoseOfTheLastPrefix)
{
  OwnedMat A;
  OK(PetscOptionsSetValue(NULL, "-mat_csr5_omega", "4"));
  OK(MatCreate(PETSC_COMM_WORLD, &A));
  OK(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 100, 100));
  OK(MatSetType(A, "csr5"));
  OK(MatSetOptionsPrefix(A, "other_"));
  OK(MatSetFromOptions(A));
  PetscInt omega;
  OK(MatSpMVGetOption(A, "omega", &omega));
  EXPECT_EQ(omega, PETSC_DECIDE);
  OK(PetscOptionsClearValue(NULL, "-mat_csr5_omega"));
}

/// A different pattern, or an in-place transpose, refills the matrix with another one's data. Its settings stay, also where that is
/// done again before the matrix is used.
TEST(Identity, SettingsSurviveHeaderMerges)
{
  for (const int kind : {0, 1, 2, 3}) {
    const bool transpose = kind % 2, again = kind / 2;
    OwnedMat   A, B;
    PetscInt   value;
    OK(CreateMat(Square(), "csr5", Distribution::Even, &A));
    OK(CreateMat(OtherPattern(), "csr5", Distribution::Even, &B));
    OK(MatSpMVSetOption(A, "sigma", 7));
    OK(MatSpMVSetEager(A, PETSC_TRUE));
    OK(Multiply(A, 1));
    for (int k = 0; k < 1 + again; ++k)
      OK(transpose ? MatTranspose(A, MAT_INPLACE_MATRIX, &A) : MatAXPY(A, 2.0, B, DIFFERENT_NONZERO_PATTERN));
    OK(MatSpMVGetOption(A, "sigma", &value));
    EXPECT_EQ(value, 7);
    OK(Multiply(A, 1));
    ExpectStatistic(A, "sigma", 7);
  }
}

/// They stay too where a block is refilled after the matrix to which it belongs.
TEST(Identity, SettingsSurviveHeaderMergesOfBlocks)
{
  if (Processes() == 1) GTEST_SKIP();
  OwnedMat A, B, other;
  Mat      block;
  PetscInt value;
  OK(CreateMat(Square(), "csr5", Distribution::Even, &A));
  OK(CreateMat(OtherPattern(), "csr5", Distribution::Even, &B));
  OK(MatSpMVSetOption(A, "sigma", 7));
  OK(MatAXPY(A, 2.0, B, DIFFERENT_NONZERO_PATTERN));
  OK(MatMPIAIJGetSeqAIJ(A, &block, NULL, NULL));
  OK(MatTranspose(block, MAT_INITIAL_MATRIX, &other));
  OK(MatAXPY(block, 2.0, other, DIFFERENT_NONZERO_PATTERN));
  OK(Multiply(A, 1));
  for (Mat C : {A.A, block}) {
    OK(MatSpMVGetOption(C, "sigma", &value));
    EXPECT_EQ(value, 7);
  }
}

/// A matrix that is refilled and then converted in place to a type of PETSc's leaves nothing to those that get its address later.
TEST(Identity, SettingsDoNotOutliveTheirMatrix)
{
  OwnedMat         B;
  std::set<void *> addresses;
  int              same = 0;
  OK(CreateMat(OtherPattern(), "csr5", Distribution::Even, &B));
  const auto refill = [&](PetscInt sigma, Mat *A) {
    PetscFunctionBegin;
    PetscCall(CreateMat(Square(), "csr5", Distribution::Even, A));
    PetscCall(MatSpMVSetOption(*A, "sigma", sigma));
    PetscCall(MatAXPY(*A, 2.0, B, DIFFERENT_NONZERO_PATTERN));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  for (int k = 0; k < 20; ++k) {
    OwnedMat before, after[4];
    PetscInt value;
    OK(refill(5, &before));
    addresses.insert(before.A);
    OK(MatConvert(before, MATBAIJ, MAT_INPLACE_MATRIX, &before));
    OK(MatDestroy(&before));
    for (OwnedMat &A : after) {
      OK(refill(7, &A));
      same += addresses.contains(A.A);
      OK(MatSpMVGetOption(A, "sigma", &value));
      EXPECT_EQ(value, 7);
    }
  }
  if (same == 0) GTEST_SKIP() << "no address came again";
}

TEST(Identity, OptionsOfTheDatabaseWithPrefix)
{
  OwnedMat A;
  OK(PetscOptionsSetValue(NULL, "-mine_mat_type", "csr5"));
  OK(PetscOptionsSetValue(NULL, "-mine_mat_csr5_sigma", "7"));
  OK(PetscOptionsSetValue(NULL, "-mat_csr5_sigma", "9"));
  OK(MatCreate(PETSC_COMM_WORLD, &A));
  OK(MatSetOptionsPrefix(A, "mine_"));
  OK(MatSetSizes(A, PETSC_DECIDE, PETSC_DECIDE, 100, 100));
  OK(MatSetFromOptions(A));
  OK(MatSetUp(A));
  OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  ExpectStatistic(A, "sigma", 7);
  for (const char *key : {"-mine_mat_type", "-mine_mat_csr5_sigma", "-mat_csr5_sigma"}) OK(PetscOptionsClearValue(NULL, key));
}

std::string TextOf(const char *file)
{
  std::ifstream     in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The text of a view has all options and the memory.
void ExpectView(const char *file, const std::string &type)
{
  std::stringstream        text(TextOf(file));
  std::vector<std::string> words{"bytes=", "of CSR"};
  for (const OptionCase &option : OptionCases()) {
    if (type == option.type) words.push_back(std::string(option.key) + "=");
  }
  EXPECT_GT(words.size(), 2u) << "no options of " << type << " in OptionCases()";
  for (std::string &word : words) {
    std::replace(word.begin(), word.end(), '_', ' ');
    EXPECT_NE(text.str().find(word), std::string::npos) << word << " in:\n" << text.str();
  }
  EXPECT_EQ(text.str().find("off-diagonal blocks") != std::string::npos, Processes() > 1);
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 110u) << line;
}

/// The layout's figures on any number of processes must add up to the whole matrix. No option asks for them, and a
/// matrix that another object shows, indented, is shown as it is with AIJ.
TEST(Identity, ViewShowsTheLayout)
{
  for (const std::string &type : Types()) {
    OwnedMat    A;
    PetscViewer viewer;
    const char *file = "identity-view.txt";
    OK(CreateMat(Square(), type.c_str(), Distribution::Even, &A));
    OK(PetscViewerASCIIOpen(PETSC_COMM_WORLD, file, &viewer));
    OK(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
    OK(PetscViewerASCIIPushTab(viewer));
    OK(MatView(A, viewer));
    OK(PetscViewerFlush(viewer));
    if (Rank() == 0) {
      EXPECT_EQ(TextOf(file).find("of CSR"), std::string::npos);
    }
    OK(PetscViewerASCIIPopTab(viewer));
    OK(MatView(A, viewer));
    OK(PetscViewerPopFormat(viewer));
    OK(PetscViewerDestroy(&viewer));
    if (Rank() == 0) ExpectView(file, type);
  }
}

} // namespace

} // namespace petscspmv::test
