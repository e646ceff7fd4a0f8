// All ways to fill a matrix.
#include "lifecycle/lifecycle.hpp"

#include <petscdmda.h>

namespace petscspmv::test {

namespace {

constexpr int kSize = 83;

PetscErrorCode Empty(const std::string &type, PetscInt n, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, LocalSize(n, Distribution::Even), LocalSize(n, Distribution::Even), n, n));
  PetscCall(MatSetType(*A, type.c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

enum class Way { SetUp, Preallocated, TooLittle, CSR, FirstProcess, FromOptions };

constexpr Way kWays[] = {Way::SetUp, Way::Preallocated, Way::TooLittle, Way::CSR, Way::FirstProcess, Way::FromOptions};

/// Rows begin to end - 1 as local CSR.
struct Rows {
  std::vector<PetscInt>    i{0}, j, global_i;
  std::vector<PetscScalar> v;

  Rows(const TestMatrix &a, PetscInt begin, PetscInt end)
  {
    for (PetscInt row = begin; row < end; ++row) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(row)]);
           k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(row) + 1]); ++k) {
        global_i.push_back(row);
        j.push_back(a.col_idx[k]);
        v.push_back(MakeScalar<PetscScalar>(a.real[k], a.imag[k]));
      }
      i.push_back(static_cast<PetscInt>(j.size()));
    }
  }
};

