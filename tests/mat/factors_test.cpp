// Solves with factors by layouts of their triangles, against AIJ's own.
#include "mat/sweeps.hpp"

#include <petscpc.h>

namespace petscspmv::test {

namespace {

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
#define LEVELS(l, o, s) KEPT(l, o, s, "0")
#define KEPT(l, o, s, kept)                                                                                                        \
  "-pc_factor_levels " #l " -pc_factor_mat_ordering_type " o " -pc_factor_shift_type " s " -pc_factor_reuse_ordering " kept        \
  " -pc_factor_reuse_fill " kept
  if (Processes() > 1)
    return {{PCBJACOBI, "-sub_pc_type ilu -sub_pc_factor_shift_type none"},
            {PCBJACOBI, "-sub_pc_type icc -sub_pc_factor_shift_type nonzero"},
            {PCBJACOBI, "-sub_pc_type sor"},
            {PCASM, "-sub_pc_type ilu -sub_pc_factor_shift_type none"}};
  return {{PCILU, LEVELS(0, "natural", "inblocks")}, {PCILU, KEPT(1, "rcm", "none", "1")},
          {PCICC, KEPT(1, "rcm", "nonzero", "1")},   {PCLU, KEPT(0, "nd", "none", "1")},
          {PCCHOLESKY, KEPT(0, "nd", "none", "1")},  {PCILU, LEVELS(0, "natural", "none")},
          {PCILU, LEVELS(0, "rcm", "none")},         {PCILU, LEVELS(2, "natural", "nonzero")},
          {PCILU, LEVELS(1, "nd", "nonzero")},       {PCICC, LEVELS(0, "natural", "none")},
          {PCICC, LEVELS(0, "rcm", "none")},         {PCICC, LEVELS(2, "natural", "nonzero")},
          {PCLU, LEVELS(0, "nd", "none")},           {PCLU, LEVELS(0, "natural", "none"), false}, // filled bands
          {PCCHOLESKY, LEVELS(0, "nd", "none")},     {PCCHOLESKY, LEVELS(0, "natural", "none"), false}};
#undef LEVELS
#undef KEPT
}

/// What a symbolic factorization in the natural order takes.
PetscErrorCode PrepareFactor(Mat A, IS *rows, IS *columns, MatFactorInfo *info)
{
  PetscFunctionBegin;
  PetscCall(MatGetOrdering(A, MATORDERINGNATURAL, rows, columns));
  PetscCall(MatFactorInfoInitialize(info));
  info->fill = 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

class Factors : public testing::TestWithParam<std::string> {
protected:
  void SetUp() override { OK(PetscRoundsProducts(&rounds)); }

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

  /// The residual of a complete factor's solution.
  void CheckResidual(PC pc, Mat A)
  {
    OwnedVec b, x, y;
    OK(MatCreateVecs(A, &x, &b));
    OK(VecDuplicate(b, &y));
    OK(FillVec(b, 1));
    OK(PCApply(pc, b, x));
    OK(MatMult(A, x, y));
    EXPECT_NEAR_VECTORS(y, b, 100 * kTolerance);
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

  bool rounds = false;
};

TEST_P(Factors, SolveAsAijs)
{
  for (const TestMatrix &a : Matrices()) {
    for (const FactorCase &each : FactorCases())
      for (const MatSpMVSweeps by : kOurSweeps) {
        SCOPED_TRACE(testing::Message() << a.name << ", " << each.pc << " " << each.options << ", " << by);
        const bool nodes = a.name.starts_with("nodes"), transposes = !std::strstr(each.options, "sor");
        OwnedMat   A, R;
        OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
        OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
        OK(MatSpMVSetSweeps(A, by));
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
        OK(MatSpMVSetSweeps(C, by));
        OK(PCSetOperators(pc.pc, C, C));
        OK(PCSetOperators(reference.pc, S, S));
        for (const PC p : {pc.pc, reference.pc}) OK(PCSetUp(p));
        // PETSc's MatSolve() by nodes has the former pattern's nodes if the factor stays, and then is wrong
        if (!nodes || !std::strstr(each.options, "-pc_factor_reuse_fill 1")) CheckSolves(pc.pc, reference.pc, C, true, transposes);
        else if (std::string(each.pc) == PCLU) CheckResidual(pc.pc, C);
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
    PetscReal difference;
    OK(PCApply(pc.pc, b, x));
    OK(RelativeDifference(x, y, &difference));
    EXPECT_LE(difference, 1e-6);
    EXPECT_EQ(difference > 0, sizeof(PetscReal) == 8);
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
  for (const MatSpMVSweeps by : kOurSweeps) {
    SCOPED_TRACE(by);
    const TestMatrix a = Grid(20);
    OwnedMat         A, F;
    OwnedVec         b, x, y;
    IS               rows, columns;
    MatFactorInfo    info;
    OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
    OK(MatSpMVSetSweeps(A, by));
    OK(MatCreateVecs(A, &x, &b));
    OK(VecDuplicate(x, &y));
    OK(FillVec(b, 1));
    OK(PrepareFactor(A, &rows, &columns, &info));
    OK(MatGetFactor(A, MATSOLVERPETSC, MAT_FACTOR_ILU, &F));
    for (int k = 0; k < 2; ++k) {
      OK(MatILUFactorSymbolic(F, A, rows, columns, &info));
      if (k > 0) {
        OK(MatSolve(F, b, x));
        OK(MatScale(A, 2));
      }
      OK(MatLUFactorNumeric(F, A, &info));
      OK(MatSolve(F, b, k == 0 ? y : x));
    }
    bool same;
    OK(VecScale(x, 2));
    OK(SameBits(x, y, &same));
    EXPECT_TRUE(same);
    OK(ISDestroy(&rows));
    OK(ISDestroy(&columns));
  }
}

/// With a shift that makes the factor positive definite. PETSc's search for it may never end, but ends with this matrix.
TEST_P(Factors, ShiftedToPositiveDefinite)
{
  if (Processes() > 1) return;
  for (const MatSpMVSweeps by : kOurSweeps) {
    SCOPED_TRACE(by);
    OwnedMat A, R;
    for (Mat *M : {&A, &R}) {
      OK(CreateMat(Grid(20), M == &A ? GetParam().c_str() : MATAIJ, Distribution::Even, M));
      OK(MatShift(*M, -0.5));
    }
    OK(MatSpMVSetSweeps(A, by));
    for (const char *const type : {PCICC, PCILU}) {
      const std::string options =
        "-pc_factor_levels 0 -pc_factor_mat_ordering_type natural -pc_factor_shift_type positive_definite";
      Preconditioner pc, reference;
      OK(pc.Create(A, type, options));
      OK(reference.Create(R, type, options));
      CheckSolves(pc.pc, reference.pc, A, true);
    }
  }
}

/// A factorization that fails leaves no layouts of half a factor, whether that is an error or is asked for.
TEST_P(Factors, AfterAZeroPivot)
{
  if (Processes() > 1) return;
  for (const MatSpMVSweeps by : kOurSweeps) {
    SCOPED_TRACE(by);
    TestMatrix a = Grid(45);
    OwnedMat   A, R;
    for (Mat *M : {&A, &R}) OK(CreateMat(a, M == &A ? GetParam().c_str() : MATAIJ, Distribution::Even, M));
    OK(MatSpMVSetSweeps(A, by));
    for (const PetscBool errors : {PETSC_FALSE, PETSC_TRUE}) {
      Preconditioner    pc, reference;
      const std::string options = "-pc_factor_levels 0 -pc_factor_mat_ordering_type natural -pc_factor_shift_type none";
      for (const Mat M : {A.A, R.A}) OK(MatSetErrorIfFailure(M, errors));
      OK(pc.Create(A, PCILU, options));
      OK(reference.Create(R, PCILU, options));
      CheckSolves(pc.pc, reference.pc, A, true);
      for (const PetscScalar pivot : {0., 5.}) {
        PCFailedReason reason[2];
        PetscErrorCode ierr[2];
        for (const int k : {0, 1}) {
          OK(MatSetValue(k ? R : A, 0, 0, pivot, INSERT_VALUES));
          OK(Assemble(k ? R : A));
          Mat factor;
          OK(PCFactorGetMatrix(k ? reference.pc : pc.pc, &factor));
          OK(MatFactorClearError(factor)); // PETSc leaves that to the program
          ExpectedError expected;
          ierr[k] = PCSetUp(k ? reference.pc : pc.pc);
          OK(PCGetFailedReason(k ? reference.pc : pc.pc, &reason[k]));
        }
        EXPECT_EQ(ierr[0], ierr[1]);
        EXPECT_EQ(reason[0], reason[1]);
        EXPECT_EQ(ierr[1] == PETSC_SUCCESS && !reason[1], pivot != PetscScalar(0));
      }
      CheckSolves(pc.pc, reference.pc, A, true);
    }
  }
}

/// Factors of many rows get layouts in parts, as time allows: solves are right with as many as there are, also of new values.
TEST_P(Factors, InParts)
{
  if (Processes() > 1) return;
  const TestMatrix a = Dominant(Grid(200)); // windows of 8192 rows
  for (const MatFactorType type : {MAT_FACTOR_ILU, MAT_FACTOR_ICC}) {
    OwnedMat      A, R, F, G;
    OwnedVec      b, x, y;
    IS            rows, columns;
    MatFactorInfo info;
    OK(CreateMat(a, GetParam().c_str(), Distribution::Even, &A));
    OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
    OK(MatCreateVecs(A, &x, &b));
    OK(VecDuplicate(x, &y));
    OK(FillVec(b, 1));
    OK(PrepareFactor(A, &rows, &columns, &info));
    OK(MatGetFactor(A, MATSOLVERPETSC, type, &F));
    OK(MatGetFactor(R, MATSOLVERPETSC, type, &G));
    OK(type == MAT_FACTOR_ILU ? MatILUFactorSymbolic(F, A, rows, columns, &info) : MatICCFactorSymbolic(F, A, rows, &info));
    OK(type == MAT_FACTOR_ILU ? MatILUFactorSymbolic(G, R, rows, columns, &info) : MatICCFactorSymbolic(G, R, rows, &info));
    for (int values = 0; values < 3; ++values) {
      OK(type == MAT_FACTOR_ILU ? MatLUFactorNumeric(F, A, &info) : MatCholeskyFactorNumeric(F, A, &info));
      OK(type == MAT_FACTOR_ILU ? MatLUFactorNumeric(G, R, &info) : MatCholeskyFactorNumeric(G, R, &info));
      for (int k = 0; k < 150; ++k) {
        OK(MatSolve(F, b, x));
        OK(MatSolve(G, b, y));
        PetscReal difference;
        OK(RelativeDifference(x, y, &difference));
        ASSERT_LE(difference, kTolerance) << k;
      }
      OK(MatShift(A, 1));
      OK(MatShift(R, 1));
    }
    OK(ISDestroy(&rows));
    OK(ISDestroy(&columns));
  }
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

/// A matrix and its factor.
struct Factored {
  OwnedMat      A, F;
  MatFactorInfo info;

  PetscErrorCode Factor(const TestMatrix &a, const char *type, MatFactorType kind, const char *ordering)
  {
    PetscFunctionBegin;
    PetscCall(CreateMat(a, type, Distribution::Even, &A));
    PetscCall(MatGetFactor(A, MATSOLVERPETSC, kind, &F));
    PetscCall(Again(kind, ordering, 1));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Both phases.
  PetscErrorCode Again(MatFactorType kind, const char *ordering, PetscReal levels)
  {
    IS rows, columns;

    PetscFunctionBegin;
    PetscCall(MatGetOrdering(A, ordering, &rows, &columns));
    PetscCall(MatFactorInfoInitialize(&info));
    info.fill   = 5;
    info.levels = levels;
    if (kind == MAT_FACTOR_ILU) PetscCall(MatILUFactorSymbolic(F, A, rows, columns, &info));
    else if (kind == MAT_FACTOR_LU) PetscCall(MatLUFactorSymbolic(F, A, rows, columns, &info));
    else if (kind == MAT_FACTOR_ICC) PetscCall(MatICCFactorSymbolic(F, A, rows, &info));
    else PetscCall(MatCholeskyFactorSymbolic(F, A, rows, &info));
    PetscCall(ISDestroy(&rows));
    PetscCall(ISDestroy(&columns));
    PetscCall(Numeric(kind));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  PetscErrorCode Numeric(MatFactorType kind)
  {
    const bool symmetric = kind == MAT_FACTOR_ICC || kind == MAT_FACTOR_CHOLESKY;

    PetscFunctionBegin;
    PetscCall((symmetric ? MatCholeskyFactorNumeric : MatLUFactorNumeric)(F, A, &info));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/// Three columns at a time, of dense matrices with room between the columns: the solutions of b, b + y and b + 2 y, summed up.
template <bool transposed, bool in_place>
PetscErrorCode SolveColumns(Mat F, Vec b, Vec y, Vec x)
{
  OwnedMat                 B, X;
  PetscInt                 n;
  std::vector<PetscScalar> from, to;

  PetscFunctionBegin;
  PetscCall(VecGetSize(b, &n));
  from.resize(static_cast<std::size_t>(3 * (n + 5)));
  to.resize(static_cast<std::size_t>(3 * (n + 2)));
  for (Mat *M : {&B, &X}) {
    PetscCall(MatCreate(PETSC_COMM_SELF, M));
    PetscCall(MatSetSizes(*M, n, 3, n, 3));
    PetscCall(MatSetType(*M, MATSEQDENSE));
    PetscCall(MatDenseSetLDA(*M, M == &B ? n + 5 : n + 2));
    PetscCall(MatSeqDenseSetPreallocation(*M, M == &B ? from.data() : to.data()));
    PetscCall(Assemble(*M));
  }
  const Mat solution = in_place ? B : X;
  for (PetscInt k = 0; k < 3; ++k) {
    Vec column;
    PetscCall(MatDenseGetColumnVecWrite(B, k, &column));
    PetscCall(VecWAXPY(column, static_cast<PetscReal>(k), y, b));
    PetscCall(MatDenseRestoreColumnVecWrite(B, k, &column));
  }
  PetscCall((transposed ? MatMatSolveTranspose : MatMatSolve)(F, B, solution));
  PetscCall(VecZeroEntries(x));
  for (PetscInt k = 0; k < 3; ++k) {
    Vec column;
    PetscCall(MatDenseGetColumnVecRead(solution, k, &column));
    PetscCall(VecAXPY(x, 1, column));
    PetscCall(MatDenseRestoreColumnVecRead(solution, k, &column));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool transposed, bool in_place>
PetscErrorCode SolveAdd(Mat F, Vec b, Vec y, Vec x)
{
  PetscFunctionBegin;
  if (in_place) PetscCall(VecCopy(y, x));
  PetscCall((transposed ? MatSolveTransposeAdd : MatSolveAdd)(F, b, in_place ? x : y, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// What a factor solves: with b, and with y where it adds.
struct KindOfSolve {
  const char *name;
  PetscErrorCode (*solve)(Mat F, Vec b, Vec y, Vec x);
  bool lu = true, symmetric = true; // whether such factors have it
  bool pairs  = false;              // of products are added by PETSc where there are nodes
  bool as_row = true;               // the order in which PETSc adds a row's products is that of MatSolve()

  bool IsOf(MatFactorType kind) const { return kind == MAT_FACTOR_ICC || kind == MAT_FACTOR_CHOLESKY ? symmetric : lu; }
};

const KindOfSolve kKindsOfSolve[] = {
  {.name = "MatSolve", .solve = [](Mat F, Vec b, Vec, Vec x) { return MatSolve(F, b, x); }, .pairs = true},
  {.name = "MatSolveTranspose", .solve = [](Mat F, Vec b, Vec, Vec x) { return MatSolveTranspose(F, b, x); }},
  {.name = "MatSolveAdd", .solve = SolveAdd<false, false>},
  {.name = "MatSolveAdd in place", .solve = SolveAdd<false, true>},
  {.name = "MatSolveTransposeAdd", .solve = SolveAdd<true, false>},
  {.name = "MatSolveTransposeAdd in place", .solve = SolveAdd<true, true>},
  {.name = "MatMatSolve", .solve = SolveColumns<false, false>},
  {.name = "MatMatSolve in place", .solve = SolveColumns<false, true>, .symmetric = false},
  {.name = "MatMatSolveTranspose", .solve = SolveColumns<true, false>},
  {.name = "MatForwardSolve", .solve = [](Mat F, Vec b, Vec, Vec x) { return MatForwardSolve(F, b, x); }, .lu = false},
  {.name   = "MatBackwardSolve",
   .solve  = [](Mat F, Vec b, Vec, Vec x) { return MatBackwardSolve(F, b, x); },
   .lu     = false,
   .as_row = false},
};

class FactorSolves : public Factors {
protected:
  /// All kinds of solves with both factors. `again`: of another pattern in the same factor, of which PETSc's MatSolve() by nodes
  /// still has the former nodes, and wrong results; MatSolveAdd() goes row by row.
  void Check(const Factored &f, const Factored &r, MatFactorType kind, bool again = false)
  {
    OwnedVec b, y, x, of_aij, zero;
    PetscInt nodes = 0;
    OK(MatInodeGetInodeSizes(r.A, &nodes, NULL, NULL));
    OK(MatCreateVecs(f.A, &x, &b));
    for (Vec *v : {&y, &of_aij, &zero}) OK(VecDuplicate(x, v));
    OK(FillVec(b, 3));
    OK(FillVec(y, 4));
    OK(VecSet(zero, 0));
    for (const KindOfSolve &each : kKindsOfSolve) {
      SCOPED_TRACE(each.name);
      if (!each.IsOf(kind)) continue;
      std::string    said[2];
      PetscErrorCode failed[2];
      for (const int k : {0, 1}) {
        ExpectedError expected;
        failed[k] =
          k && again && each.pairs && nodes ? MatSolveAdd(r.F, b, zero, of_aij) : each.solve(k ? r.F : f.F, b, y, k ? of_aij : x);
        said[k] = expected.message;
      }
      EXPECT_EQ(failed[0], failed[1]);
      EXPECT_EQ(said[0], said[1]);
      EXPECT_TRUE(!failed[1] || !each.lu); // without roots
      if (failed[0] || failed[1]) continue;
      bool same;
      EXPECT_NEAR_VECTORS(x, of_aij, 100 * kTolerance);
      OK(SameBits(x, of_aij, &same));
      EXPECT_TRUE(same || !rounds || !each.as_row || (each.pairs && nodes));
    }
  }

  /// A factor with its first values, with new ones, and with another pattern.
  void CheckFactor(const TestMatrix &a, MatFactorType kind, const char *ordering)
  {
    Factored f, r;
    for (Factored *each : {&f, &r}) OK(each->Factor(a, each == &f ? GetParam().c_str() : MATAIJ, kind, ordering));
    Check(f, r, kind);
    for (const PetscScalar factor : {2., -1.}) { // negative values have no roots
      for (Factored *each : {&f, &r}) {
        OK(MatScale(each->A, factor));
        OK(MatShift(each->A, factor));
        OK(each->Numeric(kind));
      }
      Check(f, r, kind);
    }
    for (Factored *each : {&f, &r}) OK(each->Again(kind, MATORDERINGQMD, 0));
    Check(f, r, kind, true);
  }
};

TEST_P(FactorSolves, AreAijs)
{
  if (Processes() > 1) return;
  const std::string key = "-mat_" + GetParam() + "_sweeps";
  for (const char *const by : {"layout", "plain"}) {
    OK(PetscOptionsSetValue(NULL, key.c_str(), by));
    for (const TestMatrix &a : Matrices()) {
      if (a.rows > 700 && a.name != "grid") continue;
      for (const MatFactorType kind : {MAT_FACTOR_LU, MAT_FACTOR_ILU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ICC}) {
        for (const char *const ordering : {MATORDERINGNATURAL, MATORDERINGRCM, MATORDERINGND}) {
          SCOPED_TRACE(a.name + ", " + MatFactorTypes[kind] + ", " + ordering + ", " + by);
          CheckFactor(a, kind, ordering);
        }
      }
    }
  }
  OK(PetscOptionsClearValue(NULL, key.c_str()));
}

/// How many eigenvalues are negative, zero and positive, by the factor of a symmetric matrix that has solved by layouts.
TEST_P(FactorSolves, HaveAijsInertia)
{
  if (Processes() > 1) return;
  const std::string key = "-mat_" + GetParam() + "_sweeps";
  OK(PetscOptionsSetValue(NULL, key.c_str(), "layout"));
  PetscInt inertia[2][3];
  for (const int k : {0, 1}) {
    Factored f;
    OwnedVec b, x;
    OK(f.Factor(Grid(20), k ? MATAIJ : GetParam().c_str(), MAT_FACTOR_CHOLESKY, MATORDERINGND));
    OK(MatShift(f.A, -3));
    OK(f.Numeric(MAT_FACTOR_CHOLESKY));
    OK(MatCreateVecs(f.A, &x, &b));
    OK(FillVec(b, 3));
    OK(MatSolve(f.F, b, x));
    ExpectedError expected;
    if (MatGetInertia(f.F, &inertia[k][0], &inertia[k][1], &inertia[k][2])) std::fill_n(inertia[k], 3, -1); // complex: none
  }
  for (const int k : {0, 1, 2}) EXPECT_EQ(inertia[0][k], inertia[1][k]);
  EXPECT_TRUE(PetscDefined(USE_COMPLEX) || (inertia[1][0] > 0 && inertia[1][2] > 0));
  OK(PetscOptionsClearValue(NULL, key.c_str()));
}

/// Without real square roots PETSc refuses a solve by halves; so do layouts, with floating-point exceptions trapped as well.
TEST_P(FactorSolves, TrapNothing)
{
  if (Processes() > 1) return;
  const std::string key = "-mat_" + GetParam() + "_sweeps";
  OK(PetscOptionsSetValue(NULL, key.c_str(), "layout"));
  PetscErrorCode ierr[2];
  for (const int k : {0, 1}) {
    Factored f;
    OwnedVec b, x;
    OK(f.Factor(Grid(20), k ? MATAIJ : GetParam().c_str(), MAT_FACTOR_CHOLESKY, MATORDERINGNATURAL));
    OK(MatShift(f.A, -3));
    OK(f.Numeric(MAT_FACTOR_CHOLESKY));
    OK(MatCreateVecs(f.A, &x, &b));
    OK(FillVec(b, 3));
    ExpectedError expected;
    OK(PetscFPTrapPush(PETSC_FP_TRAP_ON));
    ierr[k] = MatForwardSolve(f.F, b, x);
    OK(PetscFPTrapPop());
  }
  EXPECT_EQ(ierr[0], ierr[1]);
  EXPECT_NE(ierr[1], PETSC_SUCCESS);
  OK(PetscOptionsClearValue(NULL, key.c_str()));
}

/// Values rounded to single precision give other results: so it is layouts that solve.
TEST_P(FactorSolves, RoundedToSinglePrecision)
{
  if (Processes() > 1) return;
  const std::string key = "-mat_" + GetParam() + "_sweeps";
  OK(PetscOptionsSetValue(NULL, key.c_str(), "single"));
  for (const MatFactorType kind : {MAT_FACTOR_ILU, MAT_FACTOR_ICC}) {
    for (const KindOfSolve &each : kKindsOfSolve) {
      SCOPED_TRACE(std::string(MatFactorTypes[kind]) + ", " + each.name);
      if (!each.IsOf(kind)) continue;
      Factored  f, r;
      OwnedVec  b, y, x, of_aij;
      PetscReal difference;
      OK(f.Factor(Grid(45), GetParam().c_str(), kind, MATORDERINGNATURAL));
      OK(r.Factor(Grid(45), MATAIJ, kind, MATORDERINGNATURAL));
      OK(MatCreateVecs(f.A, &x, &b));
      for (Vec *v : {&y, &of_aij}) OK(VecDuplicate(x, v));
      OK(FillVec(b, 3));
      OK(FillVec(y, 4));
      OK(each.solve(r.F, b, y, of_aij));
      OK(each.solve(f.F, b, y, x));
      OK(RelativeDifference(x, of_aij, &difference));
      EXPECT_LE(difference, 1e-6);
      EXPECT_EQ(difference > 1e-12, sizeof(PetscReal) == 8);
    }
  }
  OK(PetscOptionsClearValue(NULL, key.c_str()));
}

INSTANTIATE_TEST_SUITE_P(Types, FactorSolves, testing::ValuesIn(Types()), [](const auto &type) { return type.param; });
INSTANTIATE_TEST_SUITE_P(Types, Factors, testing::ValuesIn(Types()), [](const auto &type) { return type.param; });

} // namespace

} // namespace petscspmv::test
