#include "faults/operations.hpp"

namespace petscspmv::test {

namespace {

constexpr int kOther = 5; // rows of each process in matrices that operations make

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

PetscErrorCode DiagonalBlock(Subject &s)
{
  Mat block;

  PetscFunctionBegin;
  PetscCall(MatGetDiagonalBlock(s.A, &block));
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

PetscErrorCode Options(Subject &s)
{
  PetscInt           value, n;
  PetscReal          bytes;
  MatSpMVInfo        info;
  MatSpMVChoiceInfo  choice;
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
  if (s.type.ends_with("spmv")) PetscCall(MatSpMVGetChoiceInfo(s.A, &choice));
  if (s.option) {
    PetscCall(MatSpMVGetOption(s.A, s.option, &value));
    PetscCall(MatSpMVSetOption(s.A, s.option, kOtherOption));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Operation kOperations[] = {
  {.name = "create", .run = CreateAnother},
  {.name      = "eager assembly",
   .run       = NewEntries,
   .changes   = true,
   .prepare   = [](Subject &s) { return MatSpMVSetEager(s.A, PETSC_TRUE); },
   .allocates = Allocates::OptionalLayoutOfFormat},
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
  {.name = "transpose", .run = TransposeAgain},
  {.name = "submatrix", .run = Submatrix},
  {.name = "submatrices", .run = Submatrices},
  {.name = "diagonal block", .run = DiagonalBlock},
  {.name = "setters and getters", .run = Options},
  {.name = "view", .run = [](Subject &s) { return View(s.A); }},
  {.name = "destroy", .run = [](Subject &s) { return MatDestroy(&s.A); }},
};

} // namespace

std::span<const Operation> MatrixOperations()
{
  return kOperations;
}

} // namespace petscspmv::test
