// PETSc's own types derived from AIJ beside ours: made while -mat_seqaij_type names one of ours, converted to and from ours, and
// multiplied with ours.
#include "lifecycle/lifecycle.hpp"

namespace petscspmv::test {

namespace {

constexpr int kRows = 96; // PETSc's transposed products of aijsell are wrong unless a process' rows are a multiple of 8

const std::vector<std::string> kDerived{MATAIJPERM, MATAIJSELL, MATAIJCRL};

std::string Prefix()
{
  return Processes() == 1 ? "seq" : "mpi";
}

/// A matrix of PETSc's derived type is one: it shows itself, reads options, and is copied, converted and preallocated again.
void CheckDerived(Mat A, Mat R, const std::string &type)
{
  OwnedMat    copy, dense, plain;
  PetscViewer viewer;
  ScratchFile file;

  EXPECT_EQ(TypeOf(A), type);
  EXPECT_SAME_BOTH_WAYS(A, R);
  OK(PetscViewerASCIIOpen(PETSC_COMM_WORLD, file.name.c_str(), &viewer));
  OK(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO));
  OK(MatView(A, viewer));
  OK(PetscViewerPopFormat(viewer));
  OK(PetscViewerDestroy(&viewer));
  OK(MatSetFromOptions(A));
  OK(MatConvert(A, MATDENSE, MAT_INITIAL_MATRIX, &dense));
  EXPECT_SAME(dense, R);
  if (type.ends_with(MATAIJCRL)) return; // PETSc cannot copy it
  OK(MatDuplicate(A, MAT_COPY_VALUES, &copy));
  EXPECT_EQ(TypeOf(copy), type);
  EXPECT_SAME_BOTH_WAYS(copy, R);
  OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &plain));
  EXPECT_SAME_BOTH_WAYS(plain, R);
}

TEST(Derived, AreMadeUnderSeqAIJType)
{
  const TestMatrix a = Banded(kRows, kRows, 9);
  OwnedMat         R;
  OK(Create(a, MATAIJ, &R));
  for (const std::string &type : Types()) {
    for (const std::string &derived : kDerived) {
      SCOPED_TRACE(type + ", " + derived);
      const CatchAll all("seq" + RootName(type));
      OwnedMat       A;
      OK(CreateMat(a, derived.c_str(), Distribution::Even, &A));
      CheckDerived(A, R, Prefix() + derived);
    }
  }
}

/// The block of a parallel matrix is made again with the preallocation.
TEST(Derived, ArePreallocatedAgainUnderSeqAIJType)
{
  const TestMatrix a = Banded(kRows, kRows, 9), b = Banded(kRows, kRows, 13);
  OwnedMat         R;
  OK(Create(b, MATAIJ, &R));
  for (const std::string &type : Types()) {
    for (const std::string &derived : kDerived) {
      SCOPED_TRACE(type + ", " + derived);
      const CatchAll all("seq" + RootName(type));
      OwnedMat       plain, A;
      OK(Create(a, MATAIJ, &plain)); // with our type, or blocks of it
      OK(MatConvert(plain, derived.c_str(), MAT_INITIAL_MATRIX, &A));
      OK(MatSeqAIJSetPreallocation(A, 5, NULL));
      OK(MatMPIAIJSetPreallocation(A, 5, NULL, 5, NULL));
      OK(Insert(A, b, OwnRows(kRows).first, OwnRows(kRows).second));
      CheckDerived(A, R, Prefix() + derived);
    }
  }
}

/// Converts in all three ways, and checks values.
void ConvertAllWays(const TestMatrix &a, const std::string &from, const std::string &to)
{
  OwnedMat A, R, B;
  OK(Create(a, from, &A));
  OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
  OK(MatConvert(A, to.c_str(), MAT_INITIAL_MATRIX, &B));
  EXPECT_SAME_BOTH_WAYS(B, R);
  OK(Use(B));
  OK(MatScale(A, 3.0));
  OK(MatScale(R, 3.0));
  OK(MatConvert(A, to.c_str(), MAT_REUSE_MATRIX, &B));
  OK(Assemble(B)); // aijcrl takes values at assembly only
  EXPECT_SAME_BOTH_WAYS(B, R);
  OK(Assemble(A));
  OK(MatConvert(A, to.c_str(), MAT_INPLACE_MATRIX, &A));
  EXPECT_EQ(TypeOf(A), Prefix() + (to.starts_with("aij") ? to : RootName(to)));
  EXPECT_SAME_BOTH_WAYS(A, R);
}

