// Parts extracted from a matrix.
#include "lifecycle/changed.hpp"

namespace petscspmv::test {

namespace {

struct Choice {
  const char *name;
  PetscInt    n, first, step;
};

void CheckSubMatrix(const std::string &type, const Choice &rows, const Choice &cols)
{
  Pair    p, s;
  OwnedIS r, c;
  OK(CreateChanged(type, &p));
  OK(ISCreateStride(PETSC_COMM_WORLD, rows.n, rows.first, rows.step, &r));
  OK(ISCreateStride(PETSC_COMM_WORLD, cols.n, cols.first, cols.step, &c));
  OK(MatCreateSubMatrix(p.R, r, c, MAT_INITIAL_MATRIX, &s.R));
  OK(MatCreateSubMatrix(p.A, r, c, MAT_INITIAL_MATRIX, &s.A));
  EXPECT_SAME_BOTH_WAYS(s.A, s.R);
  OK(MatScale(p.A, 3));
  OK(MatScale(p.R, 3));
  OK(MatCreateSubMatrix(p.R, r, c, MAT_REUSE_MATRIX, &s.R));
  OK(MatCreateSubMatrix(p.A, r, c, MAT_REUSE_MATRIX, &s.A));
  CheckAndGoOn(s.A, s.R, TypeOf(s.A));
  EXPECT_SAME_BOTH_WAYS(p.A, p.R);
}

TEST(LifecycleParts, SubMatrix)
{
  const auto [begin, end] = OwnRows(kSize);
  const Choice choices[]  = {
     {"all", end - begin, begin, 1},
     {"every second", (end - begin) / 2, begin, 2},
     {"backwards", end - begin, end - 1, -1},
  };
  for (const std::string &type : Types()) {
    for (const Choice &rows : choices) {
      for (const Choice &cols : choices) {
        if (Processes() > 1 && cols.step < 0) continue; // plain MPIAIJ fails with MAT_REUSE_MATRIX
        SCOPED_TRACE(type + ", rows " + rows.name + ", columns " + cols.name);
        CheckSubMatrix(type, rows, cols);
      }
    }
  }
}

/// MAT_REUSE_MATRIX with other columns, in which every row has as many entries: SeqAIJ replaces the pattern without changing the
/// nonzero state.
TEST(LifecycleParts, SubMatrixReusedForOtherColumns)
{
  if (Processes() > 1) return; // MPIAIJ keeps the first choice
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    Pair                  p, s;
    OwnedIS               rows, cols, others;
    std::vector<PetscInt> permutation;
    OK(CreateChanged(type, &p));
    for (PetscInt k = 0; k < kSize; ++k) permutation.push_back(k * 7 % kSize);
    OK(ISCreateStride(PETSC_COMM_SELF, kSize, 0, 1, &rows));
    OK(ISCreateStride(PETSC_COMM_SELF, kSize, kSize - 1, -1, &cols));
    OK(ISCreateGeneral(PETSC_COMM_SELF, kSize, permutation.data(), PETSC_COPY_VALUES, &others));
    for (Mat M : {p.A.A, p.R.A}) {
      Mat *S = M == p.A ? &s.A : &s.R;
      OK(MatCreateSubMatrix(M, rows, cols, MAT_INITIAL_MATRIX, S));
      OK(Use(*S));
      OK(MatCreateSubMatrix(M, rows, others, MAT_REUSE_MATRIX, S));
    }
    EXPECT_SAME_BOTH_WAYS(s.A, s.R);
  }
}

/// Each process takes its own, from rows and columns of all processes.
TEST(LifecycleParts, SubMatrices)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    Pair    p;
    OwnedIS is;
    Mat    *a, *r;
    OK(CreateChanged(type, &p));
    OK(ISCreateStride(PETSC_COMM_SELF, 30, 5 + Rank(), 2, &is));
    OK(MatCreateSubMatrices(p.R, 1, &is, &is, MAT_INITIAL_MATRIX, &r));
    OK(MatCreateSubMatrices(p.A, 1, &is, &is, MAT_INITIAL_MATRIX, &a));
    EXPECT_SAME_BOTH_WAYS(a[0], r[0]);
    OK(MatScale(p.A, 2));
    OK(MatScale(p.R, 2));
    OK(MatCreateSubMatrices(p.R, 1, &is, &is, MAT_REUSE_MATRIX, &r));
    OK(MatCreateSubMatrices(p.A, 1, &is, &is, MAT_REUSE_MATRIX, &a));
    EXPECT_SAME_BOTH_WAYS(a[0], r[0]);
    OK(MatDestroySubMatrices(1, &a));
    OK(MatDestroySubMatrices(1, &r));
    EXPECT_SAME_BOTH_WAYS(p.A, p.R);
  }
}

