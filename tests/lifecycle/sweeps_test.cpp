// Layouts of triangles in the life of matrices, factors and preconditioners: values and patterns that change in between,
// duplicates, conversions, destruction in any order.
#include "lifecycle/lifecycle.hpp"

namespace petscspmv::test {

namespace {

constexpr int kSize = 120;

class SweepsInLife : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override
  {
    is_ours = SweepsAreOurs();
    OK(PetscOptionsSetValue(NULL, Key().c_str(), "layout"));
  }
  void TearDown() override
  {
    if (!is_ours) { // otherwise all tests of the program have it
      OK(PetscOptionsClearValue(NULL, Key().c_str()));
    }
  }

  std::string Key() const { return "-mat_" + GetParam() + "_sweeps"; }

  /// A relaxes as R does.
  void CheckRelaxations(Mat A, Mat R)
  {
    std::deque<OwnedVec> results, of_aij;
    PetscReal            largest;
    OwnedMat             fresh; // AIJ keeps inverted diagonals that are no longer right
    OK(MatConvert(R, MATAIJ, MAT_INITIAL_MATRIX, &fresh));
    OK(Relax(A, results));
    OK(Relax(fresh, of_aij));
    OK(LargestDifference(results, of_aij, &largest));
    EXPECT_LE(largest, 100 * kTolerance);
  }

  void CheckPreconditioners(PC pc, PC of_aij)
  {
    std::deque<OwnedVec> results, expected;
    PetscReal            largest;
    OK(Precondition(pc, results));
    OK(Precondition(of_aij, expected));
    OK(LargestDifference(results, expected, &largest));
    EXPECT_LE(largest, 100 * kTolerance);
  }

  static std::vector<const char *> Types()
  {
    return Processes() > 1 ? std::vector<const char *>{PCBJACOBI, PCASM}
                           : std::vector<const char *>{PCILU, PCICC, PCLU, PCCHOLESKY};
  }