TEST(Derived, ConvertToAndFromOurs)
{
  const TestMatrix a = Banded(kRows, kRows, 9);
  for (const std::string &type : Types()) {
    for (const std::string &derived : kDerived) {
      for (const bool by_option : {false, true}) {
        SCOPED_TRACE(type + ", " + derived + (by_option ? ", with -mat_seqaij_type" : ""));
        if (by_option) {
          OK(PetscOptionsSetValue(NULL, "-mat_seqaij_type", ("seq" + RootName(type)).c_str()));
        }
        ConvertAllWays(a, type, derived);
        if (derived != MATAIJCRL) ConvertAllWays(a, derived, type); // PETSc cannot copy it
        if (by_option) {
          OK(PetscOptionsClearValue(NULL, "-mat_seqaij_type"));
        }
      }
    }
  }
}

/// A plain matrix is converted where a copy of it would become one of ours.
TEST(Derived, ComeFromPlainMatricesUnderSeqAIJType)
{
  const TestMatrix a = Banded(kRows, kRows, 9);
  for (const std::string &type : Types()) {
    for (const std::string &derived : kDerived) {
      SCOPED_TRACE(type + ", " + derived);
      const CatchAll all("seq" + RootName(type));
      OwnedMat       A, plain, B;
      OK(Create(a, type, &A));
      OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &plain));
      OK(MatConvert(plain, derived.c_str(), MAT_INITIAL_MATRIX, &B));
      CheckDerived(B, A, Prefix() + derived);
    }
  }
}

/// With another pattern PETSc makes the sum, or the copy, as a new matrix, and merges it into the plain one.
TEST(Derived, ComeFromPlainSumsUnderSeqAIJType)
{
  const TestMatrix a = Banded(kRows, kRows, 9), b = Banded(kRows, kRows, 13);
  for (const bool copy : {false, true}) {
    OwnedMat   R, other;
    const auto change = [copy](Mat Y, Mat X) {
      return copy ? MatCopy(X, Y, DIFFERENT_NONZERO_PATTERN) : MatAXPY(Y, 2, X, DIFFERENT_NONZERO_PATTERN);
    };
    OK(Create(a, MATAIJ, &R));
    OK(Create(b, MATAIJ, &other));
    OK(change(R, other));
    for (const std::string &type : Types()) {
      for (const std::string &derived : kDerived) {
        SCOPED_TRACE(type + ", " + derived + (copy ? ", copy" : ", sum"));
        const CatchAll all("seq" + RootName(type));
        OwnedMat       A, X, plain, B;
        OK(Create(a, type, &A));
        OK(Create(b, type, &X));
        OK(MatConvert(A, MATAIJ, MAT_INITIAL_MATRIX, &plain));
        OK(change(plain, X));
        EXPECT_SAME_BOTH_WAYS(plain, R);
        OK(MatConvert(plain, derived.c_str(), MAT_INITIAL_MATRIX, &B));
        CheckDerived(B, R, Prefix() + derived);
      }
    }
  }
}

PetscErrorCode Multiply(MatProductType product, Mat A, Mat B, Mat *C)
{
  PetscFunctionBegin;
  switch (product) {
  case MATPRODUCT_AtB:
    PetscCall(MatTransposeMatMult(A, B, MAT_INITIAL_MATRIX, 2, C));
    break;
  case MATPRODUCT_ABt:
    PetscCall(MatMatTransposeMult(A, B, MAT_INITIAL_MATRIX, 2, C));
    break;
  case MATPRODUCT_PtAP:
    PetscCall(MatPtAP(A, B, MAT_INITIAL_MATRIX, 2, C));
    break;
  default:
    PetscCall(MatMatMult(A, B, MAT_INITIAL_MATRIX, 2, C));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Derived, MultiplyWithOurs)
{
  const TestMatrix a = Banded(kRows, kRows, 9);
  OwnedMat         R;
  OK(Create(a, MATAIJ, &R));
  for (const std::string &derived : kDerived) {
    OwnedMat D;
    OK(Create(a, derived, &D));
    for (const MatProductType product : {MATPRODUCT_AB, MATPRODUCT_AtB, MATPRODUCT_ABt, MATPRODUCT_PtAP}) {
      for (const bool ours_first : {true, false}) {
        OwnedMat   S;
        const bool by_aij = product == MATPRODUCT_ABt; // PETSc crashes with AIJ and its derived types
        OK(Multiply(product, ours_first || by_aij ? R.A : D.A, ours_first && !by_aij ? D.A : R.A, &S));
        for (const std::string &type : Types()) {
          SCOPED_TRACE(type + ", " + derived + ", " + MatProductTypes[product] + (ours_first ? ", ours first" : ", ours second"));
          OwnedMat A, C;
          OK(Create(a, type, &A));
          OK(Multiply(product, ours_first ? A : D, ours_first ? D : A, &C));
          EXPECT_SAME(C, S);
        }
      }
    }
  }
}

} // namespace

} // namespace petscspmv::test
