// MatConvert() to and from everything, in its three ways.
#include "lifecycle/lifecycle.hpp"

namespace petscspmv::test {

namespace {

constexpr int kSize = 66;

struct Target {
  std::string type;
  bool        symmetric = false; // for symmetric matrices only
  bool        reusable  = true;  // plain aij, too, converts to an existing matrix of the type
};

std::vector<Target> Targets(const std::string &type)
{
  std::vector<Target> targets = {
    {MATAIJ},
    {Processes() > 1 ? MATMPIAIJ : MATSEQAIJ},
    {MATBAIJ},
    {MATSBAIJ, true},
    {MATDENSE},
    {MATSELL},
    {MATAIJPERM, false, false}, // these three keep the old values
    {MATAIJSELL, false, false},
    {MATAIJCRL, false, false},
    {MATIS},
#if defined(PETSC_HAVE_HYPRE) && !defined(PETSC_USE_COMPLEX) &&                                                                    \
  !defined(PETSC_USE_64BIT_INDICES) // AIJ does not survive the round trip
    {MATHYPRE},
#endif
#if defined(PETSC_HAVE_SCALAPACK)
    {MATSCALAPACK},
#endif
    {type},
    {RootName(type)},
    {FullName(type)},
    {MATSAME},
  };
  for (const std::string &other : Types()) {
    if (other != type) targets.push_back({other});
  }
  return targets;
}

bool Ours(const std::string &type)
{
  for (const std::string &own : Types()) {
    if (type == own || type == RootName(own) || type == FullName(own)) return true;
  }
  return false;
}

void CheckTarget(const std::string &type, const Target &target)
{
  const std::string full = FullName(type);
  Pair              p;
  OwnedMat          T;
  OK(p.Create(Banded(kSize, kSize, 9, target.symmetric), type));
  for (Mat M : {p.A.A, p.R.A}) {
    OK(MatSetOption(M, MAT_SYMMETRIC, target.symmetric ? PETSC_TRUE : PETSC_FALSE));
  }
  if (!Ours(target.type)) { // PETSc 3.22 fails for MATSELL on several processes, with plain AIJ too
    OwnedMat  plain;
    PetscReal difference;
    OK(MatConvert(p.R, target.type.c_str(), MAT_INITIAL_MATRIX, &plain));
    OK(Difference(plain, p.R, &difference));
    if (!(difference <= 1)) return;
  }
  OK(MatConvert(p.A, target.type.c_str(), MAT_INITIAL_MATRIX, &T));
  EXPECT_SAME(T, p.R);
  if (Ours(target.type)) {
    EXPECT_EQ(TypeOf(T), FullName(target.type));
  }
  OK(MatScale(p.A, 3));
  OK(MatScale(p.R, 3));
  EXPECT_SAME_BOTH_WAYS(p.A, p.R);
  if (target.type != MATSAME && target.reusable) {
    SCOPED_TRACE("again");
    PetscObjectId before, after;
    OK(PetscObjectGetId((PetscObject)T.A, &before));
    OK(MatConvert(p.A, target.type.c_str(), MAT_REUSE_MATRIX, &T));
    OK(PetscObjectGetId((PetscObject)T.A, &after));
    EXPECT_SAME(T, p.R);
    if (Ours(target.type)) {
      EXPECT_EQ(before, after); // so that what is composed with it, and its options, stay
    }
  }
  {
    SCOPED_TRACE("in place");
    OK(MatConvert(p.A, target.type.c_str(), MAT_INPLACE_MATRIX, &p.A.A));
    EXPECT_SAME(p.A, p.R);
    if (Ours(target.type)) CheckAndGoOn(p.A, p.R, FullName(target.type));
  }
  {
    SCOPED_TRACE("and back");
    OwnedMat back;
    OK(MatConvert(p.A, type.c_str(), MAT_INITIAL_MATRIX, &back));
    EXPECT_EQ(TypeOf(back), full);
    EXPECT_SAME_BOTH_WAYS(back, p.R);
    OK(MatScale(p.A, 2));
    OK(MatScale(p.R, 2));
    OK(MatConvert(p.A, type.c_str(), MAT_REUSE_MATRIX, &back));
    EXPECT_SAME_BOTH_WAYS(back, p.R);
    OK(MatConvert(p.A, type.c_str(), MAT_INPLACE_MATRIX, &p.A.A));
    EXPECT_SAME_BOTH_WAYS(p.A, p.R);
    CheckAndGoOn(p.A, p.R, full);
  }
}

TEST(LifecycleConversions, ToEveryType)
{
  for (const std::string &type : Types()) {
    for (const Target &target : Targets(type)) {
      SCOPED_TRACE(type + " to " + target.type);
      CheckTarget(type, target);
    }
  }
}

TEST(LifecycleConversions, FromAij)
{
  for (const std::string &type : Types()) {
    const std::string full = FullName(type);
    for (const std::string &name : {type, RootName(type), full}) {
      SCOPED_TRACE("aij to " + name);
      Pair     p;
      OwnedMat A;
      OK(p.Create(Banded(kSize, kSize, 9), MATAIJ));
      OK(MatConvert(p.A, name.c_str(), MAT_INITIAL_MATRIX, &A));
      EXPECT_SAME_BOTH_WAYS(A, p.R);
      OK(MatScale(p.A, 2));
      OK(MatScale(p.R, 2));
      OK(MatConvert(p.A, name.c_str(), MAT_REUSE_MATRIX, &A));
      CheckAndGoOn(A, p.R, full);
    }
    SCOPED_TRACE(type + " in place");
    Pair p;
    OK(p.Create(Banded(kSize, kSize, 9), MATAIJ));
    OK(MatConvert(p.A, type.c_str(), MAT_INPLACE_MATRIX, &p.A.A));
    CheckAndGoOn(p.A, p.R, full);
  }
}

/// MatSetType() converts an assembled matrix if its type name is the beginning of the new one, as seqaij is of seqaijcsr5;
/// otherwise it destroys the contents.
TEST(LifecycleConversions, SetTypeOfAssembledMatrix)
{
  for (const std::string &type : Types()) {
    const std::string full = FullName(type);
    SCOPED_TRACE(type);
    Pair p;
    OK(p.Create(Banded(kSize, kSize, 9), MATAIJ));
    OK(MatSetType(p.A, full.c_str()));
    CheckAndGoOn(p.A, p.R, full);
    OK(MatSetType(p.A, full.c_str())); // nothing to do
    EXPECT_SAME_BOTH_WAYS(p.A, p.R);
    OK(MatSetType(p.A, type.c_str()));
    CheckAndGoOn(p.A, p.R, full);
    OK(MatSetType(p.A, MATAIJ));
    EXPECT_EQ(TypeOf(p.A), TypeOf(p.R));
    const auto [begin, end] = OwnRows(kSize); // whether or not it kept its entries, it must be usable
    OK(MatSetUp(p.A));
    for (Mat M : {p.A.A, p.R.A}) {
      OK(MatSetOption(M, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
      OK(MatSetOption(M, MAT_NEW_NONZERO_LOCATION_ERR, PETSC_FALSE));
      PetscBool assembled;
      OK(MatAssembled(M, &assembled));
      if (assembled) {
        OK(MatZeroEntries(M));
      }
      OK(Insert(M, Banded(kSize, kSize, 9), begin, end));
    }
    CheckAndGoOn(p.A, p.R, TypeOf(p.R));
  }
}

TEST(LifecycleConversions, ToAdjacency)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    Pair      p, s;
    PetscBool same;
    OK(p.Create(Banded(kSize, kSize, 9), type));
    OK(MatConvert(p.A, MATMPIADJ, MAT_INITIAL_MATRIX, &s.A));
    OK(MatConvert(p.R, MATMPIADJ, MAT_INITIAL_MATRIX, &s.R));
    OK(MatEqual(s.A, s.R, &same));
    EXPECT_TRUE(same);
    EXPECT_SAME_BOTH_WAYS(p.A, p.R);
  }
}

TEST(LifecycleConversions, ParallelTypeOnOneProcess)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    const std::string full = "mpi" + RootName(type);
    Pair              p;
    OwnedMat          A;
    OK(Create(Banded(kSize, kSize, 9), full, &p.A));
    OK(Create(Banded(kSize, kSize, 9), MATMPIAIJ, &p.R));
    CheckAndGoOn(p.A, p.R, full);
    OK(MatConvert(p.R, full.c_str(), MAT_INITIAL_MATRIX, &A));
    CheckAndGoOn(A, p.R, full);
  }
}

