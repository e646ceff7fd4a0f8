// Matrices that are preallocated before they get their type: by MatSetFromOptions(), or directly.
#include "lifecycle/lifecycle.hpp"

namespace petscspmv::test {

namespace {

constexpr int kSize = 83, kBand = 17;

enum class Way { SetUp, XAIJ, Separate };

constexpr Way kWays[] = {Way::SetUp, Way::XAIJ, Way::Separate};

PetscErrorCode CreateEmpty(const char *type, Mat *A)
{
  const PetscInt n = LocalSize(kSize, Distribution::Even);

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, n, n, kSize, kSize));
  PetscCall(MatSetType(*A, type));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Preallocate(Way way, Mat A)
{
  const std::vector<PetscInt> five(static_cast<std::size_t>(LocalSize(kSize, Distribution::Even)), 5),
    others(five.size(), Processes() > 1 ? 5 : 0); // 3.25 accepts none beyond the off-diagonal block's columns

  PetscFunctionBegin;
  switch (way) {
  case Way::SetUp:
    PetscCall(MatSetUp(A));
    break;
  case Way::XAIJ:
    PetscCall(MatXAIJSetPreallocation(A, 1, five.data(), others.data(), NULL, NULL));
    break;
  case Way::Separate:
    PetscCall(MatSeqAIJSetPreallocation(A, 5, NULL));
    PetscCall(MatMPIAIJSetPreallocation(A, 5, NULL, 5, NULL));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetTypeFromOptions(const std::string &type, Mat A)
{
  PetscFunctionBegin;
  PetscCall(MatSetOptionsPrefix(A, "late_"));
  PetscCall(PetscOptionsSetValue(NULL, "-late_mat_type", type.c_str()));
  PetscCall(MatSetFromOptions(A));
  PetscCall(PetscOptionsClearValue(NULL, "-late_mat_type"));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// As DOLFINx and others do, zeroed before the first values. Two assemblies, the second of which finds a layout.
void FillAndCompare(const TestMatrix &a, Mat A, Mat R)
{
  const auto [begin, end] = OwnRows(a.rows);
  for (const PetscScalar scale : {1., 3.}) {
    for (Mat M : {A, R}) {
      OK(MatZeroEntries(M));
      OK(Insert(M, a, begin, end, scale, ADD_VALUES));
      OK(Use(M));
    }
    EXPECT_SAME(A, R);
  }
}

TEST(PreallocatedFirst, TypeFromOptions)
{
  const TestMatrix a = Banded(kSize, kSize, kBand);
  for (const std::string &type : Types()) {
    for (const char *before : {MATAIJ, Processes() > 1 ? MATMPIAIJ : MATSEQAIJ}) {
      for (const Way way : kWays) {
        SCOPED_TRACE(type + " after " + before + ", way " + std::to_string(static_cast<int>(way)));
        OwnedMat A, R;
        OK(CreateEmpty(before, &A));
        OK(Preallocate(way, A));
        OK(SetTypeFromOptions(type, A));
        EXPECT_EQ(TypeOf(A), FullName(type));
        OK(CreateEmpty(before, &R));
        OK(Preallocate(way, R));
        FillAndCompare(a, A, R);
      }
    }
  }
}

/// From one type to another, and on one process of a parallel matrix too.
TEST(PreallocatedFirst, TypeSetDirectly)
{
  const TestMatrix a = Banded(kSize, kSize, kBand);
  for (const std::string &type : Types()) {
    for (const char *before : {MATMPIAIJ, MATCSR5, MATSELLCS}) {
      SCOPED_TRACE(type + " after " + before);
      OwnedMat A, R;
      OK(CreateEmpty(before, &A));
      OK(Preallocate(Way::XAIJ, A));
      OK(MatSetType(A, type.c_str()));
      OK(CreateEmpty(MATMPIAIJ, &R));
      OK(Preallocate(Way::XAIJ, R));
      FillAndCompare(a, A, R);
    }
  }
}

/// What was set beside the preallocation holds as well: with 3.19 and later, a matrix whose type is set begins anew.
TEST(PreallocatedFirst, KeepsItsPreallocation)
{
#if PETSC_VERSION_GE(3, 19, 0)
  GTEST_SKIP() << "PETSc collects values in a hash table";
#else
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    const auto [begin, end] = OwnRows(kSize);
    OwnedMat A;
    OK(CreateEmpty(MATAIJ, &A));
    OK(MatSeqAIJSetPreallocation(A, 1, NULL));
    OK(MatMPIAIJSetPreallocation(A, 1, NULL, 0, NULL));
    OK(SetTypeFromOptions(type, A));
    OK(MatSetValue(A, begin, begin, 2., INSERT_VALUES));
    FAILS_WITH("caused a malloc", MatSetValue(A, begin, begin + 1, 2., INSERT_VALUES));
    MatInfo info;
    OK(Assemble(A));
    OK(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
    EXPECT_EQ(info.nz_allocated, kSize);
    EXPECT_EQ(info.mallocs, 0);
  }
#endif
}

/// The data of a matrix that became no type of ours belong to nobody: not to the next matrix of our types, nor to itself, later.
TEST(PreallocatedFirst, GivenUp)
{
  const TestMatrix a = Banded(kSize, kSize, kBand);
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    OwnedMat A, B, R;
    OK(CreateEmpty(MATAIJ, &A));
    OK(Preallocate(Way::Separate, A));
    OK(MatSetType(A, MATDENSE));
    OK(CreateEmpty(type.c_str(), &B));
    OK(Preallocate(Way::XAIJ, B));
    OK(MatSetType(A, type.c_str()));
    OK(Preallocate(Way::XAIJ, A));
    OK(CreateEmpty(MATAIJ, &R));
    OK(Preallocate(Way::XAIJ, R));
    FillAndCompare(a, A, R);
    FillAndCompare(a, B, R);
  }
}

/// As a matrix-free operator does that takes its type from a global option: an error where PETSc 3.18 crashes.
TEST(PreallocatedFirst, NotAtAll)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    OwnedMat A;
    OK(CreateEmpty(type.c_str(), &A));
#if PETSC_VERSION_GE(3, 19, 0)
    OK(Assemble(A));
#else
    const char *message = PetscDefined(USE_DEBUG) ? "Must call MatXXXSetPreallocation()" : "use -mat_seqaij_type";
    FAILS_WITH(message, Assemble(A));
#endif
  }
}

/// An assembled matrix keeps its values, as before.
TEST(PreallocatedFirst, Assembled)
{
  const TestMatrix a = Banded(kSize, kSize, kBand);
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    OwnedMat A, R;
    OK(Create(a, MATAIJ, &A));
    OK(Create(a, MATAIJ, &R));
    OK(SetTypeFromOptions(type, A));
    EXPECT_SAME(A, R);
  }
}

} // namespace

} // namespace petscspmv::test
