// Shared by the tests with PETSc.
#pragma once

#include "petsc/success.hpp"
#include "petscspmv.h"
#include "reference/accuracy.hpp"
#include "support/matrices.hpp"

#include <gtest/gtest.h>
#include <petscksp.h>
#include <petscmat.h>

namespace petscspmv::test {

/// A PETSc call that must succeed.
#define OK(...) ASSERT_EQ(static_cast<int>(__VA_ARGS__), 0) << #__VA_ARGS__

/// A PETSc call that must fail with an error that contains `text`, printing nothing.
#define FAILS_WITH(text, ...)                                                                                                      \
  do {                                                                                                                             \
    ::petscspmv::test::ExpectedError expected;                                                                                     \
    const int                        code = static_cast<int>(__VA_ARGS__);                                                         \
    EXPECT_NE(code, 0) << #__VA_ARGS__ << " succeeded";                                                                            \
    EXPECT_NE(expected.message.find(text), std::string::npos) << #__VA_ARGS__ << " said: " << expected.message;                    \
  } while (0)

/// The relative difference between products that sum in different orders: 1e-12 with double precision.
inline constexpr PetscReal kTolerance = 4500 * PETSC_MACHINE_EPSILON;

/// While it lives, errors are collected instead of printed.
struct ExpectedError {
  std::string message;

