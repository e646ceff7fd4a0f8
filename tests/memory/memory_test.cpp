// Long runs: in the second half of ten thousand conversions and new matrices, and of a hundred thousand changes of values, a
// process takes no more memory.
#include "mat/tuning/remembered.hpp"
#include "memory/flat.hpp"

#include <cstdint>
#include <string>

namespace petscspmv::test {

namespace {

// So wide that products try other targets, where the processor has any, and remember the fastest for each pattern.
constexpr PetscInt kRows = 24, kColumns = 5000;

// All patterns or sizes are forgotten when there are more than are remembered, so that memory is at its highest before the second
// half only if the first half has more.
constexpr PetscInt kMoreThanKnown = 10000;
static_assert(kMoreThanKnown / 2 > Remembered<int, int>::kMost);

/// The type spmv would leave matrices as small as these to AIJ.
PetscErrorCode UseLayouts(const std::string &type, Mat A)
{
  PetscFunctionBegin;
  if (type != MATSPMV) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSpMVSetOption(A, "least", 0));
  PetscCall(MatSpMVSetChoice(A, MATCSR5));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A number that looks random, in [0, end).
PetscInt Hash(PetscInt seed, PetscInt k, PetscInt end)
{
  std::uint64_t h = static_cast<std::uint64_t>(seed) * 1000003 + static_cast<std::uint64_t>(k) + 1;
  for (int round = 0; round < 3; ++round) h = (h ^ (h >> 31)) * 0x9e3779b97f4a7c15u;
  return static_cast<PetscInt>((h >> 33) % static_cast<std::uint64_t>(end));
}

/// A matrix of 1 to 6 entries per row, whose row lengths and columns depend on the seed: no two have the same, also where only
/// lengths count.
PetscErrorCode Create(const std::string &type, PetscInt seed, PetscInt columns, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, kRows, columns, kRows, columns));
  PetscCall(MatSetType(*A, type.c_str()));
  PetscCall(MatSeqAIJSetPreallocation(*A, 6, NULL));
  PetscCall(UseLayouts(type, *A));
  for (PetscInt row = 0; row < kRows; ++row) {
    for (PetscInt k = Hash(seed, row, 6); k < 6; ++k)
      PetscCall(MatSetValue(*A, row, Hash(seed, kRows + 6 * row + k, columns), 1, ADD_VALUES));
  }
  PetscCall(Assemble(*A));
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

/// Adds the layouts that a matrix has built.
PetscErrorCode AddBuilds(Mat A, PetscInt64 *builds)
{
  MatSpMVInfo info;

  PetscFunctionBegin;
  PetscCall(MatSpMVGetInfo(A, &info));
  *builds += info.builds;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Something repeated a number of times; each repetition ends as it began.
struct Repetition {
  const char *name;
  PetscInt    times;
  bool        changes_values, transposes; // whether layouts of the transpose are built
  PetscErrorCode (*run)(const std::string &type, Mat A, Vec x, Vec y, PetscInt k, PetscInt64 *builds);
};

const Repetition kRepetitions[] = {
  {"conversions", 10000, false, false,
   [](const std::string &type, Mat A, Vec x, Vec y, PetscInt, PetscInt64 *builds) {
     Mat B;

     PetscFunctionBegin;
     PetscCall(MatConvert(A, MATSEQAIJ, MAT_INITIAL_MATRIX, &B));
     PetscCall(MatConvert(B, type.c_str(), MAT_INPLACE_MATRIX, &B));
     PetscCall(UseLayouts(type, B));
     PetscCall(Multiply(B, x, y));
     PetscCall(AddBuilds(B, builds));
     PetscCall(MatConvert(B, MATSEQAIJ, MAT_INPLACE_MATRIX, &B));
     PetscCall(MatDestroy(&B));
     PetscFunctionReturn(PETSC_SUCCESS);
   }},
  {"changes of values", 100000, true, false,
   [](const std::string &, Mat A, Vec x, Vec y, PetscInt k, PetscInt64 *) {
     PetscFunctionBegin;
     PetscCall(MatScale(A, k % 2 ? 2 : 0.5));
     PetscCall(Multiply(A, x, y));
     PetscFunctionReturn(PETSC_SUCCESS);
   }},
  {"patterns", kMoreThanKnown, false, true,
   [](const std::string &type, Mat, Vec x, Vec y, PetscInt k, PetscInt64 *builds) {
     Mat B;

     PetscFunctionBegin;
     PetscCall(Create(type, k, kColumns, &B));
     PetscCall(MatSpMVSetTranspose(B, MAT_SPMV_TRANSPOSE_LAYOUT));
     PetscCall(Multiply(B, x, y));
     PetscCall(AddBuilds(B, builds));
     PetscCall(MatDestroy(&B));
     PetscFunctionReturn(PETSC_SUCCESS);
   }},
};

TEST(Memory, StaysFlat)
{
  for (const std::string &type : Types()) {
    for (const Repetition &repetition : kRepetitions) {
      SCOPED_TRACE(type + ", " + repetition.name);
      OwnedMat   A;
      OwnedVec   x, y;
      PetscInt64 builds = 0;
      OK(Create(type, 0, kColumns, &A));
      OK(MatCreateVecs(A, &x, &y));
      OK(VecSet(x, 1));
      ExpectFlat([&](bool second, const auto &) {
        const PetscInt half = repetition.times / 2, begin = second ? half : 0;
        for (PetscInt k = begin; k < begin + half; ++k) OK(repetition.run(type, A, x, y, k, &builds));
      });
      if (!repetition.changes_values) {
        const bool both = repetition.transposes && type != "csrcopy" && type != MATSPMV; // its own A^T x; AIJ's at first
        EXPECT_EQ(builds, (both ? 2 : 1) * repetition.times);
        continue;
      }
      MatSpMVInfo info;
      OK(MatSpMVGetInfo(A, &info));
      EXPECT_EQ(info.mult, repetition.times);
      EXPECT_EQ(info.builds, 1);
      EXPECT_EQ(info.refreshes, repetition.times - 1); // the first product builds the layout
    }
  }
}

/// A matrix of type spmv multiplies as users have it, but for its size: it measures, and remembers its size.
PetscErrorCode Measure(Mat A)
{
  Vec               x, y;
  MatSpMVChoiceInfo choice;

  PetscFunctionBegin;
  PetscCall(MatSpMVSetChoice(A, "measured"));
  PetscCall(MatSpMVSetRegret(A, 1));
  PetscCall(MatCreateVecs(A, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(A, x, y));
  PetscCall(MatSpMVGetChoiceInfo(A, &choice));
  EXPECT_EQ(choice.by_aij, choice.products); // AIJ does the first product
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Memory, MeasuredSizes)
{
  ExpectFlat([&](bool second, const auto &) {
    const PetscInt half = kMoreThanKnown / 2, begin = second ? half : 0;
    for (PetscInt k = begin; k < begin + half; ++k) {
      Mat A;
      OK(Create(MATSPMV, k, 100 + k, &A));
      OK(Measure(A));
    }
  });
}

} // namespace

} // namespace petscspmv::test
