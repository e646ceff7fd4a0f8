// Every type on every shape, on any number of processes, some of them without rows or columns.
#include "support/fill_nan.hpp"
#include "support/options.hpp"
#include "support/petsc_test.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

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

enum class Product {
  Mult,
  MultAdd,
  MultAddInPlace,
  Residual,
  Transpose,
  TransposeAdd,
  TransposeAddInPlace,
  Hermitian,
  HermitianAdd
};

constexpr Product kProducts[] = {Product::Mult,        Product::MultAdd,      Product::MultAddInPlace,      Product::Residual,
                                 Product::Transpose,   Product::TransposeAdd, Product::TransposeAddInPlace, Product::Hermitian,
                                 Product::HermitianAdd};

bool Transposes(Product p)
{
  return p >= Product::Transpose;
}

bool Adds(Product p)
{
  return p != Product::Mult && p != Product::Transpose && p != Product::Hermitian;
}

/// out = op(A) in (+ v), or v - A in; out is filled with NaN first if it must not be read.
PetscErrorCode Multiply(Mat A, Product p, Vec in, Vec v, Vec out)
{
  PetscFunctionBegin;
  PetscCall(FillNaN(out));
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
  case Product::Residual:
    PetscCall(MatResidual(A, v, in, out));
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
      const int         col   = a.col_idx[static_cast<std::size_t>(k)];
      const PetscScalar value = MakeScalar<PetscScalar>(a.real[static_cast<std::size_t>(k)], a.imag[static_cast<std::size_t>(k)]);
      sums[static_cast<std::size_t>(transposed ? col : row)].Add(Widen(hermitian                ? PetscConj(value)
                                                                       : p == Product::Residual ? -value
                                                                                                : value),
                                                                 Widen(Entry(transposed ? row : col, 1)));
    }
  }
  for (std::size_t i = 0; Adds(p) && i < sums.size(); ++i) sums[i].Add(1, Widen(Entry(static_cast<PetscInt>(i), 2)));
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

