// Operations that give a matrix the header of another one, or take it: MatHeaderMerge() and MatHeaderReplace() drop what a type has
// composed with the matrix, and its name, before they destroy it. With -malloc_debug, under which PETSc counts its memory, no
// repetition leaves more behind than it does with aij.
#include "lifecycle/lifecycle.hpp"

namespace petscspmv::test {

namespace {

constexpr int kSize = 60;

struct Operation {
  const char *name;
  PetscErrorCode (*run)(Mat *A, const std::string &type);
};

PetscErrorCode Add(Mat A, const char *type)
{
  OwnedMat B;

  PetscFunctionBegin;
  PetscCall(CreateMat(Banded(kSize, kSize, 11), type, Distribution::Even, &B));
  PetscCall(MatAXPY(A, 2, B, DIFFERENT_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ThereAndBack(Mat *A, const char *there, const std::string &type)
{
  PetscFunctionBegin;
  PetscCall(MatConvert(*A, there, MAT_INPLACE_MATRIX, A));
  PetscCall(MatConvert(*A, type.c_str(), MAT_INPLACE_MATRIX, A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolveByGamg(Mat A)
{
  OwnedVec x, b;
  KSP      ksp;
  PC       pc;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(FillVec(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCGAMG));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Operation kOperations[] = {
  {"nothing", [](Mat *, const std::string &) { return PetscErrorCode(PETSC_SUCCESS); }},
  {"sum with aij of another pattern", [](Mat *A, const std::string &) { return Add(*A, MATAIJ); }},
  {"sum with its own type", [](Mat *A, const std::string &type) { return Add(*A, type.c_str()); }},
  {"transpose in place", [](Mat *A, const std::string &) { return MatTranspose(*A, MAT_INPLACE_MATRIX, A); }},
  {"to aij and back", [](Mat *A, const std::string &type) { return ThereAndBack(A, MATAIJ, type); }},
  {"to baij and back", [](Mat *A, const std::string &type) { return ThereAndBack(A, MATBAIJ, type); }},
  {"to dense and back", [](Mat *A, const std::string &type) { return ThereAndBack(A, MATDENSE, type); }},
  {"gamg", [](Mat *A, const std::string &) { return SolveByGamg(*A); }},
};

/// The bytes that PETSc has not freed after some repetitions, which follow some others.
PetscErrorCode Left(const Operation &operation, const std::string &type, PetscLogDouble *left)
{
  constexpr int  kFirst = 2, kMore = 5; // PETSc keeps some things from the first ones
  PetscLogDouble begin = 0, end = 0;

  PetscFunctionBegin;
  for (int k = 0; k < kFirst + kMore; ++k) {
    if (k == kFirst) PetscCall(PetscMallocGetCurrentUsage(&begin));
    OwnedMat A;
    PetscCall(Create(Banded(kSize, kSize, 7, true), type, &A));
    PetscCall(operation.run(&A, type));
    PetscCall(Use(A));
  }
  PetscCall(PetscMallocGetCurrentUsage(&end));
  PetscCheck(begin > 0, PETSC_COMM_SELF, PETSC_ERR_PLIB, "PETSc counts memory only with -malloc_debug");
  *left = end - begin;
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Memory, NothingIsLeftOfReplacedHeaders)
{
  for (const Operation &operation : kOperations) {
    PetscLogDouble of_aij;
    OK(Left(operation, MATAIJ, &of_aij));
    for (const std::string &type : Types()) {
      PetscLogDouble left;
      OK(Left(operation, type, &left));
      EXPECT_LE(left, of_aij) << type << ", " << operation.name;
    }
  }
}

} // namespace

} // namespace petscspmv::test
