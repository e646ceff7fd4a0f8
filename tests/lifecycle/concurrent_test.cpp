// Threads of the program multiply at the same time, with one matrix or each with its own. PETSc promises nothing here, but products
// by AIJ only read the matrix, and programs rely on that.
#include "lifecycle/lifecycle.hpp"
#include "mat/sweeps.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace petscspmv::test {

namespace {

constexpr int kThreads = 4, kProducts = 60, kSize = 3000;

/// Local products of one thread, with vectors of its own, and their right results.
class Worker {
public:
  PetscErrorCode Create(const TestMatrix &a, Mat A, int seed)
  {
    PetscFunctionBegin;
    PetscCall(MatCreateVecs(A, &x_, &y_));
    PetscCall(FillVec(x_, seed));
    straight_.resize(static_cast<std::size_t>(a.rows));
    transposed_.resize(static_cast<std::size_t>(a.cols));
    for (int row = 0; row < a.rows; ++row) {
      for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(row)]);
           k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(row) + 1]); ++k) {
        const auto value = MakeScalar<PetscScalar>(a.real[k], a.imag[k]);
        straight_[static_cast<std::size_t>(row)].Add(Widen(value), Widen(Entry(a.col_idx[k], seed)));
        transposed_[static_cast<std::size_t>(a.col_idx[k])].Add(Widen(value), Widen(Entry(row, seed)));
      }
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Runs in a thread: how many products were wrong, or had an error.
  int Multiply(Mat A)
  {
    int wrong = 0;
    for (int k = 0; k < kProducts; ++k) {
      wrong += MatMult(A, x_, y_) || !Are(straight_);
      wrong += MatMultTranspose(A, x_, y_) || !Are(transposed_);
      wrong += VecZeroEntries(y_) || MatMultAdd(A, x_, y_, y_) || !Are(straight_);
    }
    return wrong;
  }

private:
  bool Are(const std::vector<Sum<PetscScalar>> &sums) const
  {
    const PetscScalar *y;
    bool               right = true;
    if (VecGetArrayRead(y_, &y)) return false;
    for (std::size_t i = 0; i < sums.size(); ++i) right = right && sums[i].Matches(y[i]);
    return !VecRestoreArrayRead(y_, &y) && right;
  }

  OwnedVec                      x_, y_;
  std::vector<Sum<PetscScalar>> straight_, transposed_;
};