PetscErrorCode Assemble(const TestMatrix &a, Way way, Mat A)
{
  const auto [begin, end] = OwnRows(a.rows);

  PetscFunctionBegin;
  switch (way) {
  case Way::SetUp:
  case Way::FirstProcess:
    PetscCall(MatSetUp(A));
    break;
  case Way::FromOptions:
    PetscCall(MatSetFromOptions(A));
    PetscCall(MatSetUp(A));
    break;
  case Way::Preallocated:
  case Way::TooLittle:
    PetscCall(MatSeqAIJSetPreallocation(A, way == Way::TooLittle ? 1 : 5, NULL));
    PetscCall(MatMPIAIJSetPreallocation(A, way == Way::TooLittle ? 1 : 5, NULL, way == Way::TooLittle ? 0 : 5, NULL));
    break;
  case Way::CSR: {
    const Rows rows(a, begin, end);
    PetscCall(MatSeqAIJSetPreallocationCSR(A, rows.i.data(), rows.j.data(), rows.v.data()));
    PetscCall(MatMPIAIJSetPreallocationCSR(A, rows.i.data(), rows.j.data(), rows.v.data()));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  }
  PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  if (way == Way::FirstProcess) PetscCall(Insert(A, a, 0, Rank() ? 0 : a.rows)); // all through the stash
  else PetscCall(Insert(A, a, begin, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(LifecycleAssembly, SetValues)
{
  const TestMatrix a = Banded(kSize, kSize, 9);
  for (const std::string &type : Types()) {
    const std::string full = FullName(type);
    for (Way way : kWays) {
      SCOPED_TRACE(type + ", way " + std::to_string(static_cast<int>(way)));
      Pair p;
      OK(Empty(type, kSize, &p.A));
      OK(Assemble(a, way, p.A));
      OK(Create(a, MATAIJ, &p.R));
      CheckAndGoOn(p.A, p.R, full);
    }
  }
}

/// Twice the same, with products between and a new pattern at the end.
TEST(LifecycleAssembly, SetValuesAgain)
{
  const TestMatrix a = Banded(kSize, kSize, 9), b = Banded(kSize, kSize, 30);
  for (const std::string &type : Types()) {
    const std::string full  = FullName(type);
    const auto [begin, end] = OwnRows(kSize);
    for (Way way : kWays) {
      SCOPED_TRACE(type + ", way " + std::to_string(static_cast<int>(way)));
      Pair p;
      OK(Empty(type, kSize, &p.A));
      OK(Empty(MATAIJ, kSize, &p.R));
      for (Mat M : {p.A.A, p.R.A}) {
        OK(Assemble(a, way, M));
        OK(Use(M));
        OK(Insert(M, a, begin, end, 3));
      }
      EXPECT_SAME_BOTH_WAYS(p.A, p.R);
      for (Mat M : {p.A.A, p.R.A}) {
        OK(Insert(M, a, begin, end, 2, ADD_VALUES));
      }
      EXPECT_SAME_BOTH_WAYS(p.A, p.R);
      for (Mat M : {p.A.A, p.R.A}) {
        OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
        OK(MatSetOption(M, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
        OK(Insert(M, b, begin, end, 2, ADD_VALUES));
      }
      CheckAndGoOn(p.A, p.R, full);
    }
  }
}

TEST(LifecycleAssembly, Coordinates)
{
  const TestMatrix a = Banded(kSize, kSize, 9), b = Banded(kSize, kSize, 30);
  for (const std::string &type : Types()) {
    const std::string full = FullName(type);
    SCOPED_TRACE(type);
    const auto [begin, end] = OwnRows(kSize);
    Pair                     p;
    Rows                     rows(a, begin, end);
    std::vector<PetscScalar> v = rows.v;
    OK(Empty(type, kSize, &p.A));
    OK(MatSetPreallocationCOO(p.A, static_cast<PetscCount>(rows.j.size()), rows.global_i.data(), rows.j.data()));
    OK(MatSetValuesCOO(p.A, v.data(), INSERT_VALUES));
    OK(Create(a, MATAIJ, &p.R));
    EXPECT_EQ(TypeOf(p.A), full);
    EXPECT_SAME_BOTH_WAYS(p.A, p.R);
    for (InsertMode mode : {INSERT_VALUES, ADD_VALUES}) {
      for (PetscScalar &value : v) value *= 2;
      OK(MatSetValuesCOO(p.A, v.data(), mode));
      OK(MatScale(p.R, mode == INSERT_VALUES ? 2 : 3)); // 2, then 2 + 4
      EXPECT_SAME_BOTH_WAYS(p.A, p.R);
    }
    { // other coordinates, and each entry twice
      Rows others(b, begin, end);
      for (std::size_t k = 0, n = others.j.size(); k < n; ++k) {
        others.j.push_back(others.j[k]);
        others.global_i.push_back(others.global_i[k]);
        others.v.push_back(others.v[k]);
      }
      OK(MatSetPreallocationCOO(p.A, static_cast<PetscCount>(others.j.size()), others.global_i.data(), others.j.data()));
      OK(MatSetValuesCOO(p.A, others.v.data(), INSERT_VALUES));
      OK(MatDestroy(&p.R));
      OK(Create(b, MATAIJ, &p.R));
      OK(MatScale(p.R, 2));
      CheckAndGoOn(p.A, p.R, full, false); // MatSetValues() at new positions crashes plain MPIAIJ after COO
    }
  }
}

TEST(LifecycleAssembly, ViewAndLoad)
{
  const TestMatrix a = Banded(kSize, kSize, 9);
  for (const std::string &type : Types()) {
    const std::string full = FullName(type);
    SCOPED_TRACE(type);
    ScratchFile file;
    PetscViewer viewer;
    Pair        p;
    OwnedMat    twice, plain;
    OK(p.Create(a, type));
    OK(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file.name.c_str(), FILE_MODE_WRITE, &viewer));
    OK(MatView(p.A, viewer));
    OK(MatView(p.R, viewer));
    OK(MatScale(p.A, 3));
    OK(MatView(p.A, viewer));
    OK(PetscViewerDestroy(&viewer));
    OK(PetscViewerBinaryOpen(PETSC_COMM_WORLD, file.name.c_str(), FILE_MODE_READ, &viewer));
    OK(MatLoad(p.A, viewer)); // into a matrix that has a layout
    EXPECT_SAME_BOTH_WAYS(p.A, p.R);
    OK(MatCreate(PETSC_COMM_WORLD, &twice));
    OK(MatSetType(twice, type.c_str()));
    OK(MatLoad(twice, viewer));
    CheckAndGoOn(twice, p.R, full);
    OK(MatCreate(PETSC_COMM_WORLD, &plain));
    OK(MatLoad(plain, viewer));
    OK(PetscViewerDestroy(&viewer));
    OK(MatScale(p.A, 3));
    EXPECT_SAME_BOTH_WAYS(p.A, plain);
  }
}

/// Arrays with nonexistent columns: PETSc accepts them, but no layout is built from them.
TEST(LifecycleAssembly, ColumnsOutside)
{
  if (PetscDefined(USE_DEBUG)) GTEST_SKIP() << "PETSc itself refuses them";
  for (const std::string &type : Types()) {
    if (type == MATSPMV) continue; // may leave products to AIJ
    SCOPED_TRACE(type);
    for (const PetscInt column : {PetscInt{-1}, PetscInt{6}, PetscInt{2000000000}}) {
      PetscInt    row_ptr[] = {0, 1, 3, 4, 5}, col_idx[] = {0, 1, column, 2, 3};
      PetscScalar val[] = {1, 2, 3, 4, 5};
      OwnedMat    A;
      OwnedVec    x, y;
      OK(MatCreateSeqAIJWithArrays(PETSC_COMM_SELF, 4, 6, row_ptr, col_idx, val, &A));
      OK(MatConvert(A, type.c_str(), MAT_INPLACE_MATRIX, &A));
      OK(MatSpMVSetTranspose(A, MAT_SPMV_TRANSPOSE_LAYOUT));
      OK(MatCreateVecs(A, &x, &y));
      const std::string what = "Row 1 has an entry in column " + std::to_string(column) + ", the matrix has 6";
      FAILS_WITH(what, MatMult(A, x, y));
      FAILS_WITH(what, MatMultTranspose(A, y, x));
    }
  }
}

/// A grid's matrix, filled by stencils.
PetscErrorCode Stencil(DM dm, Mat A, PetscScalar scale)
{
  PetscInt xs, ys, xm, ym, mx, my;

  PetscFunctionBegin;
  PetscCall(DMDAGetCorners(dm, &xs, &ys, NULL, &xm, &ym, NULL));
  PetscCall(DMDAGetInfo(dm, NULL, &mx, &my, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL));
  for (PetscInt j = ys; j < ys + ym; ++j) {
    for (PetscInt i = xs; i < xs + xm; ++i) {
      MatStencil row{0, j, i, 0}, cols[5] = {{0, j, i, 0}, {0, j, i - 1, 0}, {0, j, i + 1, 0}, {0, j - 1, i, 0}, {0, j + 1, i, 0}};
      const PetscScalar values[5] = {scale * (4 + 0.1 * static_cast<double>(i)), -scale, -scale * 1.5, -scale * 0.5, -scale};
      for (int k = 0; k < 5; ++k) {
        if (cols[k].i < 0 || cols[k].j < 0 || cols[k].i >= mx || cols[k].j >= my) continue;
        PetscCall(MatSetValuesStencil(A, 1, &row, 1, &cols[k], &values[k], INSERT_VALUES));
      }
    }
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(LifecycleAssembly, GridMatrices)
{
  for (const std::string &type : Types()) {
    const std::string full = FullName(type);
    SCOPED_TRACE(type);
    DM   dm, fine;
    Pair p, interpolation;
    OK(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 11, 7, PETSC_DECIDE, PETSC_DECIDE, 1,
                    1, NULL, NULL, &dm));
    OK(DMSetUp(dm));
    OK(DMRefine(dm, PETSC_COMM_WORLD, &fine));
    for (bool own : {true, false}) {
      Mat *A = own ? &p.A : &p.R, *I = own ? &interpolation.A : &interpolation.R;
      OK(DMSetMatType(dm, own ? type.c_str() : MATAIJ));
      OK(DMCreateMatrix(dm, A));
      OK(Stencil(dm, *A, 1));
      OK(Use(*A));
      OK(Stencil(dm, *A, 3));
      // The interpolation has the coarse grid's type if that begins with aij, as our root name does.
      OK(DMSetMatType(dm, own ? RootName(type).c_str() : MATAIJ));
      OK(DMCreateInterpolation(dm, fine, I, NULL));
    }
    CheckAndGoOn(p.A, p.R, full);
    EXPECT_EQ(TypeOf(interpolation.A), full);
    EXPECT_SAME_BOTH_WAYS(interpolation.A, interpolation.R);
    OK(DMDestroy(&fine));
    OK(DMDestroy(&dm));
  }
}

/// Creation functions that programs hard-code. Parallel ones have local rows `begin` to `end` - 1.
struct Creation {
  const char *name;
  bool        sequential;
  PetscErrorCode (*create)(Rows &rows, PetscInt local, PetscInt n, Mat *A);
};

const Creation kCreations[] = {
  {"MatSetType(MATAIJ)", false,
   [](Rows &, PetscInt local, PetscInt n, Mat *A) -> PetscErrorCode {
     PetscFunctionBegin;
     PetscCall(MatCreate(PETSC_COMM_WORLD, A));
     PetscCall(MatSetSizes(*A, local, local, n, n));
     PetscCall(MatSetType(*A, MATAIJ));
     PetscCall(MatSetUp(*A));
     PetscFunctionReturn(PETSC_SUCCESS);
   }},
  {"MatCreateAIJ", false,
   [](Rows &, PetscInt local, PetscInt n, Mat *A) {
     return MatCreateAIJ(PETSC_COMM_WORLD, local, local, n, n, 5, NULL, 5, NULL, A);
   }},
  {"MatCreateMPIAIJWithArrays", false,
   [](Rows &rows, PetscInt local, PetscInt n, Mat *A) {
     return MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, local, local, n, n, rows.i.data(), rows.j.data(), rows.v.data(), A);
   }},
  {"MatCreateSeqAIJ", true,
   [](Rows &, PetscInt, PetscInt n, Mat *A) { return MatCreateSeqAIJ(PETSC_COMM_WORLD, n, n, 5, NULL, A); }},
  {"MatCreateSeqAIJWithArrays", true,
   [](Rows &rows, PetscInt, PetscInt n, Mat *A) {
     return MatCreateSeqAIJWithArrays(PETSC_COMM_WORLD, n, n, rows.i.data(), rows.j.data(), rows.v.data(), A);
   }},
  {"MatCreateSeqAIJFromTriple", true,
   [](Rows &rows, PetscInt, PetscInt n, Mat *A) {
     return MatCreateSeqAIJFromTriple(PETSC_COMM_WORLD, n, n, rows.global_i.data(), rows.j.data(), rows.v.data(), A,
                                      static_cast<PetscInt>(rows.j.size()), PETSC_FALSE);
   }},
};

TEST(LifecycleAssembly, CatchAll)
{
  const TestMatrix a = Banded(kSize, kSize, 9);
  for (const std::string &type : Types()) {
    const std::string seq = "seq" + RootName(type);
    for (const Creation &creation : kCreations) {
      if (creation.sequential && Processes() > 1) continue;
      SCOPED_TRACE(type + ", " + creation.name);
      const auto [begin, end] = OwnRows(kSize);
      Rows rows(a, begin, end);
      Pair p;
      bool parallel;
      OK(Create(a, MATAIJ, &p.R));
      {
        CatchAll catch_all(seq);
        OK(creation.create(rows, end - begin, kSize, &p.A));
        OK(MatSetOption(p.A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
        OK(Insert(p.A, a, begin, end));
        OK(Use(p.A));
        Mat blocks[2] = {p.A, nullptr};
        parallel      = TypeOf(p.A) == MATMPIAIJ; // MatCreateMPIAIJWithArrays() on one process, too
        if (parallel) {
          OK(MatMPIAIJGetSeqAIJ(p.A, &blocks[0], &blocks[1], NULL));
        }
        for (Mat block : blocks) {
          if (block) {
            EXPECT_EQ(TypeOf(block), seq);
          }
        }
        OK(Insert(p.A, a, begin, end, 3));
      }
      OK(MatScale(p.R, 3));
      // New nonzeros in the caller's arrays: later PETSc versions free those, with plain AIJ too.
      const bool callers_arrays = std::string(creation.name) == "MatCreateSeqAIJWithArrays";
      CheckAndGoOn(p.A, p.R, parallel ? MATMPIAIJ : seq, !callers_arrays || PETSC_VERSION_LT(3, 22, 0));
    }
  }
}

/// The caller's arrays in the matrix, changed by PETSc's functions for that.
TEST(LifecycleAssembly, CallersArrays)
{
  const TestMatrix a = Banded(kSize, kSize, 9);
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    const auto [begin, end] = OwnRows(kSize);
    const PetscInt n        = end - begin;
    Rows           rows(a, begin, end);
    Pair           p;
    OK(Create(a, MATAIJ, &p.R));
    {
      CatchAll catch_all("seq" + RootName(type));
      if (Processes() > 1) {
        OK(MatCreateMPIAIJWithArrays(PETSC_COMM_WORLD, n, n, kSize, kSize, rows.i.data(), rows.j.data(), rows.v.data(), &p.A));
      } else {
        OK(MatCreateSeqAIJWithArrays(PETSC_COMM_WORLD, n, n, rows.i.data(), rows.j.data(), rows.v.data(), &p.A));
      }
      OK(Use(p.A));
    }
    EXPECT_SAME_BOTH_WAYS(p.A, p.R);
    for (PetscScalar &v : rows.v) v *= 3;
    if (Processes() > 1) {
      OK(MatUpdateMPIAIJWithArrays(p.A, n, n, kSize, kSize, rows.i.data(), rows.j.data(), rows.v.data()));
    } else { // a sequential matrix uses the caller's arrays, and its state is increased
      OK(MatAssemblyBegin(p.A, MAT_FINAL_ASSEMBLY));
      OK(MatAssemblyEnd(p.A, MAT_FINAL_ASSEMBLY));
    }
    OK(MatScale(p.R, 3));
    EXPECT_SAME_BOTH_WAYS(p.A, p.R);
  }
}

} // namespace

} // namespace petscspmv::test