/// All products of a matrix, for all types.
void CheckAll(const TestMatrix &a)
{
  std::vector<std::vector<Sum<PetscScalar>>> sums;
  for (Product p : kProducts) sums.push_back(Reference(a, p));
  for (const Case &c : Cases()) {
    SCOPED_TRACE(c.type + ", " + a.name + ", distribution " + std::to_string(static_cast<int>(c.distribution)));
    OwnedMat A;
    OK(CreateMat(a, c.type.c_str(), c.distribution, &A));
    for (Product p : kProducts) CheckProduct(A, p, sums[static_cast<std::size_t>(p)]);
    OK(MatSpMVSetTranspose(A, MAT_SPMV_TRANSPOSE_LAYOUT));
    for (Product p : kProducts) {
      if (Transposes(p)) CheckProduct(A, p, sums[static_cast<std::size_t>(p)]);
    }
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

/// A matrix and its copy give the same bits, every time.
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

/// Values in fewer bytes give the same bits as full ones, also after changes such that they no longer fit, or fit again. The
/// matrices are larger than a typical core's own cache, where conversions pay.
void CheckStoredValues(const TestMatrix &a, const OptionCase &option)
{
  OwnedMat  A, full;
  OwnedVec  in, v, of_A, of_full;
  PetscReal kinds = 0, blocks = 0;
  PetscBool same;
  OK(CreateMat(a, option.type, Distribution::Even, &A));
  OK(MatDuplicate(A, MAT_COPY_VALUES, &full));
  OK(MatSpMVSetOption(full, option.key, MAT_SPMV_VALUES_FULL));
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
    OK(MPI_Allreduce(MPI_IN_PLACE, &kinds, 1, MPIU_REAL, MPIU_SUM, PETSC_COMM_WORLD)); // a process may have random digits only
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

/// The largest error of a product with rounded values, over the bound documented for MatSpMVValues.
long double ErrorOfRounded(Mat A, Product p, const std::vector<Sum<PetscScalar>> &sums)
{
  OwnedVec           right, left;
  PetscInt           begin, end;
  const PetscScalar *array;
  long double        worst   = 0;
  const auto         compute = [&]() -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCall(MatCreateVecs(A, &right, &left));
    const Vec in = Transposes(p) ? left : right, out = Transposes(p) ? right : left;
    PetscCall(FillVec(in, 1));
    PetscCall(Multiply(A, p, in, nullptr, out));
    PetscCall(VecGetOwnershipRange(out, &begin, &end));
    PetscCall(VecGetArrayRead(out, &array));
    for (PetscInt i = begin; i < end; ++i) {
      const auto       &sum        = sums[static_cast<std::size_t>(i)];
      const long double difference = std::abs(Widen(array[i - begin]) - sum.value);
      const long double error = difference == 0 ? 0 : difference / (sum.Bound() + 0x1p-24L * sum.magnitude); // of no entry 0
      worst                   = std::isnan(error) ? std::numeric_limits<long double>::infinity() : std::max(worst, error);
    }
    PetscCall(VecRestoreArrayRead(out, &array));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  EXPECT_EQ(static_cast<int>(compute()), 0);
  return worst;
}

/// y = A x with rounded values, and y = A^T x by a layout; all else uses the exact values.
TEST(MatConformance, RoundedValuesAreForProductsAlone)
{
  const TestMatrix a    = FromRowLengths("digits", 2000, 2000, [](int i) { return 1 + i % 13; });
  const auto       sums = Reference(a, Product::Mult), transposed = Reference(a, Product::Transpose);
  for (const OptionCase &option : OptionCases()) {
    if (std::strcmp(option.key, "values")) continue;
    SCOPED_TRACE(option.type);
    OwnedMat  A, plain;
    PetscBool same;
    OK(CreateMat(a, option.type, Distribution::Even, &A));
    OK(CreateMat(a, MATAIJ, Distribution::Even, &plain));
    OK(MatSpMVSetOption(A, option.key, MAT_SPMV_VALUES_SINGLE));
    const long double worst = ErrorOfRounded(A, Product::Mult, sums);
    EXPECT_LE(worst, 1);
    if (sizeof(PetscReal) == 8) {
      EXPECT_GT(worst, 1e-3); // they were rounded
    }
    OK(MatSpMVSetTranspose(A, MAT_SPMV_TRANSPOSE_LAYOUT));
    EXPECT_LE(ErrorOfRounded(A, Product::Transpose, transposed), 1);
    OK(MatSpMVSetTranspose(A, MAT_SPMV_TRANSPOSE_AIJ));
    CheckProduct(A, Product::Transpose, transposed);
    OK(MatEqual(A, plain, &same));
    EXPECT_TRUE(same);
  }
}

/// Row i of column k of a dense operand.
PetscScalar DenseEntry(PetscInt i, PetscInt k)
{
  return Entry(i, static_cast<int>(10 + k));
}

/// A dense matrix in the caller's memory, with a leading dimension larger than its rows. Its rows are distributed like a vector's.
PetscErrorCode CreateDense(Vec rows, PetscInt columns, std::vector<PetscScalar> &memory, Mat *B)
{
  PetscInt n, begin, end;

  PetscFunctionBegin;
  PetscCall(VecGetLocalSize(rows, &n));
  PetscCall(VecGetOwnershipRange(rows, &begin, &end));
  const PetscInt ld = n + 3;
  memory.assign(static_cast<std::size_t>(ld * std::max<PetscInt>(columns, 1)), 77);
  for (PetscInt k = 0; k < columns; ++k) {
    for (PetscInt i = 0; i < n; ++i) memory[static_cast<std::size_t>(k * ld + i)] = DenseEntry(begin + i, k);
  }
  PetscCall(MatCreate(PETSC_COMM_WORLD, B));
  PetscCall(MatSetSizes(*B, n, PETSC_DECIDE, PETSC_DETERMINE, columns));
  PetscCall(MatSetType(*B, MATDENSE));
  PetscCall(MatDenseSetLDA(*B, ld));
  PetscCall(MatSeqDenseSetPreallocation(*B, memory.data()));
  PetscCall(MatMPIDenseSetPreallocation(*B, memory.data()));
  PetscCall(MatAssemblyBegin(*B, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*B, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The sums of C = op(A) B, column by column.
std::vector<std::vector<Sum<PetscScalar>>> DenseReference(const TestMatrix &a, bool transposed, PetscInt columns)
{
  std::vector<std::vector<Sum<PetscScalar>>> sums(static_cast<std::size_t>(columns));
  for (std::size_t k = 0; k < sums.size(); ++k) {
    sums[k].resize(static_cast<std::size_t>(transposed ? a.cols : a.rows));
    for (int row = 0; row < a.rows; ++row) {
      for (int e = a.row_ptr[static_cast<std::size_t>(row)]; e < a.row_ptr[static_cast<std::size_t>(row) + 1]; ++e) {
        const int         col   = a.col_idx[static_cast<std::size_t>(e)];
        const PetscScalar value = MakeScalar<PetscScalar>(a.real[static_cast<std::size_t>(e)], a.imag[static_cast<std::size_t>(e)]);
        sums[k][static_cast<std::size_t>(transposed ? col : row)].Add(
          Widen(value), Widen(DenseEntry(transposed ? row : col, static_cast<PetscInt>(k))));
      }
    }
  }
  return sums;
}

/// Each column of C = op(A) B has the same bits as a product with that column of B.
void CheckColumns(Mat A, bool transposed, Mat B, Mat C, PetscInt columns)
{
  OwnedVec y;
  OK(MatCreateVecs(A, transposed ? &y : nullptr, transposed ? nullptr : &y));
  for (PetscInt k = 0; k < columns; ++k) {
    Vec       b, c;
    PetscBool same;
    OK(MatDenseGetColumnVecRead(B, k, &b));
    OK(transposed ? MatMultTranspose(A, b, y) : MatMult(A, b, y));
    OK(MatDenseRestoreColumnVecRead(B, k, &b));
    OK(MatDenseGetColumnVecRead(C, k, &c));
    OK(VecEqual(y, c, &same));
    OK(MatDenseRestoreColumnVecRead(C, k, &c));
    EXPECT_TRUE(same) << "column " << k;
  }
}

void CheckDense(Mat C, const std::vector<std::vector<Sum<PetscScalar>>> &sums)
{
  PetscInt           begin, end, ld, wrong = 0;
  const PetscScalar *array;
  OK(MatGetOwnershipRange(C, &begin, &end));
  OK(MatDenseGetLDA(C, &ld));
  OK(MatDenseGetArrayRead(C, &array));
  for (std::size_t k = 0; k < sums.size(); ++k) {
    for (PetscInt i = begin; i < end; ++i)
      wrong += !sums[k][static_cast<std::size_t>(i)].Matches(array[static_cast<PetscInt>(k) * ld + i - begin]);
  }
  OK(MatDenseRestoreArrayRead(C, &array));
  EXPECT_EQ(wrong, 0);
}

/// Whether -mat_spmv_choose names a format that multiplies with several columns at a time.
bool NamesWideFormat(Mat A)
{
  PetscInt choice = -1;
  EXPECT_EQ(static_cast<int>(MatSpMVGetOption(A, "choose", &choice)), 0);
  const std::vector<std::string> types = FormatTypes();
  const auto                     place = static_cast<std::size_t>(choice) - 3; // after measured, structure and aij
  return choice >= 3 && (types[place] == MATCSR5 || types[place] == MATSELLCS || types[place] == MATIPCSR);
}

/// Entries per column from which a layout multiplies with small matrices of so many columns.
int LeastEntries(PetscInt columns)
{
  return columns == 1 ? 0 : columns == 2 ? 1000000 : columns <= 4 ? 8 : 3;
}

/// C = A B and C = A^T B, and again with other values in the same C.
TEST(MatConformance, DenseProducts)
{
  for (const TestMatrix &a :
       {FromRowLengths("irregular", 700, 500, [](int i) { return i % 97 == 5 ? 300 : 4 + i % 19; }),
        FromRowLengths("few entries", 300, 200, [](int i) { return i % 4; }),
        FromRowLengths("narrow", 90, 3, [](int i) { return i % 4; }), FromRowLengths("no rows", 0, 9, [](int) { return 0; })}) {
    for (const Case &c : Cases()) {
      for (const PetscInt columns : {0, 1, 2, 3, 8, 9, 10, 17}) {
        for (const bool transposed : {false, true}) {
          if (transposed && columns == 0) continue; // newer PETSc rejects that, with aij too
          // PETSc 3.25's MatMatMult() crashes if a process owns none of B's rows and needs some, with aij too.
          if (PETSC_VERSION_GE(3, 25, 0) && PETSC_VERSION_LT(3, 26, 0) && !transposed && a.cols < Processes()) continue;
          SCOPED_TRACE(c.type + ", " + a.name + ", " + std::to_string(columns) + " columns" + (transposed ? ", transposed" : ""));
          OwnedMat                 A, B, C;
          OwnedVec                 right, left;
          std::vector<PetscScalar> memory;
          auto                     sums     = DenseReference(a, transposed, columns);
          const auto               multiply = transposed ? MatTransposeMatMult : MatMatMult;
          OK(CreateMat(a, c.type.c_str(), c.distribution, &A));
          const bool waits = transposed && columns == 3; // for a layout of the transpose: AIJ multiplies
          if (!waits) {
            OK(MatSpMVSetTranspose(A, MAT_SPMV_TRANSPOSE_LAYOUT));
          }
          OK(MatCreateVecs(A, &right, &left));
          OK(CreateDense(transposed ? left : right, columns, memory, &B));
          OK(multiply(A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
          CheckDense(C, sums);
          MatSpMVInfo info;
          OK(MatSpMVGetInfo(A, &info));
          const bool wide      = c.type == MATCSR5 || c.type == MATSELLCS || c.type == MATIPCSR,
                     dense     = a.nnz() > 0 && a.nnz() >= LeastEntries(columns) * (transposed ? a.rows : a.cols),
                     by_layout = dense && !waits && (wide || (c.type == MATSPMV && !transposed && NamesWideFormat(A)));
          EXPECT_EQ(info.matmult, by_layout);
          if (by_layout && !VectorsAreOnDevice()) CheckColumns(A, transposed, B, C, columns); // C is computed on the host
          OK(MatScale(A, 2.0));
          for (auto &column : sums) {
            for (auto &sum : column) {
              sum.value *= 2.0L;
              sum.magnitude *= 2.0L;
            }
          }
          OK(multiply(A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
          CheckDense(C, sums);
        }
      }
    }
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