/// Matrices composed of others, ours and plain.
struct Composition {
  const char *name;
  PetscErrorCode (*create)(Mat A, Mat B, Mat *C);
};

const Composition kCompositions[] = {
  {"nest",
   [](Mat A, Mat B, Mat *C) {
     Mat blocks[] = {A, B, nullptr, A};
     return MatCreateNest(PETSC_COMM_WORLD, 2, NULL, 2, NULL, blocks, C);
   }},
  {"nest of a transpose",
   [](Mat A, Mat B, Mat *C) -> PetscErrorCode {
     OwnedMat T;
     PetscFunctionBegin;
     PetscCall(MatCreateTranspose(B, &T));
     Mat blocks[] = {A, T, B, nullptr};
     PetscCall(MatCreateNest(PETSC_COMM_WORLD, 2, NULL, 2, NULL, blocks, C));
     PetscFunctionReturn(PETSC_SUCCESS);
   }},
  {"transpose", [](Mat A, Mat, Mat *C) { return MatCreateTranspose(A, C); }},
  {"normal", [](Mat A, Mat, Mat *C) { return MatCreateNormal(A, C); }},
};

void CheckComposition(const std::string &type, const Composition &composition)
{
  const std::string full = FullName(type);
  Pair              p, q;
  OwnedMat          C, D, plain, converted, converted_from_plain;
  OK(p.Create(Banded(kSize, kSize, 9), type));
  OK(q.Create(Banded(kSize, kSize, 20), type));
  OK(MatScale(p.A, 3)); // stale by now
  OK(MatScale(p.R, 3));
  OK(composition.create(p.A, q.A, &C));
  OK(composition.create(p.R, q.R, &D));
  OK(MatConvert(D, MATAIJ, MAT_INITIAL_MATRIX, &plain));
  EXPECT_SAME(C, plain);
  OK(MatConvert(C, MATAIJ, MAT_INITIAL_MATRIX, &converted));
  EXPECT_SAME_BOTH_WAYS(converted, plain);
  OK(MatDestroy(&converted));
  OK(MatConvert(C, type.c_str(), MAT_INITIAL_MATRIX, &converted));
  EXPECT_SAME_BOTH_WAYS(converted, plain);
  OK(MatConvert(D, type.c_str(), MAT_INITIAL_MATRIX, &converted_from_plain));
  EXPECT_SAME_BOTH_WAYS(converted_from_plain, plain);
  OK(MatScale(p.A, 2));
  OK(MatScale(p.R, 2));
  OK(MatScale(q.A, 2));
  OK(MatScale(q.R, 2));
  OK(MatScale(plain, std::string(composition.name) == "normal" ? 4 : 2));
  EXPECT_SAME(C, plain);
  OK(MatConvert(C, type.c_str(), MAT_REUSE_MATRIX, &converted));
  CheckAndGoOn(converted, plain, full);
  OK(MatConvert(C, type.c_str(), MAT_INPLACE_MATRIX, &C.A));
  OK(MatScale(C, -2));
  EXPECT_EQ(TypeOf(C), full);
}

