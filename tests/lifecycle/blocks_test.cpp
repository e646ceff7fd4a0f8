// Parallel matrices whose values change behind the back of their blocks: the program writes into arrays and reports it to the
// parallel matrix only, whose type is PETSc's own with -mat_seqaij_type, or one of ours.
#include "lifecycle/changed.hpp"

#include <functional>
#include <petsc/private/petscimpl.h>
#include <petscpc.h>

namespace petscspmv::test {

namespace {

constexpr int kRows = 2000;

/// The rows of this process in the arrays of MatCreateMPIAIJWithSplitArrays(), which belong to the program.
struct SplitArrays {
  std::vector<PetscInt>    i{0}, j, off_i{0}, off_j;
  std::vector<PetscScalar> a, off_a;

  explicit SplitArrays(const TestMatrix &m)
  {
    const auto [begin, end] = OwnRows(m.rows);
    for (PetscInt row = begin; row < end; ++row) {
      for (auto k = static_cast<std::size_t>(m.row_ptr[static_cast<std::size_t>(row)]);
           k < static_cast<std::size_t>(m.row_ptr[static_cast<std::size_t>(row) + 1]); ++k) {
        const PetscInt column = m.col_idx[k];
        const bool     own    = column >= begin && column < end;
        (own ? j : off_j).push_back(own ? column - begin : column);
        (own ? a : off_a).push_back(MakeScalar<PetscScalar>(m.real[k], m.imag[k]));
      }
      i.push_back(static_cast<PetscInt>(j.size()));
      off_i.push_back(static_cast<PetscInt>(off_j.size()));
    }
    for (auto *values : {&a, &off_a}) values->reserve(1); // an address also where there are no entries
    for (auto *columns : {&j, &off_j}) columns->reserve(1);
  }

  PetscErrorCode Create(PetscInt n, Mat *A)
  {
    const PetscInt local = LocalSize(n, Distribution::Even);
    PetscFunctionBegin;
    PetscCall(MatCreateMPIAIJWithSplitArrays(PETSC_COMM_WORLD, local, local, n, n, i.data(), j.data(), a.data(), off_i.data(),
                                             off_j.data(), off_a.data(), A));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  void Scale(PetscScalar by)
  {
    for (PetscScalar &value : a) value *= by;
    for (PetscScalar &value : off_a) value *= by;
  }
};

/// The two ways in which users switch a type on.
enum class By { SeqAIJType, MatType };

/// A matrix of a type over arrays of the program, and the same of MATAIJ over others.
struct OverArrays {
  SplitArrays of_a, of_r;
  OwnedMat    A, R;
  PetscInt    rows;

  explicit OverArrays(const TestMatrix &m) : of_a(m), of_r(m), rows(m.rows) { }