  static PetscErrorCode SetUpPC(Mat A, const char *type, PC *pc)
  {
    PetscFunctionBegin;
    PetscCall(PCCreate(PETSC_COMM_WORLD, pc));
    PetscCall(PCSetType(*pc, type));
    PetscCall(PCSetOperators(*pc, A, A));
    PetscCall(PCSetUp(*pc));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  bool is_ours = false;
};

struct Change {
  const char *name;
  PetscErrorCode (*apply)(Mat A);
};

PetscErrorCode SetSome(Mat A, InsertMode mode, PetscInt distance)
{
  PetscInt begin, end;

  PetscFunctionBegin;
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  for (PetscInt row = begin; row < end; row += 3)
    PetscCall(MatSetValue(A, row, (row + distance) % kSize, distance ? 0.125 : 6., mode));
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Change kChanges[] = {
  {"scaled", [](Mat A) { return MatScale(A, 1.5); }},
  {"shifted", [](Mat A) { return MatShift(A, 2); }},
  {"diagonal entries inserted", [](Mat A) { return SetSome(A, INSERT_VALUES, 0); }},
  {"neighbours added", [](Mat A) { return SetSome(A, ADD_VALUES, 1); }},
  {"new nonzeros", [](Mat A) { return SetSome(A, ADD_VALUES, 25); }},
  {"zeroed rows",
   [](Mat A) {
     const PetscInt rows[] = {1, 40, 77};
     return MatZeroRows(A, Rank() == 0 ? 3 : 0, rows, 5, NULL, NULL);
   }},
  {"values stored, changed and retrieved",
   [](Mat A) {
     PetscFunctionBegin;
     PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
     PetscCall(MatStoreValues(A));
     PetscCall(MatScale(A, 3));
     PetscReal ignored;
     PetscCall(SweptDifference(A, A, &ignored));
     PetscCall(MatRetrieveValues(A));
     PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
     PetscFunctionReturn(PETSC_SUCCESS);
   }},
  {"assembled without a change", [](Mat A) { return Assemble(A); }},
};

/// One change after the other; preconditioners are set up again, or keep what they have.
TEST_P(SweepsInLife, ThroughChanges)
{
  for (const char *const type : Types()) {
    SCOPED_TRACE(type);
    Pair    p;
    OwnedPC pc, of_aij;
    OK(p.Create(Banded(kSize, kSize, 14), GetParam()));
    OK(SetUpPC(p.A, type, &pc));
    OK(SetUpPC(p.R, type, &of_aij));
    CheckRelaxations(p.A, p.R);
    CheckPreconditioners(pc, of_aij);
    for (const Change &change : kChanges) {
      SCOPED_TRACE(change.name);
      for (const Mat M : {p.A.A, p.R.A}) OK(change.apply(M));
      CheckRelaxations(p.A, p.R);
      for (const PetscBool reuse : {PETSC_TRUE, PETSC_FALSE}) { // what there was, then set up again
        OK(PCSetReusePreconditioner(pc, reuse));
        OK(PCSetReusePreconditioner(of_aij, reuse));
        CheckPreconditioners(pc, of_aij);
      }
    }
  }
}

/// Duplicates share nothing, whichever of both goes first.
TEST_P(SweepsInLife, InDuplicates)
{
  for (const MatDuplicateOption option : {MAT_COPY_VALUES, MAT_DO_NOT_COPY_VALUES, MAT_SHARE_NONZERO_PATTERN}) {
    for (const bool original_first : {true, false}) {
      Pair     p;
      OwnedMat copy, of_aij;
      OK(p.Create(Banded(kSize, kSize, 14), GetParam()));
      CheckRelaxations(p.A, p.R);
      OK(MatDuplicate(p.A, option, &copy));
      OK(MatDuplicate(p.R, option, &of_aij));
      if (option != MAT_COPY_VALUES) {
        OK(MatCopy(p.A, copy, SAME_NONZERO_PATTERN));
        OK(MatCopy(p.R, of_aij, SAME_NONZERO_PATTERN));
      }
      OK(MatScale(p.A, 2));
      OK(MatScale(p.R, 2));
      CheckRelaxations(copy, of_aij);
      CheckRelaxations(p.A, p.R);
      OK(MatShift(copy, 1));
      OK(MatShift(of_aij, 1));
      CheckRelaxations(p.A, p.R);
      CheckRelaxations(copy, of_aij);
      OK(MatDestroy(original_first ? &p.A : &copy));
      if (original_first) CheckRelaxations(copy, of_aij);
      else CheckRelaxations(p.A, p.R);
    }
  }
}

/// To AIJ and to another format and back, in place; factors that were made before remain what they are.
TEST_P(SweepsInLife, ThroughConversions)
{
  for (const char *const type : Types()) {
    for (const char *const by : {MATAIJ, MATBAIJ, MATDENSE}) {
      SCOPED_TRACE(std::string(type) + ", " + by);
      Pair    p;
      OwnedPC pc, of_aij;
      OK(p.Create(Banded(kSize, kSize, 14), GetParam()));
      OK(SetUpPC(p.A, type, &pc));
      OK(SetUpPC(p.R, type, &of_aij));
      CheckRelaxations(p.A, p.R);
      CheckPreconditioners(pc, of_aij);
      for (const PC c : {pc.pc, of_aij.pc}) OK(PCSetReusePreconditioner(c, PETSC_TRUE));
      OK(MatConvert(p.A, by, MAT_INPLACE_MATRIX, &p.A));
      if (Processes() == 1) CheckPreconditioners(pc, of_aij); // others have references to blocks
      OK(MatScale(p.A, 2));
      OK(MatScale(p.R, 2));
      OK(MatConvert(p.A, GetParam().c_str(), MAT_INPLACE_MATRIX, &p.A));
      CheckRelaxations(p.A, p.R);
    }
  }
}

/// A matrix may be gone before its factors, and one of two factors before the other.
TEST_P(SweepsInLife, DestroyedInAnyOrder)
{
  if (Processes() > 1) return;
  for (const MatFactorType kind : {MAT_FACTOR_ILU, MAT_FACTOR_LU, MAT_FACTOR_ICC}) {
    for (const int first : {0, 1, 2}) { // the matrix, or a factor
      SCOPED_TRACE(testing::Message() << MatFactorTypes[kind] << ", " << first);
      Pair          p;
      OwnedMat      factors[3]; // two of A, one of R
      OwnedVec      b, x, y;
      IS            rows, columns;
      MatFactorInfo info;
      OK(p.Create(Banded(kSize, kSize, 14), GetParam()));
      OK(MatCreateVecs(p.R, &x, &b));
      OK(VecDuplicate(x, &y));
      OK(FillVec(b, 2));
      OK(MatGetOrdering(p.R, MATORDERINGRCM, &rows, &columns));
      OK(MatFactorInfoInitialize(&info));
      info.fill = 2;
      for (const int k : {0, 1, 2}) {
        const Mat M = k < 2 ? p.A : p.R;
        Mat      *F = &factors[k];
        OK(MatGetFactor(M, MATSOLVERPETSC, kind, F));
        if (kind == MAT_FACTOR_ILU) {
          OK(MatILUFactorSymbolic(*F, M, rows, columns, &info));
        } else if (kind == MAT_FACTOR_LU) {
          OK(MatLUFactorSymbolic(*F, M, rows, columns, &info));
        } else {
          OK(MatICCFactorSymbolic(*F, M, rows, &info));
        }
        OK((kind == MAT_FACTOR_ICC ? MatCholeskyFactorNumeric : MatLUFactorNumeric)(*F, M, &info));
      }
      OK(ISDestroy(&rows));
      OK(ISDestroy(&columns));
      const auto check = [&](Mat F) {
        for (const auto solve : {MatSolve, MatSolveTranspose}) {
          PetscReal norm;
          OK(solve(F, b, x));
          OK(solve(factors[2], b, y));
          OK(VecAXPY(x, -1, y));
          OK(VecNorm(x, NORM_INFINITY, &norm));
          EXPECT_LE(norm, 100 * kTolerance);
        }
      };
      for (const int k : {0, 1}) check(factors[k]);
      OK(MatDestroy(first == 0 ? &p.A.A : &factors[first - 1].A));
      for (const int k : {0, 1}) {
        if (factors[k].A) check(factors[k]);
      }
      OK(MatDestroy(&factors[1]));
      if (factors[0].A) check(factors[0]);
      if (p.A.A) CheckRelaxations(p.A, p.R);
    }
  }
}

/// Preallocated and assembled anew, or with another matrix's data by its header, of another size.
TEST_P(SweepsInLife, AssembledAnew)
{
  Pair p;
  OK(p.Create(Banded(kSize, kSize, 14), GetParam()));
  CheckRelaxations(p.A, p.R);
  const auto [begin, end] = OwnRows(kSize);
  for (const Mat M : {p.A.A, p.R.A}) {
    OK(MatSeqAIJSetPreallocation(M, 6, NULL));
    OK(MatMPIAIJSetPreallocation(M, 6, NULL, 6, NULL));
    OK(Insert(M, Banded(kSize, kSize, 31), begin, end));
  }
  CheckRelaxations(p.A, p.R);
  for (const int size : {kSize, kSize + 40}) {
    Pair q;
    OK(q.Create(Banded(size, size, 9), GetParam()));
    CheckRelaxations(q.A, q.R);
    OK(MatHeaderReplace(p.A, &q.A));
    OK(MatHeaderReplace(p.R, &q.R));
    CheckRelaxations(p.A, p.R);
    OK(MatShift(p.A, 1));
    OK(MatShift(p.R, 1));
    CheckRelaxations(p.A, p.R);
  }
}

/// Settings that change between sweeps.
TEST_P(SweepsInLife, ByChangingSettings)
{
  Pair p;
  OK(p.Create(Banded(kSize, kSize, 14), GetParam()));
  for (const MatSpMVSweeps by : {MAT_SPMV_SWEEPS_LAYOUT, MAT_SPMV_SWEEPS_AIJ, MAT_SPMV_SWEEPS_AUTO, MAT_SPMV_SWEEPS_PLAIN,
                                 MAT_SPMV_SWEEPS_LAYOUT, MAT_SPMV_SWEEPS_PLAIN}) {
    OK(MatSpMVSetSweeps(p.A, by));
    CheckRelaxations(p.A, p.R);
    OK(MatScale(p.A, 1.25));
    OK(MatScale(p.R, 1.25));
    CheckRelaxations(p.A, p.R);
  }
}

INSTANTIATE_TEST_SUITE_P(Types, SweepsInLife, testing::ValuesIn(test::Types()), [](const auto &type) { return type.param; });

} // namespace

} // namespace petscspmv::test
