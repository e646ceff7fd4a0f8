// Every type on every shape, on any number of processes, some of them without rows or columns.
#include "support/options.hpp"
#include "support/petsc_test.hpp"

#include <algorithm>
#include <cstring>

namespace petscspmv::test {

namespace {

struct Case {
  std::string  type;
  Distribution distribution;
};

std::vector<Case> Cases()
{
  std::vector<Case> all;
  for (const std::string &type : Types()) {
    for (Distribution d : {Distribution::Even, Distribution::AllOnLast, Distribution::OddOnly}) {
      if (Processes() > 1 || d == Distribution::Even) all.push_back({type, d});
    }
  }
  return all;
}

enum class Product { Mult, MultAdd, MultAddInPlace, Transpose, TransposeAdd, TransposeAddInPlace, Hermitian, HermitianAdd };

constexpr Product kProducts[] = {Product::Mult,      Product::MultAdd,      Product::MultAddInPlace,
                                 Product::Transpose, Product::TransposeAdd, Product::TransposeAddInPlace,
                                 Product::Hermitian, Product::HermitianAdd};

bool Transposes(Product p)
{
  return p >= Product::Transpose;
}

bool Adds(Product p)
{
  return p != Product::Mult && p != Product::Transpose && p != Product::Hermitian;
}

/// out = op(A) in (+ v); out has NaN in it before, where it must not be read.
PetscErrorCode Multiply(Mat A, Product p, Vec in, Vec v, Vec out)
{
  PetscFunctionBegin;
  PetscCall(VecSet(out, std::nan("")));
  switch (p) {
  case Product::Mult:
    PetscCall(MatMult(A, in, out));
    break;
  case Product::MultAdd:
    PetscCall(MatMultAdd(A, in, v, out));
    break;
  case Product::MultAddInPlace:
    PetscCall(VecCopy(v, out));
    PetscCall(MatMultAdd(A, in, out, out));
    break;
  case Product::Transpose:
    PetscCall(MatMultTranspose(A, in, out));
    break;
  case Product::TransposeAdd:
    PetscCall(MatMultTransposeAdd(A, in, v, out));
    break;
  case Product::TransposeAddInPlace:
    PetscCall(VecCopy(v, out));
    PetscCall(MatMultTransposeAdd(A, in, out, out));
    break;
  case Product::Hermitian:
    PetscCall(MatMultHermitianTranspose(A, in, out));
    break;
  case Product::HermitianAdd:
    PetscCall(MatMultHermitianTransposeAdd(A, in, v, out));
    break;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

std::vector<Sum<PetscScalar>> Reference(const TestMatrix &a, Product p)
{
  const bool                    transposed = Transposes(p), hermitian = p >= Product::Hermitian;
  std::vector<Sum<PetscScalar>> sums(static_cast<std::size_t>(transposed ? a.cols : a.rows));
  for (int row = 0; row < a.rows; ++row) {
    for (int k = a.row_ptr[static_cast<std::size_t>(row)]; k < a.row_ptr[static_cast<std::size_t>(row) + 1]; ++k) {
      const int  col   = a.col_idx[static_cast<std::size_t>(k)];
      const Wide value = Widen(MakeScalar<PetscScalar>(a.real[static_cast<std::size_t>(k)], a.imag[static_cast<std::size_t>(k)]));
      sums[static_cast<std::size_t>(transposed ? col : row)].Add(hermitian ? std::conj(value) : value,
                                                                 Widen(Entry(transposed ? row : col, 1)));
    }
  }
  for (std::size_t i = 0; Adds(p) && i < sums.size(); ++i) sums[i].Add(Wide(1), Widen(Entry(static_cast<PetscInt>(i), 2)));
  return sums;
}

void CheckProduct(Mat A, Product p, const std::vector<Sum<PetscScalar>> &sums)
{
  OwnedVec           left, right, v;
  PetscInt           begin, end, wrong = -1;
  const PetscScalar *array;

  OK(MatCreateVecs(A, &right, &left));
  const Vec in = Transposes(p) ? left : right, out = Transposes(p) ? right : left;
  OK(VecDuplicate(out, &v));
  OK(FillVec(in, 1));
  OK(FillVec(v, 2));
  OK(Multiply(A, p, in, v, out));
  OK(VecGetOwnershipRange(out, &begin, &end));
  OK(VecGetArrayRead(out, &array));
  for (PetscInt i = begin; i < end; ++i) {
    if (!sums[static_cast<std::size_t>(i)].Matches(array[i - begin])) wrong = i;
  }
  OK(VecRestoreArrayRead(out, &array));
  EXPECT_EQ(wrong, -1) << "product " << static_cast<int>(p);
}

/// All products of a matrix, by all types.
void CheckAll(const TestMatrix &a)
{
  std::vector<std::vector<Sum<PetscScalar>>> sums;
  for (Product p : kProducts) sums.push_back(Reference(a, p));
  for (const Case &c : Cases()) {
    SCOPED_TRACE(c.type + ", " + a.name + ", distribution " + std::to_string(static_cast<int>(c.distribution)));
    OwnedMat A;
    OK(CreateMat(a, c.type.c_str(), c.distribution, &A));
    for (Product p : kProducts) CheckProduct(A, p, sums[static_cast<std::size_t>(p)]);
  }
}

TEST(MatConformance, AllShapes)
{
  for (const TestMatrix &a : AllShapes(64)) CheckAll(a);
}

TEST(MatConformance, RandomMatrices)
{
  for (std::uint64_t seed = 1; seed <= 60; seed += static_cast<std::uint64_t>(Processes())) CheckAll(Random(seed));
}

/// The same bits from a matrix as from its copy, every time.
TEST(MatConformance, SameBitsEveryTime)
{
  for (const Case &c : Cases()) {
    for (Product p : kProducts) {
      const TestMatrix a = FromRowLengths("irregular", 3000, 3000, [](int i) { return i % 997 == 5 ? 1500 : i % 9; });
      OwnedMat         A, B;
      OwnedVec         in, v, first, again;
      PetscBool        same;
      OK(CreateMat(a, c.type.c_str(), c.distribution, &A));
      OK(MatDuplicate(A, MAT_COPY_VALUES, &B));
      OK(MatCreateVecs(A, &in, &v));
      OK(VecDuplicate(v, &first));
      OK(VecDuplicate(v, &again));
      OK(FillVec(in, 1));
      OK(FillVec(v, 2));
      OK(Multiply(A, p, in, v, first));
      for (Mat M : {A.A, B.A}) {
        OK(Multiply(M, p, in, v, again));
        OK(VecEqual(first, again, &same));
        EXPECT_TRUE(same) << c.type << ", product " << static_cast<int>(p);
      }
    }
  }
}

/// Values in fewer bytes give the bits that full ones give; also when they have changed so that they fit no more, and again. The
/// matrices are larger than a core's own cache mostly is, where conversions are worth it.
void CheckStoredValues(const TestMatrix &a, const OptionCase &option)
{
  OwnedMat  A, full;
  OwnedVec  in, v, of_A, of_full;
  PetscReal kinds = 0, blocks = 0;
  PetscBool same;
  OK(CreateMat(a, option.type, Distribution::Even, &A));
  OK(MatDuplicate(A, MAT_COPY_VALUES, &full));
  OK(option.set(full, MAT_SPMV_VALUES_FULL));
  OK(MatCreateVecs(A, &in, &v));
  OK(VecDuplicate(v, &of_A));
  OK(VecDuplicate(v, &of_full));
  OK(FillVec(in, 1));
  OK(FillVec(v, 2));
  for (const double factor : {1.0, 0.1, 10.0, 0.5, 3.0}) {
    OK(MatScale(A, factor));
    OK(MatScale(full, factor));
    for (Product p : {Product::Mult, Product::MultAdd}) {
      OK(Multiply(A, p, in, v, of_A));
      OK(Multiply(full, p, in, v, of_full));
      OK(VecEqual(of_A, of_full, &same));
      EXPECT_TRUE(same) << "product " << static_cast<int>(p) << " after times " << factor;
    }
    if (factor != 1.0) continue;
    const std::string unit = std::strcmp(option.type, "csr5") ? "chunks" : "tiles";
    for (const char *kind : {"single_", "few_values_", "one_value_"}) {
      OK(MatSpMVGetStatistic(A, (kind + unit).c_str(), &blocks));
      kinds += blocks;
    }
    OK(MPI_Allreduce(MPI_IN_PLACE, &kinds, 1, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD)); // a process may have digits alone
    EXPECT_GT(kinds, 0);
  }
}

TEST(MatConformance, StoredValuesAreTheSameNumbers)
{
  TestMatrix a = FromRowLengths("ones, integers and digits", 60000, 900, [](int i) { return i % 4001 == 7 ? 300 : i % 21; }), b = a;
  b.name = "ones, three integers, and four numbers of all digits";
  for (int e = 0; e < a.nnz(); ++e) {
    const auto k = static_cast<std::size_t>(e);
    if (3 * e < 2 * a.nnz()) a.real[k] = 3 * e < a.nnz() ? 1 : e % 99 - 4;
    b.real[k] = 3 * e < a.nnz() ? 1 : 3 * e < 2 * a.nnz() ? e % 3 - 4 : std::sin(1 + e * 7 % 4);
    a.imag[k] = b.imag[k] = 0.5;
  }
  for (const OptionCase &option : OptionCases()) {
    if (std::strcmp(option.key, "values")) continue;
    for (const TestMatrix *each : {&a, &b}) {
      SCOPED_TRACE(option.type + (", " + each->name));
      CheckStoredValues(*each, option);
    }
  }
}

/// y = A x with rounded values, against the bound that MatSpMVValues gives; all else has the matrix' own.
TEST(MatConformance, RoundedValuesAreForProductsAlone)
{
  const TestMatrix a    = FromRowLengths("digits", 2000, 2000, [](int i) { return 1 + i % 13; });
  const auto       sums = Reference(a, Product::Mult);
  for (const OptionCase &option : OptionCases()) {
    if (std::strcmp(option.key, "values")) continue;
    SCOPED_TRACE(option.type);
    OwnedMat           A, plain;
    OwnedVec           in, out;
    PetscInt           begin, end;
    PetscBool          same;
    const PetscScalar *array;
    long double        worst = 0;
    OK(CreateMat(a, option.type, Distribution::Even, &A));
    OK(CreateMat(a, MATAIJ, Distribution::Even, &plain));
    OK(option.set(A, MAT_SPMV_VALUES_SINGLE));
    OK(MatCreateVecs(A, &in, &out));
    OK(FillVec(in, 1));
    OK(Multiply(A, Product::Mult, in, nullptr, out));
    OK(VecGetOwnershipRange(out, &begin, &end));
    OK(VecGetArrayRead(out, &array));
    for (PetscInt i = begin; i < end; ++i) {
      const auto &sum = sums[static_cast<std::size_t>(i)];
      worst           = std::max(worst, std::abs(Widen(array[i - begin]) - sum.value) / (sum.Bound() + 0x1p-24L * sum.magnitude));
    }
    OK(VecRestoreArrayRead(out, &array));
    EXPECT_LE(worst, 1);
    if (sizeof(PetscReal) == 8) {
      EXPECT_GT(worst, 1e-3); // they were rounded
    }
    CheckProduct(A, Product::Transpose, Reference(a, Product::Transpose));
    OK(MatEqual(A, plain, &same));
    EXPECT_TRUE(same);
  }
}

TEST(MatConformance, MisuseEndsInAnError)
{
  for (const std::string &type : Types()) {
    const TestMatrix a = FromRowLengths("square", 50, 50, [](int) { return 3; });
    OwnedMat         A, unassembled;
    OwnedVec         x, y, longer;
    OK(CreateMat(a, type.c_str(), Distribution::Even, &A));
    OK(MatCreateVecs(A, &x, &y));
    OK(VecCreate(PETSC_COMM_WORLD, &longer));
    OK(VecSetSizes(longer, LocalSize(50, Distribution::Even) + 1, PETSC_DECIDE)); // too long on every process
    OK(VecSetFromOptions(longer));
    FAILS_WITH("Mat mat,Vec x", MatMult(A, longer, y));
    FAILS_WITH("Mat mat,Vec y", MatMult(A, x, longer));
    FAILS_WITH("", MatMult(A, x, x));
    FAILS_WITH("Mat mat,Vec v", MatMultAdd(A, x, longer, y));
    OK(MatCreate(PETSC_COMM_WORLD, &unassembled));
    OK(MatSetSizes(unassembled, PETSC_DECIDE, PETSC_DECIDE, 50, 50));
    OK(MatSetType(unassembled, type.c_str()));
    OK(MatSetUp(unassembled));
    FAILS_WITH("unassembled", MatMult(unassembled, x, y));
  }
}

} // namespace

} // namespace petscspmv::test