TEST(LifecycleParts, IncreaseOverlap)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    const auto [begin, end] = OwnRows(kSize);
    Pair      p;
    OwnedIS   a, r;
    PetscBool same;
    OK(CreateChanged(type, &p));
    for (IS *is : {&a, &r}) OK(ISCreateStride(PETSC_COMM_SELF, (end - begin) / 4, begin, 3, is));
    OK(MatIncreaseOverlap(p.A, 1, &a, 2));
    OK(MatIncreaseOverlap(p.R, 1, &r, 2));
    OK(ISSort(a));
    OK(ISSort(r));
    OK(ISEqualUnsorted(a, r, &same));
    EXPECT_TRUE(same);
    EXPECT_SAME_BOTH_WAYS(p.A, p.R);
  }
}

TEST(LifecycleParts, Permute)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    const auto [begin, end] = OwnRows(kSize);
    Pair    p, s;
    OwnedIS rows, cols;
    OK(CreateChanged(type, &p));
    OK(ISCreateStride(PETSC_COMM_WORLD, end - begin, kSize - 1 - begin, -1, &rows));
    OK(ISCreateStride(PETSC_COMM_WORLD, end - begin, begin, 1, &cols));
    for (IS is : {rows.is, cols.is}) OK(ISSetPermutation(is));
    OK(MatPermute(p.R, rows, cols, &s.R));
    OK(MatPermute(p.A, rows, cols, &s.A));
    CheckAndGoOn(s.A, s.R, TypeOf(s.A));
  }
}

/// Parts that need no choice of rows. MatMPIAIJGetLocalMatCondensed() requires MATMPIAIJ itself.
struct Part {
  const char *name;
  bool        parallel; // for parallel matrices only
  bool        borrowed; // the result still belongs to the matrix
  PetscErrorCode (*take)(Mat A, MatReuse reuse, Mat *B);
};

const Part kParts[] = {
  {"MatGetDiagonalBlock", false, true, [](Mat A, MatReuse, Mat *B) { return MatGetDiagonalBlock(A, B); }},
  {"MatCreateRedundantMatrix", false, false,
   [](Mat A, MatReuse reuse, Mat *B) { return MatCreateRedundantMatrix(A, Processes(), MPI_COMM_NULL, reuse, B); }},
  {"MatMPIAIJGetLocalMat", true, false, [](Mat A, MatReuse reuse, Mat *B) { return MatMPIAIJGetLocalMat(A, reuse, B); }},
  {"MatMPIAIJGetLocalMatMerge", true, false,
   [](Mat A, MatReuse reuse, Mat *B) { return MatMPIAIJGetLocalMatMerge(A, reuse, NULL, B); }},
};

void CheckPart(const std::string &type, const Part &part)
{
  Pair p, s;
  OK(CreateChanged(type, &p));
  for (MatReuse reuse : {MAT_INITIAL_MATRIX, MAT_REUSE_MATRIX}) {
    OK(part.take(p.R, reuse, &s.R));
    OK(part.take(p.A, reuse, &s.A));
    EXPECT_SAME_BOTH_WAYS(s.A, s.R);
    OK(MatScale(p.A, 3));
    OK(MatScale(p.R, 3));
  }
  if (part.borrowed) s.A.A = s.R.A = nullptr;
  EXPECT_SAME_BOTH_WAYS(p.A, p.R);
}

TEST(LifecycleParts, Blocks)
{
  for (const std::string &type : Types()) {
    for (const Part &part : kParts) {
      if (part.parallel && Processes() == 1) continue;
      SCOPED_TRACE(type + ", " + part.name);
      CheckPart(type, part);
    }
  }
}

} // namespace

} // namespace petscspmv::test