TEST(LifecycleConversions, FromCompositions)
{
  for (const std::string &type : Types()) {
    for (const Composition &composition : kCompositions) {
      SCOPED_TRACE(type + ", " + composition.name);
      CheckComposition(type, composition);
    }
  }
}

/// A matrix that the catch-all (-mat_seqaij_type) makes for MatConvert() must not be asked to convert to itself.
TEST(LifecycleConversions, FromCompositionsUnderTheCatchAll)
{
  for (const std::string &type : Types()) {
    for (const Composition &composition : kCompositions) {
      SCOPED_TRACE(type + ", " + composition.name);
      Pair     p, q;
      OwnedMat C, D, plain;
      OK(p.Create(Banded(kSize, kSize, 9), type));
      OK(q.Create(Banded(kSize, kSize, 20), type));
      OK(composition.create(p.A, q.A, &C));
      OK(composition.create(p.R, q.R, &D));
      OK(MatConvert(D, MATAIJ, MAT_INITIAL_MATRIX, &plain));
      for (const std::string &target : {std::string(MATAIJ), type}) {
        OwnedMat converted;
        {
          CatchAll catch_all("seq" + RootName(type));
          OK(MatConvert(C, target.c_str(), MAT_INITIAL_MATRIX, &converted));
        }
        EXPECT_SAME_BOTH_WAYS(converted, plain);
        if (target == type) {
          EXPECT_EQ(TypeOf(converted), FullName(type));
        }
      }
    }
  }
}

