#include "faults/operations.hpp"

#include <algorithm>
#include <array>
#include <petscksp.h>

namespace petscspmv::test {

namespace {

constexpr int kRows = 40, kOther = 5; // rows of all processes, and of each in matrices that operations make

/// Nine entries in each row, at the same distances from the diagonal around the end of a row: processes with as many rows have the
/// same pattern, and allocate the same.
TestMatrix Circulant()
{
  TestMatrix a = FromRowLengths("circulant", kRows, kRows, [](int) { return 9; });
  for (int row = 0; row < kRows; ++row) {
    const auto begin = a.col_idx.begin() + a.row_ptr[static_cast<std::size_t>(row)], end = begin + 9;
    std::transform(a.col_idx.begin(), a.col_idx.begin() + 9, begin, [row](int col) { return (col + row) % kRows; });
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

} // namespace

PetscErrorCode Create(const Tried &tried, Subject &s)
{
  const std::string &type = tried.type;
  const TestMatrix   a    = Circulant();

  PetscFunctionBegin;
  s.type   = type;
  s.option = OptionOf(type);
  s.others = a;
  for (double &v : s.others.real) v = 1 - v;
  PetscCall(CreateMat(a, type.c_str(), Distribution::Even, &s.A));
  PetscCall(CreateMat(a, MATAIJ, Distribution::Even, &s.plain));
  PetscCall(MatSpMVSetTranspose(s.A, MAT_SPMV_TRANSPOSE_LAYOUT));
  if (tried.choose) {
    PetscCall(MatSpMVSetChoice(s.A, tried.choose));
    PetscCall(MatSpMVSetOption(s.A, "least", 0));
    PetscCall(MatSpMVSetOption(s.A, "regret", 1000000)); // try everything at once
  }
  PetscCall(MatCreateVecs(s.A, &s.x, &s.y));
  PetscCall(FillVec(s.x, 1));
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

/// As many as a choice takes.
PetscErrorCode MultiplyOften(Subject &s)
{
  PetscFunctionBegin;
  for (int k = 0; k < 150; ++k) PetscCall(MatMult(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

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
  if (s.option) PetscCall(MatSpMVSetOption(s.A, s.option, 16));
  PetscCall(MatMult(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A sum with a matrix of another pattern, which replaces all data of the first one.
PetscErrorCode AddOtherPattern(Subject &s)
{
  OwnedMat transposed;

  PetscFunctionBegin;
  PetscCall(MatTranspose(s.plain, MAT_INITIAL_MATRIX, &transposed));
  PetscCall(MatDuplicate(s.A, MAT_COPY_VALUES, &s.made));
  PetscCall(MatAXPY(s.made, 1, transposed, DIFFERENT_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AssembleCoordinates(Subject &s)
{
  const PetscInt    begin    = kOther * Rank();
  PetscInt          rows[]   = {begin, begin + 2, begin + 2, begin + 4}, cols[] = {begin + 1, begin, begin + 3, begin + 4};
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

PetscErrorCode Product(Subject &s, MatProductType type, Mat B)
{
  Mat *C = &s.made;

  PetscFunctionBegin;
  PetscCall(MatProductCreate(s.A, B, NULL, C));
  PetscCall(MatProductSetType(*C, type));
  PetscCall(MatProductSetFromOptions(*C));
  PetscCall(MatProductSymbolic(*C));
  PetscCall(MatProductNumeric(*C));
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
  const char        *name, *why;
  const char *const *names;

  PetscFunctionBegin;
  if (s.type == MATSEQAIJ || s.type == MATMPIAIJ) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSpMVGetInfo(s.A, &info));
  PetscCall(MatSpMVGetStatistic(s.A, "bytes", &bytes));
  PetscCall(PetscSpMVGetTargets(&n, &names));
  PetscCall(PetscSpMVGetTarget(&name, &why));
  PetscCall(MatSpMVSetEager(s.A, PETSC_TRUE));
  if (s.type == MATSEQAIJCSR5) {
    PetscCall(MatSpMVGetOption(s.A, "sigma", &value));
    PetscCall(MatSpMVSetOption(s.A, "sigma", 8));
  }
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
  {.name = "sum", .run = [](Subject &s) { return MatMultAdd(s.A, s.x, s.y, s.y); }},
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
  {.name = "coordinates", .run = AssembleCoordinates},
  {.name      = "duplicate",
   .run       = [](Subject &s) { return MatDuplicate(s.A, MAT_COPY_VALUES, &s.made); },
   .allocates = Allocates::Shadows},
  {.name = "duplicate the pattern", .run = [](Subject &s) { return MatDuplicate(s.A, MAT_SHARE_NONZERO_PATTERN, &s.made); }},
  {.name = "A X", .run = [](Subject &s) { return Product(s, MATPRODUCT_AB, s.dense); }},
  {.name = "A^T X", .run = [](Subject &s) { return Product(s, MATPRODUCT_AtB, s.dense); }},
  {.name = "A A", .run = [](Subject &s) { return Product(s, MATPRODUCT_AB, s.A); }},
  {.name = "A^T A", .run = [](Subject &s) { return Product(s, MATPRODUCT_AtB, s.A); }},
  {.name = "A^T A A", .run = [](Subject &s) { return Product(s, MATPRODUCT_PtAP, s.A); }},
  {.name = "transpose", .run = [](Subject &s) { return MatTranspose(s.A, MAT_INITIAL_MATRIX, &s.made); }},
  {.name = "submatrix", .run = Submatrix},
  {.name = "options", .run = [](Subject &s) { return MatSetFromOptions(s.A); }},
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
