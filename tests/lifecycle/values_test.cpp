// Operations that change a matrix in place, each between products.
#include "lifecycle/lifecycle.hpp"

namespace petscspmv::test {

namespace {

constexpr int kSize = 67;

/// `other` is of the matrix's own type or plain; the operation chooses its pattern.
struct Operation {
  enum Pattern { Same, Subset, Different };

  const char *name;
  Pattern     pattern;
  PetscErrorCode (*apply)(Mat *A, Mat other);
};

TestMatrix Other(Operation::Pattern pattern)
{
  if (pattern == Operation::Same) return Banded(kSize, kSize, 9);
  if (pattern == Operation::Subset) return Banded(kSize, kSize, 1);
  return Banded(kSize, kSize, 20);
}

/// The rows that row operations act on, given on the first process: owned by several processes.
const PetscInt kRows[] = {0, 2, 31, 32, 66};

/// Two vectors with entries near one, as left and right scaling.
PetscErrorCode Scales(Mat A, OwnedVec &left, OwnedVec &right)
{
  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &right, &left));
  PetscCall(FillVec(left, 5));
  PetscCall(FillVec(right, 6));
  PetscCall(VecShift(left, 2));
  PetscCall(VecShift(right, 2));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ScaleDiagonally(Mat A, bool by_rows, bool by_columns)
{
  OwnedVec left, right;

  PetscFunctionBegin;
  PetscCall(Scales(A, left, right));
  PetscCall(MatDiagonalScale(A, by_rows ? left.v : nullptr, by_columns ? right.v : nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetDiagonal(Mat A, InsertMode mode)
{
  OwnedVec left, right;

  PetscFunctionBegin;
  PetscCall(Scales(A, left, right));
  PetscCall(MatDiagonalSet(A, left, mode));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ZeroRows(Mat A, bool columns, PetscBool keep)
{
  OwnedVec x, b;

  PetscFunctionBegin;
  PetscCall(Scales(A, b, x));
  PetscCall(MatSetOption(A, MAT_KEEP_NONZERO_PATTERN, keep));
  PetscCall((columns ? MatZeroRowsColumns : MatZeroRows)(A, Rank() ? 0 : 5, kRows, 3, x, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Overwrite(Mat A, Mat other, MatStructure structure)
{
  PetscFunctionBegin;
  PetscCall(MatScale(A, 9));
  PetscCall(MatCopy(other, A, structure));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The blocks of a parallel matrix, or the matrix itself.
PetscErrorCode Blocks(Mat A, std::vector<Mat> &blocks)
{
  Mat diagonal, off;

  PetscFunctionBegin;
  blocks = {A};
  if (Processes() == 1) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatMPIAIJGetSeqAIJ(A, &diagonal, &off, NULL));
  blocks = {diagonal, off};
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode WriteArrays(Mat A, bool whole)
{
  std::vector<Mat> blocks;

  PetscFunctionBegin;
  PetscCall(Blocks(A, blocks));
  for (Mat block : blocks) {
    MatInfo      info;
    PetscScalar *a;
    PetscCall(MatGetInfo(block, MAT_LOCAL, &info));
    const auto n = static_cast<PetscInt>(info.nz_used);
    PetscCall(whole ? MatSeqAIJGetArrayWrite(block, &a) : MatSeqAIJGetArray(block, &a));
    for (PetscInt k = 0; k < n; ++k) a[k] = whole ? Entry(k, 8) : a[k] * static_cast<PetscReal>(1 + k % 3);
    PetscCall(whole ? MatSeqAIJRestoreArrayWrite(block, &a) : MatSeqAIJRestoreArray(block, &a));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Writes while other products use the matrix in between; the last Restore reports the change.
PetscErrorCode WriteArraysTwice(Mat A)
{
  PetscFunctionBegin;
  PetscCall(WriteArrays(A, false));
  PetscCall(Use(A));
  PetscCall(WriteArrays(A, false));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StoreAndRetrieve(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE)); // required by MatStoreValues()
  PetscCall(MatScale(A, 3));
  PetscCall(MatStoreValues(A));
  PetscCall(MatScale(A, 7));
  PetscCall(Use(A));
  PetscCall(MatRetrieveValues(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// By local numbers: those of the process' own rows, and of the next process' first rows.
PetscErrorCode SetLocal(Mat A)
{
  ISLocalToGlobalMapping mapping;
  std::vector<PetscInt>  global;

  PetscFunctionBegin;
  const auto [begin, end] = OwnRows(kSize);
  for (PetscInt row = begin; row < end + 1; ++row) global.push_back(row % kSize);
  const auto n = static_cast<PetscInt>(global.size());
  PetscCall(ISLocalToGlobalMappingCreate(PETSC_COMM_WORLD, 1, n, global.data(), PETSC_COPY_VALUES, &mapping));
  PetscCall(MatSetLocalToGlobalMapping(A, mapping, mapping));
  PetscCall(ISLocalToGlobalMappingDestroy(&mapping));
  for (PetscInt row = 0; row < n; ++row) PetscCall(MatSetValueLocal(A, row, row, 0.5, ADD_VALUES));
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  const PetscInt first = 0;
  PetscCall(Use(A));
  PetscCall(MatZeroRowsLocal(A, 1, &first, 4, NULL, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AddEverywhere(Mat A, const TestMatrix &a, MatAssemblyType first)
{
  PetscFunctionBegin;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  const auto [begin, end] = OwnRows(kSize);
  if (first == MAT_FLUSH_ASSEMBLY) {
    PetscCall(MatSetValue(A, (end + 3) % kSize, (end + 3) % kSize, 2, INSERT_VALUES)); // also other processes' rows
    PetscCall(MatAssemblyBegin(A, MAT_FLUSH_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FLUSH_ASSEMBLY));
  }
  PetscCall(Insert(A, a, begin, end, 0.5, ADD_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Refill(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatResetPreallocation(A));
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  const auto [begin, end] = OwnRows(kSize);
  PetscCall(Insert(A, Banded(kSize, kSize, 9), begin, end, 3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PreallocateAnew(Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatSeqAIJSetPreallocation(A, 5, NULL));
  PetscCall(MatMPIAIJSetPreallocation(A, 5, NULL, 5, NULL));
  const auto [begin, end] = OwnRows(kSize);
  PetscCall(Insert(A, Banded(kSize, kSize, 20), begin, end, 3));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Chop(Mat A, PetscReal tolerance)
{
  PetscFunctionBegin;
#if PETSC_VERSION_LT(3, 20, 0)
  PetscCall(MatChop(A, tolerance));
#else
  PetscCall(MatFilter(A, tolerance, PETSC_FALSE, PETSC_FALSE));
#endif
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ReplaceHeader(Mat *A, Mat other)
{
  Mat copy;

  PetscFunctionBegin;
  PetscCall(MatConvert(other, TypeOf(*A).c_str(), MAT_INITIAL_MATRIX, &copy));
  PetscCall(Use(copy));
  PetscCall(MatHeaderReplace(*A, &copy));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Operation kOperations[] = {
  {"MatScale", Operation::Same, [](Mat *A, Mat) { return MatScale(*A, 3); }},
  {"MatScale by 0", Operation::Same, [](Mat *A, Mat) { return MatScale(*A, 0); }},
  {"MatShift", Operation::Same, [](Mat *A, Mat) { return MatShift(*A, 2.5); }},
  {"MatZeroEntries", Operation::Same, [](Mat *A, Mat) { return MatZeroEntries(*A); }},
  {"MatConjugate", Operation::Same, [](Mat *A, Mat) { return MatConjugate(*A); }},
  {"MatRealPart", Operation::Same, [](Mat *A, Mat) { return MatRealPart(*A); }},
  {"MatImaginaryPart", Operation::Same, [](Mat *A, Mat) { return MatImaginaryPart(*A); }},
  {"MatSetRandom", Operation::Same, [](Mat *A, Mat) { return MatSetRandom(*A, NULL); }},
  {"MatDiagonalScale", Operation::Same, [](Mat *A, Mat) { return ScaleDiagonally(*A, true, true); }},
  {"MatDiagonalScale, rows", Operation::Same, [](Mat *A, Mat) { return ScaleDiagonally(*A, true, false); }},
  {"MatDiagonalScale, columns", Operation::Same, [](Mat *A, Mat) { return ScaleDiagonally(*A, false, true); }},
  {"MatDiagonalSet, insert", Operation::Same, [](Mat *A, Mat) { return SetDiagonal(*A, INSERT_VALUES); }},
  {"MatDiagonalSet, add", Operation::Same, [](Mat *A, Mat) { return SetDiagonal(*A, ADD_VALUES); }},
  {"MatAXPY, same pattern", Operation::Same, [](Mat *A, Mat B) { return MatAXPY(*A, 0.5, B, SAME_NONZERO_PATTERN); }},
  {"MatAXPY, subset", Operation::Subset, [](Mat *A, Mat B) { return MatAXPY(*A, 0.5, B, SUBSET_NONZERO_PATTERN); }},
  {"MatAXPY, same but not known so", Operation::Same, [](Mat *A, Mat B) { return MatAXPY(*A, 0.5, B, UNKNOWN_NONZERO_PATTERN); }},
  {"MatAXPY, different but not known", Operation::Different,
   [](Mat *A, Mat B) { return MatAXPY(*A, 0.5, B, UNKNOWN_NONZERO_PATTERN); }},
  {"MatAXPY, different pattern", Operation::Different,
   [](Mat *A, Mat B) { return MatAXPY(*A, 0.5, B, DIFFERENT_NONZERO_PATTERN); }},
  {"MatAYPX, same pattern", Operation::Same, [](Mat *A, Mat B) { return MatAYPX(*A, 0.5, B, SAME_NONZERO_PATTERN); }},
  {"MatAYPX, subset", Operation::Subset, [](Mat *A, Mat B) { return MatAYPX(*A, 0.5, B, SUBSET_NONZERO_PATTERN); }},
  {"MatAYPX, different pattern", Operation::Different,
   [](Mat *A, Mat B) { return MatAYPX(*A, 0.5, B, DIFFERENT_NONZERO_PATTERN); }},
  {"MatCopy, same pattern", Operation::Same, [](Mat *A, Mat B) { return Overwrite(*A, B, SAME_NONZERO_PATTERN); }},
  {"MatCopy, same but not known so", Operation::Same, [](Mat *A, Mat B) { return Overwrite(*A, B, DIFFERENT_NONZERO_PATTERN); }},
  {"MatCopy, subset", Operation::Subset, [](Mat *A, Mat B) { return MatCopy(B, *A, SUBSET_NONZERO_PATTERN); }},
  {"MatCopy, different pattern", Operation::Different, [](Mat *A, Mat B) { return MatCopy(B, *A, DIFFERENT_NONZERO_PATTERN); }},
  {"MatHeaderReplace", Operation::Different, [](Mat *A, Mat B) { return ReplaceHeader(A, B); }},
  {"MatTranspose in place", Operation::Same, [](Mat *A, Mat) { return MatTranspose(*A, MAT_INPLACE_MATRIX, A); }},
  {"MatZeroRows", Operation::Same, [](Mat *A, Mat) { return ZeroRows(*A, false, PETSC_FALSE); }},
  {"MatZeroRows, pattern kept", Operation::Same, [](Mat *A, Mat) { return ZeroRows(*A, false, PETSC_TRUE); }},
  {"MatZeroRowsColumns", Operation::Same, [](Mat *A, Mat) { return ZeroRows(*A, true, PETSC_FALSE); }},
  {"MatZeroRowsColumns, pattern kept", Operation::Same, [](Mat *A, Mat) { return ZeroRows(*A, true, PETSC_TRUE); }},
  {"MatSetValuesLocal, MatZeroRowsLocal", Operation::Same, [](Mat *A, Mat) { return SetLocal(*A); }},
  {"reassembled, same pattern", Operation::Same,
   [](Mat *A, Mat) { return AddEverywhere(*A, Banded(kSize, kSize, 9), MAT_FINAL_ASSEMBLY); }},
  {"reassembled, flushed between", Operation::Same,
   [](Mat *A, Mat) { return AddEverywhere(*A, Banded(kSize, kSize, 9), MAT_FLUSH_ASSEMBLY); }},
  {"reassembled, new pattern", Operation::Same,
   [](Mat *A, Mat) { return AddEverywhere(*A, Banded(kSize, kSize, 20), MAT_FINAL_ASSEMBLY); }},
  {"MatResetPreallocation", Operation::Same, [](Mat *A, Mat) { return Refill(*A); }},
  {"preallocated anew", Operation::Same, [](Mat *A, Mat) { return PreallocateAnew(*A); }},
  {"MatStoreValues, MatRetrieveValues", Operation::Same, [](Mat *A, Mat) { return StoreAndRetrieve(*A); }},
  {"MatSeqAIJGetArray", Operation::Same, [](Mat *A, Mat) { return WriteArrays(*A, false); }},
  {"MatSeqAIJGetArray, twice", Operation::Same, [](Mat *A, Mat) { return WriteArraysTwice(*A); }},
  {"MatSeqAIJGetArrayWrite", Operation::Same, [](Mat *A, Mat) { return WriteArrays(*A, true); }},
  {"MatChop or MatFilter, a little", Operation::Same, [](Mat *A, Mat) { return Chop(*A, 1e-14); }},
  {"MatChop or MatFilter, much", Operation::Same, [](Mat *A, Mat) { return Chop(*A, 0.8); }},
};

TEST(LifecycleValues, OperationsInPlace)
{
  for (const std::string &type : Types()) {
    const std::string full = FullName(type);
    for (const Operation &op : kOperations) {
      for (bool plain : {false, true}) {
        SCOPED_TRACE(type + ", " + op.name + (plain ? ", with an aij" : ", with one of its own type"));
        Pair p, other;
        OK(p.Create(Banded(kSize, kSize, 9), type));
        OK(other.Create(Other(op.pattern), type));
        OK(op.apply(&p.A, plain ? other.R : other.A));
        OK(op.apply(&p.R, other.R));
        CheckAndGoOn(p.A, p.R, full);
      }
    }
  }
}

TEST(LifecycleValues, IntoAnAij)
{
  for (const std::string &type : Types()) {
    for (const Operation &op : kOperations) {
      SCOPED_TRACE(type + ", " + op.name + ", aij with one of the type");
      Pair     other;
      OwnedMat A, R;
      OK(other.Create(Other(op.pattern), type));
      OK(Create(Banded(kSize, kSize, 9), MATAIJ, &A));
      OK(Create(Banded(kSize, kSize, 9), MATAIJ, &R));
      OK(op.apply(&A, other.A));
      OK(op.apply(&R, other.R));
      CheckAndGoOn(A, R, TypeOf(R));
      EXPECT_SAME_BOTH_WAYS(other.A, other.R);
    }
  }
}

/// Blocks of our type in a plain parallel matrix, as created by -mat_seqaij_type.
TEST(LifecycleValues, UnderTheCatchAll)
{
  for (const std::string &type : Types()) {
    const std::string seq = "seq" + RootName(type);
    for (const Operation &op : kOperations) {
      SCOPED_TRACE(type + ", " + op.name);
      Pair p, other;
      OK(Create(Banded(kSize, kSize, 9), MATAIJ, &p.R));
      OK(Create(Other(op.pattern), MATAIJ, &other.R));
      OK(op.apply(&p.R, other.R));
      {
        CatchAll catch_all(seq);
        OK(Create(Banded(kSize, kSize, 9), MATAIJ, &p.A));
        OK(Create(Other(op.pattern), MATAIJ, &other.A));
        OK(op.apply(&p.A, other.A));
      }
      CheckAndGoOn(p.A, p.R, Processes() > 1 ? MATMPIAIJ : seq);
    }
  }
}

/// One after the other on one matrix, as in a long run.
TEST(LifecycleValues, AllOperationsInARow)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    Pair p;
    OK(p.Create(Banded(kSize, kSize, 9), type));
    for (const Operation &op : kOperations) {
      if (op.pattern == Operation::Subset || std::string(op.name).find(", same") != std::string::npos)
        continue; // by now the pattern is different
      if (std::string(op.name) == "MatResetPreallocation")
        continue; // MatHeaderReplace() put in a matrix that was never preallocated
      Pair other;
      SCOPED_TRACE(op.name);
      OK(other.Create(Other(op.pattern), type));
      OK(op.apply(&p.A, other.A));
      OK(op.apply(&p.R, other.R));
      EXPECT_SAME_BOTH_WAYS(p.A, p.R);
    }
  }
}

/// MatSeqAIJSetColumnIndices() replaces the pattern and changes neither the state nor the nonzero state.
TEST(LifecycleValues, ColumnIndices)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    Pair p;
    OK(p.Create(Banded(kSize, kSize, 1), type));
    for (Mat M : {p.A.A, p.R.A}) {
      std::vector<Mat>      blocks;
      std::vector<PetscInt> columns;
      const PetscInt       *i, *j;
      PetscInt              rows;
      PetscBool             done;
      MatInfo               info;
      OK(Blocks(M, blocks));
      OK(MatGetRowIJ(blocks[0], 0, PETSC_FALSE, PETSC_FALSE, &rows, &i, &j, &done));
      for (PetscInt row = 0; row < rows; ++row) {
        for (PetscInt k = i[row]; k < i[row + 1]; ++k) columns.push_back(row / 2 + (k - i[row])); // at most 3 per row
      }
      OK(MatRestoreRowIJ(blocks[0], 0, PETSC_FALSE, PETSC_FALSE, &rows, &i, &j, &done));
      OK(MatGetInfo(blocks[0], MAT_LOCAL, &info));
      columns.resize(static_cast<std::size_t>(info.nz_allocated)); // PETSc reads as many as the block has allocated
      OK(MatSeqAIJSetColumnIndices(blocks[0], columns.data()));
    }
    EXPECT_SAME_BOTH_WAYS(p.A, p.R);
  }
}

TEST(LifecycleValues, DuplicatesAreTheirOwn)
{
  for (const std::string &type : Types()) {
    const std::string full = FullName(type);
    for (MatDuplicateOption option : {MAT_COPY_VALUES, MAT_DO_NOT_COPY_VALUES, MAT_SHARE_NONZERO_PATTERN}) {
      SCOPED_TRACE(type + ", option " + std::to_string(option));
      Pair p, copy;
      OK(p.Create(Banded(kSize, kSize, 9), type));
      OK(MatDuplicate(p.A, option, &copy.A));
      OK(MatDuplicate(p.R, option, &copy.R));
      EXPECT_EQ(TypeOf(copy.A), full);
      EXPECT_SAME_BOTH_WAYS(copy.A, copy.R);
      OK(MatCopy(p.A, copy.A, SAME_NONZERO_PATTERN));
      OK(MatCopy(p.R, copy.R, SAME_NONZERO_PATTERN));
      EXPECT_SAME_BOTH_WAYS(copy.A, copy.R);
      OK(MatScale(p.A, 2));
      EXPECT_SAME_BOTH_WAYS(copy.A, copy.R);
      OK(MatScale(p.R, 2));
      EXPECT_SAME_BOTH_WAYS(p.A, p.R);
      OK(MatDestroy(&p.A));
      CheckAndGoOn(copy.A, copy.R, full);
    }
  }
}

TEST(LifecycleValues, Transposes)
{
  for (const std::string &type : Types()) {
    const std::string full = FullName(type);
    for (int cols : {kSize, 50, 80}) { // square, tall and wide
      SCOPED_TRACE(type + ", " + std::to_string(cols) + " columns");
      Pair p, t;
      OK(p.Create(Banded(kSize, cols, 9), type));
      OK(MatTranspose(p.A, MAT_INITIAL_MATRIX, &t.A));
      OK(MatTranspose(p.R, MAT_INITIAL_MATRIX, &t.R));
      EXPECT_EQ(TypeOf(t.A), full);
      EXPECT_SAME_BOTH_WAYS(t.A, t.R);
      OK(MatScale(p.A, 3));
      OK(MatScale(p.R, 3));
      OK(MatTranspose(p.A, MAT_REUSE_MATRIX, &t.A));
      OK(MatTranspose(p.R, MAT_REUSE_MATRIX, &t.R));
      CheckAndGoOn(t.A, t.R, full);
      OK(MatTranspose(p.A, MAT_INPLACE_MATRIX, &p.A.A));
      OK(MatTranspose(p.R, MAT_INPLACE_MATRIX, &p.R.A));
      CheckAndGoOn(p.A, p.R, full);
    }
  }
}

/// None of them may affect the type or the products.
TEST(LifecycleValues, MatOptions)
{
  const MatOption options[] = {MAT_SYMMETRIC,
                               MAT_STRUCTURALLY_SYMMETRIC,
                               MAT_HERMITIAN,
                               MAT_SPD,
                               MAT_KEEP_NONZERO_PATTERN,
                               MAT_NEW_NONZERO_LOCATIONS,
                               MAT_NEW_NONZERO_LOCATION_ERR,
                               MAT_USE_INODES,
                               MAT_IGNORE_ZERO_ENTRIES,
                               MAT_ROW_ORIENTED,
                               MAT_NO_OFF_PROC_ENTRIES,
                               MAT_NO_OFF_PROC_ZERO_ROWS,
                               MAT_IGNORE_OFF_PROC_ENTRIES};
  for (const std::string &type : Types()) {
    Pair p;
    OK(p.Create(Banded(kSize, kSize, 9, true), type));
    for (MatOption option : options) {
      SCOPED_TRACE(type + ", " + MatOptions[option]);
      for (PetscBool value : {PETSC_TRUE, PETSC_FALSE}) OK(MatSetOption(p.A, option, value));
      OwnedMat copy;
      OK(MatDuplicate(p.A, MAT_COPY_VALUES, &copy));
      OK(MatScale(copy, 2));
      OK(MatScale(p.R, 2));
      EXPECT_SAME_BOTH_WAYS(copy, p.R);
      OK(MatScale(p.R, 0.5));
    }
    EXPECT_SAME_BOTH_WAYS(p.A, p.R);
    EXPECT_EQ(TypeOf(p.A), FullName(type));
  }
}

} // namespace

} // namespace petscspmv::test