/// A sequential matrix takes the catch-all with its prefix; blocks of a parallel one have none.
TEST(LifecycleConversions, CatchAllWithPrefix)
{
  for (const std::string &type : Types()) {
    for (const bool with_prefix : {false, true}) {
      SCOPED_TRACE(type + (with_prefix ? ", with prefix" : ", without"));
      const CatchAll catch_all("seq" + RootName(type), with_prefix ? "inner_" : "");
      OwnedMat       A;
      OK(MatCreate(PETSC_COMM_WORLD, &A));
      OK(MatSetSizes(A, 5, 5, PETSC_DETERMINE, PETSC_DETERMINE));
      OK(MatSetOptionsPrefix(A, "inner_"));
      OK(MatSetType(A, MATAIJ));
      OK(MatSetUp(A));
      Mat block = A;
      if (Processes() > 1) {
        OK(MatMPIAIJGetSeqAIJ(A, &block, NULL, NULL));
      }
      EXPECT_EQ(TypeOf(block), with_prefix == (Processes() == 1) ? "seq" + RootName(type) : MATSEQAIJ);
    }
  }
}

TEST(LifecycleConversions, Composite)
{
  for (const std::string &type : Types()) {
    for (MatCompositeType kind : {MAT_COMPOSITE_ADDITIVE, MAT_COMPOSITE_MULTIPLICATIVE}) {
      SCOPED_TRACE(type + (kind == MAT_COMPOSITE_ADDITIVE ? ", sum" : ", product"));
      Pair     p, q;
      OwnedMat C, D;
      OK(p.Create(Banded(kSize, kSize, 9), type));
      OK(q.Create(Banded(kSize, kSize, 20), type));
      for (Mat *M : {&C, &D}) {
        Mat parts[] = {M == &C ? p.A.A : p.R.A, M == &C ? q.A.A : q.R.A};
        OK(MatCreateComposite(PETSC_COMM_WORLD, 2, parts, M));
        OK(MatCompositeSetType(*M, kind));
        OK(Use(*M));
        OK(MatScale(parts[0], 2));
      }
      OK(MatCompositeMerge(D));
      OwnedMat plain;
      OK(MatConvert(D, MATAIJ, MAT_INITIAL_MATRIX, &plain));
      if (kind == MAT_COMPOSITE_ADDITIVE) EXPECT_SAME(C, plain);
      OK(MatCompositeMerge(C));
      EXPECT_SAME_BOTH_WAYS(C, plain);
      EXPECT_SAME_BOTH_WAYS(p.A, p.R);
    }
  }
}

} // namespace

} // namespace petscspmv::test