  ExpectedError() { PetscPushErrorHandler(Collect, this); }
  ~ExpectedError() { PetscPopErrorHandler(); }
  ExpectedError(const ExpectedError &)            = delete;
  ExpectedError &operator=(const ExpectedError &) = delete;

private:
  static PetscErrorCode Collect(MPI_Comm, int, const char *, const char *, PetscErrorCode code, PetscErrorType type,
                                const char *message, void *self)
  {
    if (type == PETSC_ERROR_INITIAL && message) static_cast<ExpectedError *>(self)->message += message;
    return code;
  }
};

/// The types under test: the aliases of the formats in the library that the tests link.
inline std::vector<std::string> Types()
{
  std::vector<std::string> types;
  std::string              list = PETSCSPMV_TYPES;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    types.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return types;
}

/// The types with a format of their own.
inline std::vector<std::string> FormatTypes()
{
  std::vector<std::string> types = Types();
  std::erase(types, MATSPMV);
  return types;
}

/// Whether -vec_type gives the matrices under test vectors on a device.
inline bool VectorsAreOnDevice()
{
  char      type[64];
  PetscBool given = PETSC_FALSE;
  PetscOptionsGetString(nullptr, nullptr, "-vec_type", type, sizeof(type), &given);
  return given && std::string(type) != VECSTANDARD;
}

inline int Processes()
{
  int size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  return size;
}

inline int Rank()
{
  int rank;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

/// Destroys PETSc objects at the end of a scope.
struct OwnedMat {
  Mat A                                 = nullptr;
  OwnedMat()                            = default;
  OwnedMat(const OwnedMat &)            = delete;
  OwnedMat &operator=(const OwnedMat &) = delete;
  ~OwnedMat() { MatDestroy(&A); }
       operator Mat() const { return A; }
  Mat *operator&() { return &A; }
};

struct OwnedVec {
  Vec v                                 = nullptr;
  OwnedVec()                            = default;
  OwnedVec(const OwnedVec &)            = delete;
  OwnedVec &operator=(const OwnedVec &) = delete;
  ~OwnedVec() { VecDestroy(&v); }
       operator Vec() const { return v; }
  Vec *operator&() { return &v; }
};

/// The full name of the type with the given alias on this many processes, e.g. mpiaijcsr5 for csr5.
inline std::string FullName(const std::string &type)
{
  OwnedMat   A;
  MatType    name = "";
  const auto ask  = [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(MatCreate(PETSC_COMM_WORLD, &A));
    PetscCall(MatSetSizes(A, 0, 0, 0, 0));
    PetscCall(MatSetType(A, type.c_str()));
    PetscCall(MatGetType(A, &name));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  return ask() ? "" : name;
}

/// How rows and columns are distributed over processes.
enum class Distribution { Even, AllOnLast, OddOnly };

inline PetscInt LocalSize(PetscInt n, Distribution distribution)
{
  const int size = Processes(), rank = Rank();
  if (distribution == Distribution::AllOnLast) return rank == size - 1 ? n : 0;
  if (distribution == Distribution::Even || size == 1) return n / size + (rank < n % size);
  const int owners = size / 2, owner = rank / 2; // 1, 3, ...
  return rank % 2 ? n / owners + (owner < n % owners) : 0;
}

inline PetscErrorCode Assemble(Mat M, MatAssemblyType type = MAT_FINAL_ASSEMBLY)
{
  PetscFunctionBegin;
  PetscCall(MatAssemblyBegin(M, type));
  PetscCall(MatAssemblyEnd(M, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Puts rows begin to end - 1 of `a`, times `scale`, into A and assembles it.
inline PetscErrorCode Insert(Mat A, const TestMatrix &a, PetscInt begin, PetscInt end, PetscScalar scale = 1,
                             InsertMode mode = INSERT_VALUES)
{
  PetscFunctionBegin;
  for (PetscInt row = begin; row < end; ++row) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(row)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(row) + 1]); ++k)
      PetscCall(MatSetValue(A, row, a.col_idx[k], scale * MakeScalar<PetscScalar>(a.real[k], a.imag[k]), mode));
  }
  PetscCall(Assemble(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A TestMatrix as a PETSc matrix of the given type, by MatSetValues().
inline PetscErrorCode CreateMat(const TestMatrix &a, const char *type, Distribution distribution, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, LocalSize(a.rows, distribution), LocalSize(a.cols, distribution), a.rows, a.cols));
  PetscCall(MatSetType(*A, type));
  begin                = 0;
  const PetscInt local = LocalSize(a.rows, distribution);
  PetscCallMPI(MPI_Exscan(&local, &begin, 1, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD));
  if (Rank() == 0) begin = 0;
  end                        = begin + local;
  const PetscInt        cols = LocalSize(a.cols, distribution);
  std::vector<PetscInt> diagonal, off_diagonal; // upper bounds
  for (PetscInt row = begin; row < end; ++row) {
    const PetscInt length = a.row_ptr[static_cast<std::size_t>(row) + 1] - a.row_ptr[static_cast<std::size_t>(row)];
    diagonal.push_back(std::min(length, cols));
    off_diagonal.push_back(std::min(length, a.cols - cols));
  }
  PetscCall(MatXAIJSetPreallocation(*A, 1, diagonal.data(), off_diagonal.data(), NULL, NULL));
  PetscCall(Insert(*A, a, begin, end));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Entry i of vector number `seed`, the same on every process.
inline PetscScalar Entry(PetscInt i, int seed)
{
  const auto part = [](std::uint64_t h) {
    h = (h ^ (h >> 31)) * 0x9e3779b97f4a7c15u;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u;
    return static_cast<double>(h >> 11) / 4503599627370496.0 - 1; // -1 .. 1
  };
  const std::uint64_t h = static_cast<std::uint64_t>(i) * 1000003u + static_cast<std::uint64_t>(seed) * 7919u + 1;
  return MakeScalar<PetscScalar>(part(h), part(h + 0x123456789u));
}

inline PetscErrorCode FillVec(Vec v, int seed)
{
  PetscInt     begin, end;
  PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(VecGetOwnershipRange(v, &begin, &end));
  PetscCall(VecGetArrayWrite(v, &array));
  for (PetscInt i = begin; i < end; ++i) array[i - begin] = Entry(i, seed);
  PetscCall(VecRestoreArrayWrite(v, &array));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The largest |(A - R) x| over the bound from |R||x|, for AIJ-like A and R of the same pattern and distribution; at most 1 is
/// right, NaN is wrong. Collective.
PetscErrorCode Difference(Mat A, Mat R, PetscReal *difference);

/// MatMult() of both agrees to rounding, on random vectors.
#define EXPECT_SAME(A, R)                                                                                                          \
  do {                                                                                                                             \
    PetscReal difference = -1;                                                                                                     \
    OK(::petscspmv::test::Difference(A, R, &difference));                                                                          \
    EXPECT_TRUE(difference >= 0 && difference <= 1) << #A " against " #R ": " << difference << " times the bound";                 \
  } while (0)

} // namespace petscspmv::test