  PetscErrorCode Create(const std::string &type, By by)
  {
    PetscFunctionBegin;
    {
      const CatchAll all("seq" + RootName(type));
      if (by == By::SeqAIJType) PetscCall(of_a.Create(rows, &A));
    }
    if (by == By::MatType) {
      PetscCall(of_a.Create(rows, &A));
      PetscCall(MatConvert(A, RootName(type).c_str(), MAT_INPLACE_MATRIX, &A));
    }
    PetscCall(of_r.Create(rows, &R));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Writes into the arrays, and reports it to the parallel matrices.
  PetscErrorCode Change()
  {
    PetscFunctionBegin;
    of_a.Scale(3);
    of_r.Scale(3);
    PetscCall(PetscObjectStateIncrease((PetscObject)A.A));
    PetscCall(PetscObjectStateIncrease((PetscObject)R.A));
    Mat          blocks[2]; // AIJ keeps the inverse of a block's diagonal for SOR, by the block's state in later versions only
    PetscScalar *values;
    PetscCall(MatMPIAIJGetSeqAIJ(R, &blocks[0], &blocks[1], NULL));
    for (Mat block : blocks) {
      PetscCall(MatSeqAIJGetArray(block, &values));
      PetscCall(MatSeqAIJRestoreArray(block, &values));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

PetscErrorCode RelativeDifference(Vec y, Vec z, PetscReal *difference)
{
  PetscReal size;

  PetscFunctionBegin;
  PetscCall(VecNorm(z, NORM_INFINITY, &size));
  PetscCall(VecAXPY(y, -1.0, z));
  PetscCall(VecNorm(y, NORM_INFINITY, difference));
  if (size > 0) *difference /= size;
  PetscFunctionReturn(PETSC_SUCCESS);
}

#define EXPECT_SAME_VECTORS(y, z)                                                                                                  \
  do {                                                                                                                             \
    PetscReal difference = -1;                                                                                                     \
    OK(RelativeDifference(y, z, &difference));                                                                                     \
    EXPECT_TRUE(difference >= 0 && difference <= 1000 * PETSC_MACHINE_EPSILON) << "relative difference " << difference;            \
  } while (0)

using Operation = std::function<PetscErrorCode(Mat A, Vec x, Vec y)>;

PetscErrorCode MultiplyDiagonalBlock(Mat A, Vec x, Vec y)
{
  Mat      block;
  OwnedVec in, out;

  PetscFunctionBegin;
  PetscCall(MatGetDiagonalBlock(A, &block));
  PetscCall(MatCreateVecs(block, &in, &out));
  PetscCall(VecGetLocalVectorRead(x, in));
  PetscCall(VecGetLocalVector(y, out));
  PetscCall(MatMult(block, in, out));
  PetscCall(VecRestoreLocalVector(y, out));
  PetscCall(VecRestoreLocalVectorRead(x, in));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Residual(Mat A, Vec x, Vec y)
{
  OwnedVec b;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(y, &b));
  PetscCall(VecCopy(y, b));
  PetscCall(MatResidual(A, b, x, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Precondition(Mat A, PCType type, Vec x, Vec y)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(PCCreate(PETSC_COMM_WORLD, &pc));
  PetscCall(PCSetType(pc, type));
  PetscCall(PCSetOperators(pc, A, A));
  PetscCall(PCApply(pc, x, y));
  PetscCall(PCDestroy(&pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// y = the sum of the columns of A X, with a dense matrix X of several columns.
PetscErrorCode MultiplyDense(Mat A, Vec, Vec y)
{
  OwnedMat     X, Y;
  OwnedVec     ones;
  PetscInt     rows, columns;
  PetscScalar *values;

  PetscFunctionBegin;
  PetscCall(MatGetLocalSize(A, &rows, &columns));
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, columns, PETSC_DECIDE, PETSC_DETERMINE, 4, NULL, &X));
  PetscCall(MatDenseGetArrayWrite(X, &values));
  for (PetscInt k = 0; k < 4 * columns; ++k) values[k] = Entry(k, 4);
  PetscCall(MatDenseRestoreArrayWrite(X, &values));
  PetscCall(Assemble(X));
  for (int k = 0; k < 2; ++k) PetscCall(MatMatMult(A, X, k ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, PETSC_DEFAULT, &Y));
  PetscCall(MatCreateVecs(Y, &ones, NULL));
  PetscCall(VecSet(ones, 1.0));
  PetscCall(MatMult(Y, ones, y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const std::vector<std::pair<const char *, Operation>> &Operations()
{
  static const std::vector<std::pair<const char *, Operation>> operations{
    {"MatMult", [](Mat A, Vec x, Vec y) { return MatMult(A, x, y); }},
    {"MatMultAdd", [](Mat A, Vec x, Vec y) { return MatMultAdd(A, x, y, y); }},
    {"MatMultTranspose", [](Mat A, Vec x, Vec y) { return MatMultTranspose(A, x, y); }},
    {"MatMultTransposeAdd", [](Mat A, Vec x, Vec y) { return MatMultTransposeAdd(A, x, y, y); }},
    {"MatMultHermitianTranspose", [](Mat A, Vec x, Vec y) { return MatMultHermitianTranspose(A, x, y); }},
    {"MatResidual", Residual},
    {"MatSOR",
     [](Mat A, Vec x, Vec y) { return MatSOR(A, x, 1.0, static_cast<MatSORType>(SOR_LOCAL_SYMMETRIC_SWEEP), 0.0, 2, 1, y); }},
    {"MatGetDiagonalBlock", MultiplyDiagonalBlock},
    {"MatMatMult with dense", MultiplyDense},
  };
  return operations;
}

TEST(Blocks, SeeWhatIsReportedToTheirParallelMatrix)
{
  for (const std::string &type : Types()) {
    for (const By by : {By::SeqAIJType, By::MatType}) {
      for (const auto &[name, operation] : Operations()) {
        SCOPED_TRACE(type + (by == By::MatType ? " by -mat_type: " : " by -mat_seqaij_type: ") + name);
        OverArrays over(Banded(kRows, kRows, kRows / 2));
        OwnedVec   x, y, z;
        OK(over.Create(type, by));
        OK(MatCreateVecs(over.A, &x, &y));
        OK(VecDuplicate(y, &z));
        OK(FillVec(x, 2));
        for (int k = 0; k < 3; ++k) { // the second time after products of every kind, whose layouts are old then
          OK(FillVec(y, 5));
          OK(VecCopy(y, z));
          OK(operation(over.A, x, y));
          OK(operation(over.R, x, z));
          EXPECT_SAME_VECTORS(y, z);
          for (int products = 0; products < 40; ++products) OK(MatMult(over.A, x, y));
          OK(Use(over.A));
          OK(over.Change());
        }
      }
    }
  }
}

/// A block multiplies or relaxes before its parallel matrix does, so that its layouts are not known to that.
TEST(Blocks, SeeItAlsoIfTheyWereUsedFirst)
{
  for (const std::string &type : Types()) {
    for (const bool relax : {false, true}) {
      SCOPED_TRACE(type + (relax ? " relaxes" : " multiplies"));
      OverArrays over(Banded(kRows, kRows, kRows / 2));
      Mat        blocks[2];
      OwnedVec   b, x, y;
      OK(over.Create(type, By::SeqAIJType));
      OK(MatMPIAIJGetSeqAIJ(over.A, &blocks[0], &blocks[1], NULL));
      if (!relax) {
        for (Mat block : blocks) OK(Use(block));
        OK(over.Change());
        EXPECT_SAME_BOTH_WAYS(over.A, over.R);
        continue;
      }
      const auto flag = static_cast<MatSORType>(SOR_LOCAL_SYMMETRIC_SWEEP | SOR_ZERO_INITIAL_GUESS);
      OK(MatSpMVSetSweeps(blocks[0], MAT_SPMV_SWEEPS_LAYOUT));
      OK(MatCreateVecs(blocks[0], &x, &b));
      OK(FillVec(b, 3));
      OK(MatSOR(blocks[0], b, 1, flag, 0, 1, 1, x));
      OK(over.Change());
      for (Vec *v : {&b, &x}) OK(VecDestroy(v));
      OK(MatCreateVecs(over.A, &x, &b));
      OK(VecDuplicate(x, &y));
      OK(FillVec(b, 3));
      OK(MatSOR(over.A, b, 1, flag, 0, 1, 1, x));
      OK(MatSOR(over.R, b, 1, flag, 0, 1, 1, y));
      EXPECT_SAME_VECTORS(x, y);
    }
  }
}

/// PETSc's tfs, for powers of two and real numbers, multiplies with the blocks by itself to factor the matrix.
TEST(Blocks, SeeItInTfs)
{
  if (Processes() != 2) GTEST_SKIP() << "for two processes";
  if (PetscDefined(USE_COMPLEX)) GTEST_SKIP() << "complex numbers";
  for (const std::string &type : Types()) {
    for (const By by : {By::SeqAIJType, By::MatType}) {
      SCOPED_TRACE(type + (by == By::MatType ? " by -mat_type" : " by -mat_seqaij_type"));
      OverArrays over(Banded(40, 40, 3));
      OwnedVec   x, y, z;
      OK(over.Create(type, by));
      OK(MatCreateVecs(over.A, &x, &y));
      OK(VecDuplicate(y, &z));
      OK(FillVec(x, 2));
      OK(Use(over.A));
      OK(over.Change());
      OK(Precondition(over.A, PCTFS, x, y));
      OK(Precondition(over.R, PCTFS, x, z));
      EXPECT_SAME_VECTORS(y, z);
    }
  }
}

/// What is reported to a copy, and to a matrix that was converted from our type to MATAIJ and back.
TEST(Blocks, SeeItInCopiesAndAfterConversions)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    OverArrays over(Banded(kRows, kRows, kRows / 2));
    OwnedMat   copy;
    OK(over.Create(type, By::MatType));
    const CatchAll all("seq" + RootName(type));
    OK(MatConvert(over.A, MATMPIAIJ, MAT_INPLACE_MATRIX, &over.A));
    OK(MatDuplicate(over.A, MAT_COPY_VALUES, &copy)); // whose blocks are of our type
    Mat             blocks[2];
    PetscScalar    *values;
    const PetscInt *rows, *columns;
    PetscMemType    memtype;
    OK(Use(copy));
    OK(MatMPIAIJGetSeqAIJ(copy, &blocks[0], &blocks[1], NULL));
    EXPECT_EQ(TypeOf(blocks[0]), "seq" + RootName(type));
    for (Mat block : blocks) {
      PetscInt n;
      OK(MatGetLocalSize(block, &n, NULL));
      OK(MatSeqAIJGetCSRAndMemType(block, &rows, &columns, &values, &memtype));
      for (PetscInt k = 0; k < rows[n]; ++k) values[k] *= 3;
    }
    OK(PetscObjectStateIncrease((PetscObject)copy.A));
    OK(MatScale(over.R, 3.0));
    EXPECT_SAME_BOTH_WAYS(copy, over.R);
  }
}

/// A matrix of one process' communicator and the whole one share the diagonal block.
TEST(Blocks, AreSharedByTwoMatrices)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    OverArrays over(Banded(kRows, kRows, kRows / 2));
    OwnedMat   part, reference;
    OK(over.Create(type, By::SeqAIJType));
    OK(MatGetMultiProcBlock(over.A, PETSC_COMM_SELF, MAT_INITIAL_MATRIX, &part));
    OK(MatGetMultiProcBlock(over.R, PETSC_COMM_SELF, MAT_INITIAL_MATRIX, &reference));
    for (int k = 0; k < 4; ++k) {
      OK(Use(over.A));
      OK(Use(part));
      OK(over.Change());
      EXPECT_SAME_BOTH_WAYS(over.A, over.R);
      OwnedVec x, y, z;
      OK(MatCreateVecs(part, &x, &y));
      OK(VecDuplicate(y, &z));
      OK(FillVec(x, 1));
      OK(MatMult(part, x, y));
      OK(MatMult(reference, x, z));
      EXPECT_SAME_VECTORS(y, z);
    }
  }
}

/// A sequential matrix that PETSc has filled from a parallel one.
struct Filled {
  Mat  one     = nullptr;
  Mat *several = nullptr;

  Filled()                          = default;
  Filled(const Filled &)            = delete;
  Filled &operator=(const Filled &) = delete;
  ~Filled() { several ? MatDestroySubMatrices(1, &several) : MatDestroy(&one); }
  Mat Get() const { return several ? several[0] : one; }
};

PetscErrorCode FillFromRows(Mat A, PetscInt first, MatReuse reuse, Filled *to)
{
  OwnedIS  is;
  PetscInt n;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &n, NULL));
  PetscCall(ISCreateStride(PETSC_COMM_SELF, n - first, first, 1, &is));
  const IS rows = is;
  PetscCall(MatCreateSubMatrices(A, 1, &rows, &rows, reuse, &to->several));
  PetscFunctionReturn(PETSC_SUCCESS);
}

using Fill = std::function<PetscErrorCode(Mat A, MatReuse reuse, Filled *to)>;

const std::vector<std::pair<const char *, Fill>> &Fills()
{
  static const std::vector<std::pair<const char *, Fill>> fills{
    {"MatCreateSubMatrices of the whole", [](Mat A, MatReuse reuse, Filled *to) { return FillFromRows(A, 0, reuse, to); }},
    {"MatCreateSubMatrices", [](Mat A, MatReuse reuse, Filled *to) { return FillFromRows(A, 7, reuse, to); }},
    {"MatMPIAIJGetLocalMat", [](Mat A, MatReuse reuse, Filled *to) { return MatMPIAIJGetLocalMat(A, reuse, &to->one); }},
    {"MatMPIAIJGetLocalMatCondensed",
     [](Mat A, MatReuse reuse, Filled *to) { return MatMPIAIJGetLocalMatCondensed(A, reuse, NULL, NULL, &to->one); }},
    {"MatGetMultiProcBlock",
     [](Mat A, MatReuse reuse, Filled *to) { return MatGetMultiProcBlock(A, PETSC_COMM_SELF, reuse, &to->one); }},
  };
  return fills;
}

TEST(Blocks, AreFilledByPetsc)
{
  for (const std::string &type : Types()) {
    for (const auto &[name, fill] : Fills()) {
      SCOPED_TRACE(type + ": " + name);
      // These return A itself, and its block.
      if (Processes() == 1 && (std::string(name) == "MatGetMultiProcBlock" || std::string(name) == "MatMPIAIJGetLocalMat"))
        continue;
      OverArrays over(Banded(kRows, kRows, kRows / 2));
      OK(over.Create(type, By::SeqAIJType));
      const CatchAll all("seq" + RootName(type));
      Filled         filled, reference;
      for (const MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_REUSE_MATRIX, MAT_REUSE_MATRIX}) {
        OwnedVec x, y, z;
        OK(fill(over.A, reuse, &filled));
        OK(fill(over.R, reuse, &reference));
        OK(MatCreateVecs(filled.Get(), &x, &y));
        OK(VecDuplicate(y, &z));
        OK(FillVec(x, 1));
        for (int k = 0; k < 40; ++k) OK(MatMult(filled.Get(), x, y));
        OK(MatMult(reference.Get(), x, z));
        EXPECT_SAME_VECTORS(y, z);
        OK(over.Change());
      }
    }
  }
}

/// Operations that write into blocks, and repeated preallocation, which replaces them.
TEST(Blocks, ChangeWithTheirParallelMatrix)
{
  using Change = std::function<PetscErrorCode(Mat A)>;
  const std::vector<std::pair<const char *, Change>> changes{
    {"MatZeroRows",
     [](Mat A) {
       const PetscInt row = OwnRows(kRows).first;
       return MatZeroRows(A, 1, &row, 2.0, NULL, NULL);
     }},
    {"MatZeroRowsColumns",
     [](Mat A) {
       const PetscInt row = OwnRows(kRows).first;
       return MatZeroRowsColumns(A, 1, &row, 2.0, NULL, NULL);
     }},
    {"MatStoreValues and MatRetrieveValues",
     [](Mat A) {
       PetscFunctionBegin;
       PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
       PetscCall(MatStoreValues(A));
       PetscCall(MatScale(A, 4.0));
       PetscCall(Use(A));
       PetscCall(MatRetrieveValues(A));
       PetscFunctionReturn(PETSC_SUCCESS);
     }},
    {"MatMPIAIJSetPreallocation",
     [](Mat A) {
       const auto [begin, end] = OwnRows(kRows);
       PetscFunctionBegin;
       PetscCall(MatMPIAIJSetPreallocation(A, 7, NULL, 7, NULL));
       PetscCall(Insert(A, Banded(kRows, kRows, 11), begin, end, 3));
       PetscFunctionReturn(PETSC_SUCCESS);
     }},
    {"MatSetValuesCOO",
     [](Mat A) {
       std::vector<PetscInt>    i, j;
       std::vector<PetscScalar> v;
       const auto [begin, end] = OwnRows(kRows);
       PetscFunctionBegin;
       for (PetscInt row = begin; row < end; ++row) {
         for (PetscInt k : {row, (row + 5) % kRows, (row * 7) % kRows}) {
           i.push_back(row);
           j.push_back(k);
           v.push_back(Entry(row + k, 6));
         }
       }
       PetscCall(MatSetPreallocationCOO(A, static_cast<PetscCount>(i.size()), i.data(), j.data()));
       for (int k = 0; k < 2; ++k) {
         for (PetscScalar &value : v) value *= 2;
         PetscCall(MatSetValuesCOO(A, v.data(), INSERT_VALUES));
         PetscCall(Use(A));
       }
       PetscFunctionReturn(PETSC_SUCCESS);
     }},
    {"MatUpdateMPIAIJWithArray",
     [](Mat A) {
       Mat                      local;
       const PetscScalar       *read;
       std::vector<PetscScalar> values;
       MatInfo                  info;
       PetscFunctionBegin;
       PetscCall(MatMPIAIJGetLocalMat(A, MAT_INITIAL_MATRIX, &local));
       PetscCall(MatGetInfo(local, MAT_LOCAL, &info));
       PetscCall(MatSeqAIJGetArrayRead(local, &read));
       for (PetscInt k = 0; k < static_cast<PetscInt>(info.nz_used); ++k) values.push_back(read[k] * Entry(k, 8));
       PetscCall(MatSeqAIJRestoreArrayRead(local, &read));
       PetscCall(MatDestroy(&local));
       PetscCall(MatUpdateMPIAIJWithArray(A, values.data()));
       PetscFunctionReturn(PETSC_SUCCESS);
     }},
  };
  for (const std::string &type : Types()) {
    for (const auto &[name, change] : changes) {
      SCOPED_TRACE(type + ": " + name);
      OwnedMat                 A, R;
      const TestMatrix         a = Banded(kRows, kRows, kRows / 2);
      std::vector<PetscInt>    i{0}, j;
      std::vector<PetscScalar> v;
      const auto [begin, end] = OwnRows(kRows);
      for (PetscInt row = begin; row < end; ++row) {
        for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(row)]);
             k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(row) + 1]); ++k) {
          j.push_back(a.col_idx[k]);
          v.push_back(MakeScalar<PetscScalar>(a.real[k], a.imag[k]));
        }
        i.push_back(static_cast<PetscInt>(j.size()));
      }
      const PetscInt local = end - begin;
      OK(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, local, local, kRows, kRows, i.data(), j.data(), v.data(), &R));
      OK(Use(R));
      const CatchAll all("seq" + RootName(type));
      OK(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, local, local, kRows, kRows, i.data(), j.data(), v.data(), &A));
      for (int k = 0; k < 40; ++k) OK(Use(A));
      OK(change(A));
      OK(PetscOptionsClearValue(NULL, all.option.c_str()));
      OK(change(R));
      EXPECT_SAME_BOTH_WAYS(A, R);
    }
  }
}

} // namespace

} // namespace petscspmv::test