PetscErrorCode CreateLocal(const TestMatrix &a, const std::string &type, Mat *A)
{
  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, a.rows, a.cols, a.rows, a.cols));
  PetscCall(MatSetType(*A, type.c_str()));
  PetscCall(MatSeqAIJSetPreallocation(*A, 6, NULL));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(Insert(*A, a, 0, a.rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

int MultiplyAtOnce(std::array<Worker, kThreads> &workers, const std::array<Mat, kThreads> &matrices)
{
  std::atomic<int>         wrong = 0;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) threads.emplace_back([&, t] { wrong += workers[t].Multiply(matrices[t]); });
  for (std::thread &thread : threads) thread.join();
  return wrong;
}

struct Option {
  Option(const char *name, const char *value) : name_(name) { PetscOptionsSetValue(NULL, name, value); }
  ~Option() { PetscOptionsClearValue(NULL, name_); }
  Option(const Option &)            = delete;
  Option &operator=(const Option &) = delete;

private:
  const char *name_;
};

class Concurrent : public testing::Test {
protected:
  void SetUp() override
  {
    // In debug mode all threads write to one stack of functions.
    if (PetscDefined(USE_DEBUG) && !PetscDefined(HAVE_THREADSAFETY)) GTEST_SKIP() << "this PETSc is not for several threads";
    if (VectorsAreOnDevice()) GTEST_SKIP() << "PETSc's vectors on devices are for one thread";
  }

  /// Products from the first on, and after a change of values.
  void Run(const std::string &type, bool one_matrix)
  {
    const TestMatrix               a = Banded(kSize, kSize, 57);
    std::array<OwnedMat, kThreads> own;
    std::array<Mat, kThreads>      matrices;
    std::array<Worker, kThreads>   workers;
    SCOPED_TRACE(type + (one_matrix ? ", one matrix" : ", a matrix for each thread"));
    for (std::size_t t = 0; t < kThreads; ++t) {
      if (t == 0 || !one_matrix) {
        OK(CreateLocal(a, type, &own[t]));
      }
      matrices[t] = one_matrix ? own[0].A : own[t].A;
      OK(workers[t].Create(a, matrices[t], static_cast<int>(t)));
    }
    EXPECT_EQ(MultiplyAtOnce(workers, matrices), 0) << "first products";
    EXPECT_EQ(MultiplyAtOnce(workers, matrices), 0) << "further products";
    for (std::size_t t = 0; t < (one_matrix ? 1 : kThreads); ++t)
      OK(Insert(own[t], a, 0, a.rows)); // new values, which are the same
    EXPECT_EQ(MultiplyAtOnce(workers, matrices), 0) << "products with other values";
    if (type == MATAIJ || type == MATSPMV) return;
    MatSpMVInfo info;
    OK(MatSpMVGetInfo(matrices[0], &info));
    const int counted = 3 * kProducts * (one_matrix ? kThreads : 1);
    EXPECT_EQ(info.mult, counted);
    EXPECT_EQ(info.multadd, counted);
  }
};

TEST_F(Concurrent, ProductsByAij)
{
  for (const bool one_matrix : {true, false}) Run(MATAIJ, one_matrix);
}

TEST_F(Concurrent, Products)
{
  for (const std::string &type : Types()) {
    for (const bool one_matrix : {true, false}) Run(type, one_matrix);
  }
}

/// While formats are tried.
TEST_F(Concurrent, MeasuredProducts)
{
  for (const char *choice : {"measured", "structure"}) {
    const Option chosen("-mat_spmv_choose", choice), least("-mat_spmv_least", "0"), regret("-mat_spmv_regret", "1");
    SCOPED_TRACE(choice);
    for (const bool one_matrix : {true, false}) Run(MATSPMV, one_matrix);
  }
}

/// Products C = A B with dense matrices, of one thread, which all read the same A.
class DenseWorker {
public:
  PetscErrorCode Create(Mat A, Mat R)
  {
    constexpr PetscInt kColumns = 8;
    PetscInt           n;

    PetscFunctionBegin;
    PetscCall(MatGetSize(A, &n, NULL));
    PetscCall(MatCreateSeqDense(PETSC_COMM_SELF, n, kColumns, NULL, &B_));
    PetscCall(MatSetRandom(B_, NULL));
    PetscCall(MatMatMult(R, B_, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &expected_));
    PetscCall(MatMatMult(A, B_, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// Runs in a thread: how many products had an error. A product that is not done leaves no result of the one before.
  int Multiply()
  {
    int failed = 0;
    for (int k = 0; k < kProducts; ++k) failed += MatZeroEntries(C_) || MatProductNumeric(C_);
    return failed;
  }

  void Check()
  {
    PetscReal norm, error;
    OK(MatNorm(expected_, NORM_FROBENIUS, &norm));
    OK(MatAXPY(C_, -1, expected_, SAME_NONZERO_PATTERN));
    OK(MatNorm(C_, NORM_FROBENIUS, &error));
    EXPECT_TRUE(error <= 10 * PETSC_MACHINE_EPSILON * norm) << error << " of " << norm;
  }

private:
  OwnedMat B_, C_, expected_;
};

/// Half of the threads multiply with vectors, half with dense matrices.
TEST_F(Concurrent, ProductsOfAllKinds)
{
  const TestMatrix                        a = Banded(kSize, kSize, 57);
  std::vector<std::array<std::string, 2>> tried; // a type, and what spmv chooses
  for (const std::string &type : FormatTypes()) tried.push_back({type, "csr5"});
  for (const char *choice : {"measured", "structure", "csr5", "sellcs", "speculative", "ipcsr"}) tried.push_back({MATSPMV, choice});
  for (const auto &[type, choice] : tried) {
    SCOPED_TRACE(type + " " + choice);
    const Option chosen("-mat_spmv_choose", choice.c_str()), least("-mat_spmv_least", "0"), regret("-mat_spmv_regret", "1");
    OwnedMat     A, R;
    OK(CreateLocal(a, type, &A));
    OK(CreateLocal(a, MATAIJ, &R));
    std::array<Worker, kThreads / 2>      workers;
    std::array<DenseWorker, kThreads / 2> dense_workers;
    for (std::size_t t = 0; t < workers.size(); ++t) {
      OK(workers[t].Create(a, A, static_cast<int>(t)));
      OK(dense_workers[t].Create(A, R));
    }
    std::atomic<int>         wrong = 0;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < workers.size(); ++t) {
      threads.emplace_back([&, t] { wrong += workers[t].Multiply(A); });
      threads.emplace_back([&, t] { wrong += dense_workers[t].Multiply(); });
    }
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    for (DenseWorker &worker : dense_workers) worker.Check();
  }
}

/// Whether x is y to rounding. VecDuplicate() would count one more user of the layout that the vectors of all threads share, and
/// PETSc does not count threads.
bool IsNear(Vec x, Vec y)
{
  const PetscScalar *of_x, *of_y;
  PetscInt           n;
  PetscReal          difference = 0, most = 0;

  if (VecGetLocalSize(x, &n) || VecGetArrayRead(x, &of_x) || VecGetArrayRead(y, &of_y)) return false;
  for (PetscInt i = 0; i < n; ++i) {
    difference = std::max(difference, PetscAbsScalar(of_x[i] - of_y[i]));
    most       = std::max(most, PetscAbsScalar(of_y[i]));
  }
  return !VecRestoreArrayRead(y, &of_y) && !VecRestoreArrayRead(x, &of_x) && difference <= kTolerance * most;
}

/// Solves with one factor in the natural order, which by AIJ only read it, while layouts are made part by part, again and again.
TEST_F(Concurrent, Solves)
{
  if (Processes() > 1) GTEST_SKIP() << "PETSc's own factors are for one process";
  constexpr int    kFactors = 12, kSolves = 150;
  const TestMatrix a = Dominant(Grid(200));
  for (const MatFactorType kind : {MAT_FACTOR_ILU, MAT_FACTOR_ICC}) {
    SCOPED_TRACE(MatFactorTypes[kind]);
    OwnedMat                       A, R, G;
    std::array<OwnedVec, kThreads> b, x, expected;
    MatFactorInfo                  info;
    OK(CreateMat(a, Types().front().c_str(), Distribution::Even, &A));
    OK(CreateMat(a, MATAIJ, Distribution::Even, &R));
    OK(MatGetFactor(R, MATSOLVERPETSC, kind, &G));
    OK(MatFactorInfoInitialize(&info));
    info.fill         = 1;
    const auto factor = [&](Mat M, Mat of_M) {
      IS rows, columns;
      OK(MatGetOrdering(M, MATORDERINGNATURAL, &rows, &columns));
      OK(kind == MAT_FACTOR_ILU ? MatILUFactorSymbolic(of_M, M, rows, columns, &info) : MatICCFactorSymbolic(of_M, M, rows, &info));
      OK(kind == MAT_FACTOR_ILU ? MatLUFactorNumeric(of_M, M, &info) : MatCholeskyFactorNumeric(of_M, M, &info));
      OK(ISDestroy(&rows));
      OK(ISDestroy(&columns));
    };
    factor(R, G);
    for (std::size_t t = 0; t < kThreads; ++t) {
      OK(MatCreateVecs(A, &x[t], &b[t]));
      OK(VecDuplicate(x[t], &expected[t]));
      OK(FillVec(b[t], static_cast<int>(t)));
      OK(MatSolve(G, b[t], expected[t]));
    }
    std::atomic<int> wrong = 0;
    for (int k = 0; k < kFactors; ++k) {
      OwnedMat F; // PETSc's factors leak what they had when they are made once more
      OK(PetscSpMVForget());
      OK(MatGetFactor(A, MATSOLVERPETSC, kind, &F));
      factor(A, F);
      std::vector<std::thread> threads;
      for (std::size_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
          for (int solve = 0; solve < kSolves; ++solve) wrong += MatSolve(F, b[t], x[t]) || !IsNear(x[t], expected[t]);
        });
      for (std::thread &thread : threads) thread.join();
    }
    EXPECT_EQ(wrong, 0);
  }
}

} // namespace

} // namespace petscspmv::test
