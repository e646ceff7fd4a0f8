// Shared by the lifecycle tests: every operation is applied to a matrix of a type under test, whose layout exists by then, and to
// a plain MATAIJ, and both must agree ever after.
#pragma once

#include "lifecycle/swept.hpp"
#include "support/petsc_test.hpp"

#include <cstdio>
#include <filesystem>
#include <unistd.h>

namespace petscspmv::test {

/// A rows x cols matrix with a dominant diagonal, its two neighbouring diagonals and one at distance `band`, so that every process
/// has entries in other processes' columns.
inline TestMatrix Banded(int rows, int cols, int band, bool symmetric = false)
{
  TestMatrix a{"banded", rows, cols, {0}, {}, {}, {}};
  for (int i = 0; i < rows; ++i) {
    for (int j : {i - band, i - 1, i, i + 1, i + band}) {
      if (j < 0 || j >= cols) continue;
      const int low = symmetric ? std::min(i, j) : i, high = symmetric ? std::max(i, j) : j;
      a.col_idx.push_back(j);
      a.real.push_back(i == j ? 5 + 0.013 * i : -1 / (1 + 0.1 * ((low * 7 + high * 3) % 5)));
      a.imag.push_back(symmetric ? 0 : 0.1 * ((i + 2 * j) % 3));
    }
    a.row_ptr.push_back(a.nnz());
  }
  return a;
}

/// The first row of this process and one past its last, by the distribution of CreateMat().
inline std::pair<PetscInt, PetscInt> OwnRows(PetscInt rows)
{
  PetscInt begin = 0;
  for (int rank = 0; rank < Rank(); ++rank) begin += rows / Processes() + (rank < rows % Processes());
  return {begin, begin + LocalSize(rows, Distribution::Even)};
}

/// Products of every kind, and relaxations, so that all layouts exist and may become stale.
inline PetscErrorCode Use(Mat A)
{
  OwnedVec  x, y;
  PetscReal difference;

  PetscFunctionBegin;
  PetscCall(SweptDifference(A, A, &difference));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(FillVec(x, 3));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatMultAdd(A, x, y, y));
  PetscCall(MatMultTranspose(A, y, x));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode Create(const TestMatrix &a, const std::string &type, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(CreateMat(a, type.c_str(), Distribution::Even, A));
  PetscCall(Use(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A matrix of a type under test, and the same as plain MATAIJ.
struct Pair {
  OwnedMat A, R;

  PetscErrorCode Create(const TestMatrix &a, const std::string &type)
  {
    PetscFunctionBegin;
    PetscCall(test::Create(a, type, &A));
    PetscCall(test::Create(a, MATAIJ, &R));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

/// The root name: aijcsr5 of csr5.
inline std::string RootName(const std::string &type)
{
  return FullName(type).substr(3);
}

inline std::string TypeOf(Mat A)
{
  MatType name;
  return MatGetType(A, &name) || !name ? "" : name;
}

/// A file for all processes, removed at the end.
struct ScratchFile {
  std::string name;

  ScratchFile()
  {
    int pid = static_cast<int>(getpid());
    MPI_Bcast(&pid, 1, MPI_INT, 0, PETSC_COMM_WORLD);
    name = (std::filesystem::temp_directory_path() / ("petscspmv-lifecycle-" + std::to_string(pid))).string();
  }
  ~ScratchFile()
  {
    MPI_Barrier(PETSC_COMM_WORLD);
    if (Rank() == 0) std::remove(name.c_str());
    if (Rank() == 0) std::remove((name + ".info").c_str());
  }
  ScratchFile(const ScratchFile &)            = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;
};

/// While it lives, every sequential AIJ matrix, and each block of a parallel one, gets the type; or those with a prefix.
struct CatchAll {
  explicit CatchAll(const std::string &seq, const std::string &prefix = "") : option("-" + prefix + "mat_seqaij_type")
  {
    PetscOptionsSetValue(NULL, option.c_str(), seq.c_str());
  }
  ~CatchAll() { PetscOptionsClearValue(NULL, option.c_str()); }
  CatchAll(const CatchAll &)            = delete;
  CatchAll &operator=(const CatchAll &) = delete;

  const std::string option;
};

/// A has the entries of R, also transposed, and in layouts of its triangles.
#define EXPECT_SAME_BOTH_WAYS(A, R)                                                                                                \
  do {                                                                                                                             \
    OwnedMat virtual_transpose, transpose;                                                                                         \
    EXPECT_SAME(A, R);                                                                                                             \
    EXPECT_SAME_SWEEPS(A, R);                                                                                                      \
    OK(MatCreateTranspose(A, &virtual_transpose));                                                                                 \
    OK(MatTranspose(R, MAT_INITIAL_MATRIX, &transpose));                                                                           \
    EXPECT_SAME(virtual_transpose, transpose);                                                                                     \
  } while (0)

/// A is of type `full` and equals R, and continues to through whatever comes next in its life.
inline void CheckAndGoOn(Mat A, Mat R, const std::string &full, bool new_nonzeros = true)
{
  PetscInt begin, end;

  EXPECT_EQ(TypeOf(A), full);
  EXPECT_SAME_BOTH_WAYS(A, R);
  {
    SCOPED_TRACE("then scaled");
    OK(MatScale(A, -2));
    OK(MatScale(R, -2));
    EXPECT_SAME_BOTH_WAYS(A, R);
  }
  {
    SCOPED_TRACE("then duplicated");
    OwnedMat copy;
    OK(MatDuplicate(A, MAT_COPY_VALUES, &copy));
    EXPECT_EQ(TypeOf(copy), full);
    EXPECT_SAME_BOTH_WAYS(copy, R);
  }
  {
    SCOPED_TRACE("then converted to aij");
    OwnedMat plain;
    OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &plain));
    EXPECT_EQ(TypeOf(plain), full.substr(0, 3) + MATAIJ);
    EXPECT_SAME_BOTH_WAYS(plain, R);
  }
  if (new_nonzeros) {
    SCOPED_TRACE("then assembled again");
    for (Mat M : {A, R}) {
      OK(MatSetOption(M, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
      OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
      OK(MatSetOption(M, MAT_NEW_NONZERO_LOCATIONS, PETSC_TRUE));
      OK(MatGetOwnershipRange(M, &begin, &end));
      PetscInt rows, cols;
      OK(MatGetSize(M, &rows, &cols));
      for (PetscInt row = begin; row < end; row += 3) OK(MatSetValue(M, row, (row * 5 + 2) % cols, 0.75, ADD_VALUES));
      OK(MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY));
      OK(MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY));
    }
    EXPECT_SAME_BOTH_WAYS(A, R);
  }
}

} // namespace petscspmv::test
