// Long runs: in the second half of ten thousand conversions and new matrices, and of a hundred thousand changes of values, a
// process takes no more memory.
#include "memory/flat.hpp"

#include <string>

namespace petscspmv::test {

namespace {

constexpr PetscInt kSize = 24;

/// The type spmv would leave matrices as small as these to AIJ.
PetscErrorCode UseLayouts(const std::string &type, Mat A)
{
  PetscFunctionBegin;
  if (type != MATSPMV) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSpMVSetOption(A, "least", 0));
  PetscCall(MatSpMVSetChoice(A, MATCSR5));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A matrix of 5 entries per row, at positions that depend on the seed.
PetscErrorCode Create(const std::string &type, PetscInt seed, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, kSize, kSize, kSize, kSize));
  PetscCall(MatSetType(*A, type.c_str()));
  PetscCall(MatSeqAIJSetPreallocation(*A, 6, NULL));
  PetscCall(UseLayouts(type, *A));
  for (PetscInt row = 0; row < kSize; ++row) {
    for (PetscInt k = 0; k < 5; ++k)
      PetscCall(MatSetValue(*A, row, (row * (seed % 17 + 1) + k * (seed % 7 + 1)) % kSize, 1, ADD_VALUES));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Products with the matrix and its transpose.
PetscErrorCode Multiply(Mat A, Vec x, Vec y)
{
  PetscFunctionBegin;
  PetscCall(MatMult(A, x, y));
  PetscCall(MatMultTranspose(A, y, x));
  PetscCall(VecSet(x, 1));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Something repeated a number of times; each repetition ends as it began.
struct Repetition {
  const char *name;
  PetscInt    times;
  bool        changes_values;
  PetscErrorCode (*run)(const std::string &type, Mat A, Vec x, Vec y, PetscInt k);
};

const Repetition kRepetitions[] = {
  {"conversions", 10000, false,
   [](const std::string &type, Mat A, Vec x, Vec y, PetscInt) {
     Mat B;

     PetscFunctionBegin;
     PetscCall(MatConvert(A, MATSEQAIJ, MAT_INITIAL_MATRIX, &B));
     PetscCall(MatConvert(B, type.c_str(), MAT_INPLACE_MATRIX, &B));
     PetscCall(UseLayouts(type, B));
     PetscCall(Multiply(B, x, y));
     PetscCall(MatConvert(B, MATSEQAIJ, MAT_INPLACE_MATRIX, &B));
     PetscCall(MatDestroy(&B));
     PetscFunctionReturn(PETSC_SUCCESS);
   }},
  {"changes of values", 100000, true,
   [](const std::string &, Mat A, Vec x, Vec y, PetscInt k) {
     PetscFunctionBegin;
     PetscCall(MatScale(A, k % 2 ? 2 : 0.5));
     PetscCall(Multiply(A, x, y));
     PetscFunctionReturn(PETSC_SUCCESS);
   }},
  {"patterns", 10000, false,
   [](const std::string &type, Mat, Vec x, Vec y, PetscInt k) {
     Mat B;

     PetscFunctionBegin;
     PetscCall(Create(type, k, &B));
     PetscCall(MatSpMVSetTranspose(B, MAT_SPMV_TRANSPOSE_LAYOUT));
     PetscCall(Multiply(B, x, y));
     PetscCall(MatDestroy(&B));
     PetscFunctionReturn(PETSC_SUCCESS);
   }},
};

TEST(Memory, StaysFlat)
{
  for (const std::string &type : Types()) {
    for (const Repetition &repetition : kRepetitions) {
      SCOPED_TRACE(type + ", " + repetition.name);
      OwnedMat A;
      OwnedVec x, y;
      OK(Create(type, 0, &A));
      OK(MatCreateVecs(A, &x, &y));
      OK(VecSet(x, 1));
      ExpectFlat([&](bool second) {
        const PetscInt half = repetition.times / 2, begin = second ? half : 0;
        for (PetscInt k = begin; k < begin + half; ++k) OK(repetition.run(type, A, x, y, k));
      });
      if (!repetition.changes_values) continue;
      MatSpMVInfo info;
      OK(MatSpMVGetInfo(A, &info));
      EXPECT_EQ(info.mult, repetition.times);
      EXPECT_EQ(info.builds, 1);
      EXPECT_EQ(info.refreshes, repetition.times - 1); // the first product builds the layout
    }
  }
}

} // namespace

} // namespace petscspmv::test
