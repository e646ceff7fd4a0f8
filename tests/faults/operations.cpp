#include "faults/operations.hpp"

#include <algorithm>
#include <array>
#include <petscksp.h>

namespace petscspmv::test {

namespace {

constexpr PetscInt kOtherOption = 16;      // of each type's option, with another default
constexpr int      kRows = 40, kOther = 5; // rows of all processes, and of each in matrices that operations make

/// Nine entries in each row, at the same distances from the diagonal around the end of a row: processes with as many rows have the
/// same pattern, and allocate the same.
TestMatrix Circulant()
{
  TestMatrix a = FromRowLengths("circulant", kRows, kRows, [](int) { return 9; });
  for (int row = 0; row < kRows; ++row) {
    const auto begin = a.col_idx.begin() + a.row_ptr[static_cast<std::size_t>(row)], end = begin + 9;
    std::transform(a.col_idx.begin(), a.col_idx.begin() + 9, begin,
                   [row, first = a.col_idx[0]](int col) { return (col - first + row) % kRows; });
    std::sort(begin, end);
  }
  return a;
}

/// The values of `a`, which A has the pattern of.
PetscErrorCode Fill(Mat A, const TestMatrix &a)
{
  PetscInt begin, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(A, &begin, &end));
  PetscCall(Insert(A, a, begin, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// An option of each type that has sizes.
const char *OptionOf(const std::string &type)
{
  constexpr std::array<std::array<const char *, 2>, 5> kOptions{{
    {MATSEQAIJCSR5, "sigma"},
    {MATSEQAIJSCS, "chunk"},
    {MATSEQAIJSPECULATIVE, "tile_width"},
    {MATSEQAIJIPCSR, "block_size"},
    {MATSEQAIJSPMV, "csr5_sigma"},
  }};
  for (const auto &[of, key] : kOptions) {
    if (type.substr(3) == std::string(of).substr(3)) return key;
  }
  return nullptr;
}

/// Both matrices, and vectors.
PetscErrorCode CreateBoth(const TestMatrix &a, Subject &s)
{
  PetscFunctionBegin;
  PetscCall(CreateMat(a, s.type.c_str(), Distribution::Even, &s.A));
  PetscCall(CreateMat(a, MATAIJ, Distribution::Even, &s.plain));
  PetscCall(MatSpMVSetTranspose(s.A, MAT_SPMV_TRANSPOSE_LAYOUT));
  if (s.choose) {
    PetscCall(MatSpMVSetChoice(s.A, s.choose));
    PetscCall(MatSpMVSetOption(s.A, "least", 0));
    PetscCall(MatSpMVSetOption(s.A, "regret", 1000000)); // try everything at once
  }
  PetscCall(MatCreateVecs(s.A, &s.x, &s.y));
  PetscCall(FillVec(s.x, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode Create(const Tried &tried, Subject &s)
{
  const std::string &type = tried.type;
  const TestMatrix   a    = Circulant();

  PetscFunctionBegin;
  s.type   = type;
  s.choose = tried.choose;
  s.option = OptionOf(type);
  s.others = a;
  for (double &v : s.others.real) v = 1 - v;
  PetscCall(CreateBoth(a, s));
  PetscCall(MatMult(s.A, s.x, s.y));
  PetscCall(MatMultTranspose(s.A, s.x, s.y));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &s.dense));
  PetscCall(MatSetSizes(s.dense, PETSC_DECIDE, PETSC_DECIDE, kRows, 3));
  PetscCall(MatSetType(s.dense, type.starts_with("mpi") ? MATMPIDENSE : MATSEQDENSE));
  PetscCall(MatSetUp(s.dense));
  PetscCall(Assemble(s.dense));
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool IsUsable(Subject &s)
{
  const auto same = [&s](bool transposed) {
    OwnedVec   expected;
    const auto multiply = transposed ? MatMultTranspose : MatMult;
    PetscReal  norm, of_difference;
    return !VecDuplicate(s.y, &expected) && !multiply(s.plain, s.x, expected) && !multiply(s.A, s.x, s.y) &&
           !VecNorm(expected, NORM_2, &norm) && !VecAXPY(expected, -1, s.y) && !VecNorm(expected, NORM_2, &of_difference) &&
           of_difference <= 1e-12 * norm;
  };
  return same(false) && same(true);
}

namespace {

/// Gives both matrices other values.
PetscErrorCode NewValues(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(Fill(s.A, s.others));
  PetscCall(Fill(s.plain, s.others));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gives both matrices new entries, which fill a row of each process.
PetscErrorCode NewEntries(Subject &s)
{
  PetscInt begin;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(s.plain, &begin, NULL));
  for (Mat A : {s.A.A, s.plain.A}) {
    PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    for (PetscInt col = 0; col < kRows; ++col) PetscCall(MatSetValue(A, begin + 3, col, 1, INSERT_VALUES));
    PetscCall(Assemble(A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A new pattern, of which nothing is known and which has no layout.
PetscErrorCode NewPattern(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(NewEntries(s));
  PetscCall(PetscSpMVForget());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Multiply(Subject &s)
{
  return MatMult(s.A, s.x, s.y);
}

PetscErrorCode MultiplyTransposed(Subject &s)
{
  return MatMultTranspose(s.A, s.x, s.y);
}

template <int kTimes>
PetscErrorCode MultiplyTimes(Subject &s)
{
  PetscFunctionBegin;
  for (int k = 0; k < kTimes; ++k) PetscCall(MatMult(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}
constexpr auto MultiplyOften = MultiplyTimes<150>; // as many as a choice takes

PetscErrorCode MultiplyTransposedOften(Subject &s)
{
  PetscFunctionBegin;
  for (int k = 0; k < 150; ++k) PetscCall(MatMultTranspose(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A product with another option.
PetscErrorCode SetAndMultiply(Subject &s)
{
  PetscFunctionBegin;
  if (s.option) PetscCall(MatSpMVSetOption(s.A, s.option, kOtherOption));
  PetscCall(MatMult(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Replaces all data of a copy by replace(), which must keep its options.
template <class Replace>
PetscErrorCode ReplaceData(Subject &s, const Replace &replace)
{
  PetscInt value = kOtherOption;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(s.A, MAT_COPY_VALUES, &s.made));
  if (s.option) PetscCall(MatSpMVSetOption(s.made, s.option, kOtherOption));
  PetscCall(replace(&s.made));
  if (s.option) PetscCall(MatSpMVGetOption(s.made, s.option, &value));
  s.lost_options = value != kOtherOption;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AddOtherPattern(Subject &s)
{
  OwnedMat transposed;

  PetscFunctionBegin;
  PetscCall(MatTranspose(s.plain, MAT_INITIAL_MATRIX, &transposed));
  PetscCall(ReplaceData(s, [&](Mat *A) { return MatAXPY(*A, 1, transposed, DIFFERENT_NONZERO_PATTERN); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransposeInPlace(Subject &s)
{
  return ReplaceData(s, [](Mat *A) { return MatTranspose(*A, MAT_INPLACE_MATRIX, A); });
}

PetscErrorCode ReplaceHeader(Subject &s)
{
  Mat other;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(s.A, MAT_COPY_VALUES, &s.made));
  PetscCall(MatDuplicate(s.A, MAT_COPY_VALUES, &other));
  PetscCall(MatHeaderReplace(s.made, &other));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TransposeAgain(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(MatTranspose(s.A, MAT_INITIAL_MATRIX, &s.made));
  PetscCall(MatTranspose(s.A, MAT_REUSE_MATRIX, &s.made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AssembleCoordinates(Subject &s)
{
  const PetscInt    begin  = kOther * Rank();
  PetscInt          rows[] = {begin, begin + 2, begin + 2, begin + 4}, cols[] = {begin + 1, begin, begin + 3, begin + 4};
  const PetscScalar values[] = {1, 2, 3, 4};
  Mat              *A        = &s.made;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, kOther, kOther, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*A, s.type.c_str()));
  PetscCall(MatSetPreallocationCOO(*A, 4, rows, cols));
  PetscCall(MatSetValuesCOO(*A, values, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode View(Mat A)
{
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_WORLD, "/dev/null", &viewer));
  PetscCall(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO_DETAIL));
  const PetscErrorCode ierr = MatView(A, viewer);
  PetscCall(PetscViewerPopFormat(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode CreateAnother(Subject &s)
{
  Mat     *A = &s.made;
  PetscInt begin, end;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, kOther, kOther, PETSC_DETERMINE, PETSC_DETERMINE));
  PetscCall(MatSetType(*A, s.type.c_str()));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt i = begin; i < end; ++i) PetscCall(MatSetValue(*A, i, i, 2, INSERT_VALUES));
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode InitialInto(Subject &s, Mat from, const char *type)
{
  PetscFunctionBegin;
  PetscCall(MatConvert(from, type, MAT_INITIAL_MATRIX, &s.made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Reuse(Subject &s)
{
  Mat *B = &s.made;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(s.A, MAT_COPY_VALUES, B));
  PetscCall(MatConvert(s.A, s.type.c_str(), MAT_REUSE_MATRIX, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A product of matrices, and the same with what it has set up.
PetscErrorCode Product(Subject &s, MatProductType type, Mat B)
{
  Mat *C = &s.made;

  PetscFunctionBegin;
  PetscCall(MatProductCreate(s.A, B, NULL, C));
  PetscCall(MatProductSetType(*C, type));
  PetscCall(MatProductSetFromOptions(*C));
  PetscCall(MatProductSymbolic(*C));
  for (int k = 0; k < 2; ++k) PetscCall(MatProductNumeric(*C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Submatrix(Subject &s)
{
  IS       rows;
  PetscInt begin, end;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(s.A, &begin, &end));
  PetscCall(ISCreateStride(PETSC_COMM_WORLD, (end - begin) / 2, begin, 2, &rows));
  const PetscErrorCode ierr = MatCreateSubMatrix(s.A, rows, rows, MAT_INITIAL_MATRIX, &s.made);
  PetscCall(ISDestroy(&rows));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Submatrices(Subject &s)
{
  IS   rows;
  Mat *parts = nullptr;

  PetscFunctionBegin;
  PetscCall(ISCreateStride(PETSC_COMM_SELF, kRows / 2, 0, 2, &rows));
  const PetscErrorCode ierr = MatCreateSubMatrices(s.A, 1, &rows, &rows, MAT_INITIAL_MATRIX, &parts);
  PetscCall(ISDestroy(&rows));
  PetscCall(ierr);
  PetscCall(MatDestroySubMatrices(1, &parts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A product after values are put back, whose layout is that of others.
PetscErrorCode RetrieveAndMultiply(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(MatRetrieveValues(s.A));
  PetscCall(MatRetrieveValues(s.plain));
  PetscCall(MatMult(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode StoreAndChange(Subject &s)
{
  PetscFunctionBegin;
  for (Mat A : {s.A.A, s.plain.A}) {
    PetscCall(MatSetOption(A, MAT_NEW_NONZERO_LOCATIONS, PETSC_FALSE));
    PetscCall(MatStoreValues(A));
  }
  PetscCall(NewValues(s));
  PetscCall(MatMult(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Larger matrices with few entries, whose x does not fit in the L1 cache: first products try the targets. No layouts yet.
PetscErrorCode Enlarge(Subject &s)
{
  constexpr int kLarge = 10000, kEvery = 10; // rows, also enough for two processes; one of so many has an entry
  TestMatrix    large = FromRowLengths("x beyond L1", kLarge, kLarge, [](int row) { return row % kEvery == 0; });

  PetscFunctionBegin;
  for (std::size_t k = 0; k < large.col_idx.size(); ++k) large.col_idx[k] = kEvery * static_cast<int>(k); // as in other processes
  for (Mat *A : {&s.A.A, &s.plain.A}) PetscCall(MatDestroy(A));
  for (Vec *v : {&s.x.v, &s.y.v}) PetscCall(VecDestroy(v));
  PetscCall(CreateBoth(large, s));
  PetscCall(PetscSpMVForget());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Relax(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(MatSOR(s.A, s.x, 1, static_cast<MatSORType>(SOR_LOCAL_FORWARD_SWEEP | SOR_ZERO_INITIAL_GUESS), 0, 2, 1, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode DiagonalBlock(Subject &s)
{
  Mat block;

  PetscFunctionBegin;
  PetscCall(MatGetDiagonalBlock(s.A, &block));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve(Subject &s)
{
  KSP ksp;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetType(ksp, KSPBICG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPSetOperators(ksp, s.A, s.A));
  PetscCall(KSPSetTolerances(ksp, 1e-30, 1e-30, PETSC_DEFAULT, 3));
  const PetscErrorCode ierr = KSPSolve(ksp, s.x, s.y);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Options(Subject &s)
{
  PetscInt           value, n;
  PetscReal          bytes;
  MatSpMVInfo        info;
  MatSpMVChoice      choice;
  const char        *name, *why;
  const char *const *names;

  PetscFunctionBegin;
  if (s.type == MATSEQAIJ || s.type == MATMPIAIJ) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscSpMVSetTarget(NULL));
  PetscCall(MatSpMVGetInfo(s.A, &info));
  PetscCall(MatSpMVGetStatistic(s.A, "bytes", &bytes));
  PetscCall(PetscSpMVGetTargets(&n, &names));
  PetscCall(PetscSpMVSetTarget(names[n - 1]));
  PetscCall(PetscSpMVGetTarget(&name, &why));
  PetscCall(PetscSpMVSetTarget(NULL));
  PetscCall(MatSpMVSetEager(s.A, PETSC_TRUE));
  PetscCall(MatSpMVSetTranspose(s.A, MAT_SPMV_TRANSPOSE_AUTO));
  PetscCall(MatSpMVSetChoice(s.A, "csr5"));
  PetscCall(MatSpMVSetRegret(s.A, 0.5));
  if (s.type.ends_with("spmv")) PetscCall(MatSpMVGetChoice(s.A, &choice));
  if (s.option) {
    PetscCall(MatSpMVGetOption(s.A, s.option, &value));
    PetscCall(MatSpMVSetOption(s.A, s.option, kOtherOption));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Options for the matrix in the database.
PetscErrorCode GiveOptions(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(MatSetOptionsPrefix(s.A, "given_"));
  PetscCall(PetscOptionsInsertString(NULL, "-given_mat_csr5_sigma 16 -given_mat_sellcs_chunk 16 -given_mat_ipcsr_block_size 16 "
                                           "-given_mat_speculative_tile_width 16 -given_mat_spmv_choose csr5 "
                                           "-given_mat_csr5_transpose layout -given_mat_spmv_eager"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TakeOptions(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(MatSetFromOptions(s.A));
  PetscCall(MatMult(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Operation kOperations[] = {
  {.name = "create", .run = CreateAnother},
  {.name = "product", .run = Multiply},
  {.name = "transposed product", .run = MultiplyTransposed},
  {.name = "first product", .run = Multiply, .prepare = NewPattern, .allocates = Allocates::Layout},
  {.name = "first transposed product", .run = MultiplyTransposed, .prepare = NewPattern, .allocates = Allocates::LayoutOfFormat},
  {.name = "first products", .run = MultiplyOften, .prepare = NewPattern, .allocates = Allocates::Layout},
  {.name = "first transposed products", .run = MultiplyTransposedOften, .prepare = NewPattern, .allocates = Allocates::Layout},
  {.name = "first products, x beyond L1", .run = MultiplyTimes<30>, .prepare = Enlarge, .allocates = Allocates::Layout},
  {.name = "first A X", .run = [](Subject &s) { return Product(s, MATPRODUCT_AB, s.dense); }, .prepare = NewPattern},
  {.name = "product with new values", .run = Multiply, .prepare = NewValues},
  {.name = "transposed product with new values", .run = MultiplyTransposed, .prepare = NewValues},
  {.name = "products with new values", .run = MultiplyOften, .prepare = NewValues},
  {.name = "product with another option", .run = SetAndMultiply},
  {.name      = "eager assembly",
   .run       = NewEntries,
   .changes   = true,
   .prepare   = [](Subject &s) { return MatSpMVSetEager(s.A, PETSC_TRUE); },
   .allocates = Allocates::LayoutOfFormat},
  {.name = "product with values put back", .run = RetrieveAndMultiply, .prepare = StoreAndChange},
  {.name = "sum", .run = [](Subject &s) { return MatMultAdd(s.A, s.x, s.y, s.y); }},
  {.name = "transposed sum", .run = [](Subject &s) { return MatMultTransposeAdd(s.A, s.x, s.y, s.y); }},
  {.name = "Hermitian product", .run = [](Subject &s) { return MatMultHermitianTranspose(s.A, s.x, s.y); }},
  {.name = "relaxation", .run = Relax},
  {.name = "new values", .run = [](Subject &s) { return NewValues(s); }, .changes = true},
  {.name = "new entries", .run = [](Subject &s) { return NewEntries(s); }, .changes = true},
  {.name = "to aij", .run = [](Subject &s) { return InitialInto(s, s.A, MATAIJ); }},
  {.name = "to itself", .run = [](Subject &s) { return InitialInto(s, s.A, s.type.c_str()); }, .allocates = Allocates::Shadows},
  {.name = "to csr5", .run = [](Subject &s) { return InitialInto(s, s.A, MATCSR5); }},
  {.name = "to sellcs", .run = [](Subject &s) { return InitialInto(s, s.A, MATSELLCS); }},
  {.name = "to dense", .run = [](Subject &s) { return InitialInto(s, s.A, MATDENSE); }},
  {.name    = "to baij",
   .run     = [](Subject &s) { return InitialInto(s, s.A, MATBAIJ); },
   .changes = true}, // PETSc dismantles a parallel matrix for that
  {.name = "from aij", .run = [](Subject &s) { return InitialInto(s, s.plain, s.type.c_str()); }},
  {.name = "from dense", .run = [](Subject &s) { return InitialInto(s, s.dense, s.type.c_str()); }},
  {.name = "to aij in place", .run = [](Subject &s) { return MatConvert(s.A, MATAIJ, MAT_INPLACE_MATRIX, &s.A); }},
  {.name = "to csr5 in place", .run = [](Subject &s) { return MatConvert(s.A, MATCSR5, MAT_INPLACE_MATRIX, &s.A); }},
  {.name = "to sellcs in place", .run = [](Subject &s) { return MatConvert(s.A, MATSELLCS, MAT_INPLACE_MATRIX, &s.A); }},
  {.name = "to itself again", .run = Reuse},
  {.name = "sum of patterns", .run = AddOtherPattern},
  {.name = "transpose in place", .run = TransposeInPlace},
  {.name = "replace the header", .run = ReplaceHeader},
  {.name = "coordinates", .run = AssembleCoordinates},
  {.name      = "duplicate",
   .run       = [](Subject &s) { return MatDuplicate(s.A, MAT_COPY_VALUES, &s.made); },
   .allocates = Allocates::Shadows},
  {.name = "duplicate the pattern", .run = [](Subject &s) { return MatDuplicate(s.A, MAT_SHARE_NONZERO_PATTERN, &s.made); }},
  {.name = "A X", .run = [](Subject &s) { return Product(s, MATPRODUCT_AB, s.dense); }},
  {.name = "A^T X", .run = [](Subject &s) { return Product(s, MATPRODUCT_AtB, s.dense); }},
  {.name = "A A^T", .run = [](Subject &s) { return Product(s, MATPRODUCT_ABt, s.A); }},
  {.name = "A A", .run = [](Subject &s) { return Product(s, MATPRODUCT_AB, s.A); }},
  {.name = "A^T A", .run = [](Subject &s) { return Product(s, MATPRODUCT_AtB, s.A); }},
  {.name = "A^T A A", .run = [](Subject &s) { return Product(s, MATPRODUCT_PtAP, s.A); }},
  {.name = "transpose", .run = TransposeAgain},
  {.name = "submatrix", .run = Submatrix},
  {.name = "submatrices", .run = Submatrices},
  {.name = "diagonal block", .run = DiagonalBlock},
  {.name = "options", .run = TakeOptions, .prepare = GiveOptions},
  {.name = "setters and getters", .run = Options},
  {.name = "view", .run = [](Subject &s) { return View(s.A); }},
  {.name = "solve", .run = Solve},
  {.name = "destroy", .run = [](Subject &s) { return MatDestroy(&s.A); }},
};

} // namespace

std::span<const Operation> Operations()
{
  return kOperations;
}

} // namespace petscspmv::test
