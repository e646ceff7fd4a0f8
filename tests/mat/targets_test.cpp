// Targets as PETSc users see them: which exist, what they multiply, and the errors for others.
#include "formats.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "support/fill_nan.hpp"
#include "support/petsc_test.hpp"

#include <cstring>

namespace petscspmv::test {

namespace {

std::vector<std::string> Split(const std::string &list)
{
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    names.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

/// All targets that the library is compiled for: the project's rows, and one that only this library has.
const std::vector<std::string> kAllTargets = Split(PETSCSPMV_TEST_TARGETS);

std::vector<std::string> TargetsHere()
{
  const char *const *names = nullptr;
  PetscInt           n     = 0;
  EXPECT_EQ(static_cast<int>(PetscSpMVGetTargets(&n, &names)), 0);
  return {names, names + n};
}

bool Has(const std::vector<std::string> &names, const std::string &name)
{
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string CurrentTarget()
{
  const char *name = "";
  EXPECT_EQ(static_cast<int>(PetscSpMVGetTarget(&name, NULL)), 0);
  return name;
}

/// The library's own choice. This must be the first test: later ones choose.
TEST(Targets, OneIsChosen)
{
  const char *name = "", *why = "";
  PetscBool   forced;
  OK(PetscOptionsHasName(NULL, NULL, "-spmv_simd", &forced));
  OK(PetscSpMVGetTarget(&name, &why));
  EXPECT_TRUE(Has(TargetsHere(), name)) << name;
  EXPECT_STRNE(why, "");
  EXPECT_EQ(CurrentTarget(), name);
  if (!forced && TargetsHere().size() > 1) {
    EXPECT_STRNE(name, "baseline"); // baseline gives other bits
  }
  OK(PetscSpMVGetTarget(&name, NULL));
  FAILS_WITH("NULL", PetscSpMVGetTarget(NULL, &why));
}

TEST(Targets, AreThoseThatTheProcessorHas)
{
  const std::vector<std::string> here = TargetsHere();
  ASSERT_FALSE(here.empty());
  EXPECT_EQ(here.front(), "baseline");
  for (const std::string &name : here) EXPECT_TRUE(Has(kAllTargets, name)) << name;
  for (const std::string &name : kAllTargets) {
    if (Has(here, name)) {
      OK(PetscSpMVSetTarget(name.c_str()));
    } else {
      FAILS_WITH(name + ", which this processor does not have", PetscSpMVSetTarget(name.c_str()));
      for (const std::string &other : here) FAILS_WITH(other, PetscSpMVSetTarget(name.c_str()));
    }
    EXPECT_EQ(CurrentTarget() == name, Has(here, name));
  }
}

TEST(Targets, AnUnknownOneIsAnError)
{
  const std::string before = CurrentTarget();
  for (const char *name : {"sse9", "", "avx", "Baseline", "avx2 "}) {
    FAILS_WITH("not one of the library's targets", PetscSpMVSetTarget(name));
    for (const std::string &other : TargetsHere()) FAILS_WITH(other, PetscSpMVSetTarget(name));
  }
  FAILS_WITH("NULL", PetscSpMVGetTargets(NULL, NULL));
  EXPECT_EQ(CurrentTarget(), before);
}

/// A x, or v + A x.
struct Products {
  std::vector<PetscScalar> plain, added;
};

PetscErrorCode Multiply(Mat A, Products &products)
{
  OwnedVec           x, v, y;
  PetscInt           n;
  const PetscScalar *array;

  PetscFunctionBegin;
  PetscCall(MatCreateVecs(A, &x, &v));
  PetscCall(VecDuplicate(v, &y));
  PetscCall(FillVec(x, 1));
  PetscCall(FillVec(v, 2));
  PetscCall(VecGetLocalSize(y, &n));
  for (std::vector<PetscScalar> *result : {&products.plain, &products.added}) {
    PetscCall(FillNaN(y));
    if (result == &products.plain) PetscCall(MatMult(A, x, y));
    else PetscCall(MatMultAdd(A, x, v, y));
    PetscCall(VecGetArrayRead(y, &array));
    result->assign(array, array + n);
    PetscCall(VecRestoreArrayRead(y, &array));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool SameBits(const std::vector<PetscScalar> &a, const std::vector<PetscScalar> &b)
{
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(PetscScalar)) == 0);
}

/// Every row is within the bound for rounding, or if rows are not kept apart, within the bound for all of them together.
void ExpectRight(const TestMatrix &a, const std::vector<PetscScalar> &y, bool add, bool rows_apart)
{
  std::vector<Sum<PetscScalar>> sums(static_cast<std::size_t>(a.rows));
  Sum<PetscScalar>              all;
  for (std::size_t row = 0; row < sums.size(); ++row) {
    for (auto k = static_cast<std::size_t>(a.row_ptr[row]); k < static_cast<std::size_t>(a.row_ptr[row + 1]); ++k) {
      sums[row].Add(Widen(MakeScalar<PetscScalar>(a.real[k], a.imag[k])), Widen(Entry(a.col_idx[k], 1)));
    }
    if (add) sums[row].Add(1, Widen(Entry(static_cast<PetscInt>(row), 2)));
    all.magnitude += sums[row].magnitude;
    all.terms += sums[row].terms;
  }
  ASSERT_EQ(y.size(), sums.size());
  for (std::size_t row = 0; row < sums.size(); ++row) {
    if (!rows_apart) {
      sums[row].magnitude = all.magnitude;
      sums[row].terms     = all.terms;
    }
    ASSERT_TRUE(sums[row].Matches(y[row])) << "row " << row << ": " << y[row];
  }
}

/// While it lives, the target may change.
class KeptTarget {
public:
  ~KeptTarget() { EXPECT_EQ(static_cast<int>(PetscSpMVSetTarget(NULL)), 0); }
};

template <class F>
class TargetsOf : public ::testing::Test {
public:
  using Config = test::Config<F, HostExec>;

  /// A matrix of the type, with the format's options set.
  static PetscErrorCode Create(const TestMatrix &a, const OptionValues &options, Mat *A)
  {
    PetscFunctionBegin;
    PetscCall(CreateMat(a, F::alias, Distribution::Even, A));
    for (std::size_t k = 0; k < options.size(); ++k)
      PetscCall(MatSpMVSetOption(*A, F::options[k].key, static_cast<PetscInt>(options[k])));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// A layout built by one target and multiplied by all: the same bits from those with FMA, and right ones.
  static void Check(const TestMatrix &a, const OptionValues &options, const std::string &builder)
  {
    SCOPED_TRACE(a.name + ", built by " + builder);
    OwnedMat    A;
    Products    first;
    std::string first_target;
    OK(PetscSpMVSetTarget(builder.c_str()));
    OK(Create(a, options, &A));
    for (const std::string &target : TargetsHere()) {
      SCOPED_TRACE(target);
      Products products;
      OK(PetscSpMVSetTarget(target.c_str()));
      OK(Multiply(A, products));
      ExpectRight(a, products.plain, false, Config::KeepsRowsApart(options));
      ExpectRight(a, products.added, true, Config::KeepsRowsApart(options));
      if (target == "baseline") continue; // rounds products separately
      if (first_target.empty()) {
        first        = products;
        first_target = target;
      }
      EXPECT_TRUE(SameBits(products.plain, first.plain)) << "A x has other bits than with " << first_target;
      EXPECT_TRUE(SameBits(products.added, first.added)) << "v + A x has other bits than with " << first_target;
    }
    MatSpMVInfo info;
    OK(MatSpMVGetInfo(A, &info));
    EXPECT_EQ(info.builds, 1);
  }
};
TYPED_TEST_SUITE(TargetsOf, AllFormats);

TYPED_TEST(TargetsOf, SameBitsOnAllShapes)
{
  const KeptTarget   kept;
  const OptionValues options = TestFixture::Config::Options().front();
  for (const TestMatrix &a : AllShapes(TestFixture::Config::Unit(options))) {
    TestFixture::Check(a, options, TargetsHere().back());
    if (this->HasFailure()) return;
  }
}

TYPED_TEST(TargetsOf, SameBitsWithAllOptions)
{
  const KeptTarget kept;
  for (const OptionValues &options : TestFixture::Config::Options()) {
    std::string text = "options";
    for (const std::int64_t value : options) text += " " + std::to_string(value);
    SCOPED_TRACE(text);
    const TestMatrix irregular = FromRowLengths("irregular", 700, 2000, [](int i) {
      return i % 97 == 5 ? 1500 : i % 41 == 0 ? 0 : i * 7 % 41;
    });
    const TestMatrix regular   = FromRowLengths("regular", 500, 300, [](int i) { return 9 + (i % 50 == 0); });
    for (const TestMatrix *a : {&irregular, &regular}) {
      for (const std::string &builder : {TargetsHere().front(), TargetsHere().back()}) TestFixture::Check(*a, options, builder);
    }
    if (this->HasFailure()) return;
  }
}

/// Products find their fastest variant on a matrix larger than caches, and use it on another with the same pattern. All have the
/// same bits as with the forced target, also if another target was forced in between.
TYPED_TEST(TargetsOf, SameBitsWhileProductsTryOthers)
{
  const KeptTarget kept;
  const TestMatrix a      = FromRowLengths("large", 30000, 30000, [](int i) { return i % 1000 == 0 ? 300 : 4 + i % 13; });
  const auto       create = [&](Mat *A) { return TestFixture::Create(a, TestFixture::Config::Options().front(), A); };
  Products         forced, free;
  OK(PetscSpMVSetTarget(NULL));
  OK(PetscSpMVSetTarget(CurrentTarget().c_str()));
  {
    OwnedMat A;
    OK(create(&A));
    OK(Multiply(A, forced));
  }
  for (const char *name : {"tries", "begins with what was found", "was made while another was forced"}) {
    SCOPED_TRACE(name);
    OwnedMat A;
    if (std::string(name).starts_with("was made")) OK(PetscSpMVSetTarget("baseline"));
    else OK(PetscSpMVSetTarget(NULL));
    OK(create(&A));
    OK(Multiply(A, free));
    OK(PetscSpMVSetTarget(NULL));
    for (int product = 0; product < 30; ++product) {
      if (product == 15) {
        OK(PetscSpMVSetTarget("baseline"));
        OK(Multiply(A, free));
        OK(PetscSpMVSetTarget(NULL));
      }
      OK(Multiply(A, free));
      ASSERT_TRUE(SameBits(free.plain, forced.plain)) << "A x, product " << product;
      ASSERT_TRUE(SameBits(free.added, forced.added)) << "v + A x, product " << product;
    }
  }
}

/// The types registered by formats are those tested above.
TEST(Targets, AllTypesHaveBeenTested)
{
  std::vector<std::string> aliases;
  [&]<class... F>(::testing::Types<F...>) { (aliases.push_back(F::alias), ...); }(AllFormats());
  EXPECT_EQ(aliases, FormatTypes());
}

} // namespace

} // namespace petscspmv::test
