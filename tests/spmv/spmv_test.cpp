// The type spmv: who multiplies, and that only the time depends on it.
#include "mat/tuning/rounds.hpp"
#include "support/petsc_test.hpp"

#include <sys/resource.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace petscspmv::test {
namespace {

constexpr int kBeforeStructure = 32;

TestMatrix Rows(int rows, int length)
{
  return FromRowLengths("rows", rows, rows, [=](int row) { return length + row % 3; });
}

TestMatrix Large()
{
  return Rows(6000, 11);
}

/// A matrix of type spmv with the choice `choose`, and one of AIJ with the same entries.
struct Pair {
  OwnedMat A, R;
  OwnedVec x, y, reference;

  Pair() = default;
  Pair(const TestMatrix &matrix, const char *choose)
  {
    PetscSpMVForget();
    Create(matrix, choose);
  }

  void Create(const TestMatrix &matrix, const char *choose)
  {
    OK(CreateMat(matrix, MATSPMV, Distribution::Even, &A));
    OK(MatSpMVSetChoice(A, choose));
    OK(CreateMat(matrix, MATAIJ, Distribution::Even, &R));
    OK(MatCreateVecs(A, &x, &y));
    OK(VecDuplicate(y, &reference));
    OK(FillVec(x, 1));
    OK(MatMult(R, x, reference));
  }

  /// A product, which must equal AIJ's to rounding.
  void Multiply()
  {
    PetscReal off, size;
    OK(VecSet(y, static_cast<PetscReal>(NAN)));
    OK(MatMult(A, x, y));
    OK(VecNorm(reference, NORM_INFINITY, &size));
    OK(VecAXPY(y, -1, reference));
    OK(VecNorm(y, NORM_INFINITY, &off));
    EXPECT_LE(off, 100 * PETSC_MACHINE_EPSILON * size);
  }
  void Multiply(int n)
  {
    while (n-- > 0) Multiply();
  }
  MatSpMVChoiceInfo Choice()
  {
    MatSpMVChoiceInfo choice{};
    EXPECT_EQ(static_cast<int>(MatSpMVGetChoiceInfo(A, &choice)), 0);
    return choice;
  }
};

/// Products of blocks per product of the matrix.
PetscInt64 OfBlocks()
{
  return Processes() == 1 ? 1 : 2;
}

/// C = A B or A^T B, which must be AIJ's to rounding, in the same C again and again.
struct DenseProduct {
  decltype(&MatMatMult) multiply;
  OwnedMat              B, C, reference;

  DenseProduct(Pair &pair, bool transposed, PetscInt columns) : multiply(transposed ? MatTransposeMatMult : MatMatMult)
  {
    Create(pair, transposed, columns);
    Compare();
  }

  void Again(Pair &pair)
  {
    OK(multiply(pair.A, B, MAT_REUSE_MATRIX, PETSC_DEFAULT, &C));
    Compare();
  }

private:
  void Create(Pair &pair, bool transposed, PetscInt columns)
  {
    PetscInt local;
    OK(MatGetLocalSize(pair.R, transposed ? &local : nullptr, transposed ? nullptr : &local));
    OK(MatCreateDense(PETSC_COMM_WORLD, local, PETSC_DECIDE, PETSC_DETERMINE, columns, NULL, &B));
    for (PetscInt k = 0; k < columns; ++k) {
      Vec column;
      OK(MatDenseGetColumnVecWrite(B, k, &column));
      OK(FillVec(column, static_cast<int>(k)));
      OK(MatDenseRestoreColumnVecWrite(B, k, &column));
    }
    OK(Assemble(B));
    OK(multiply(pair.R, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &reference));
    OK(multiply(pair.A, B, MAT_INITIAL_MATRIX, PETSC_DEFAULT, &C));
  }

  void Compare()
  {
    OwnedMat  difference;
    PetscReal off, size;
    OK(MatDuplicate(reference, MAT_COPY_VALUES, &difference));
    OK(MatAXPY(difference, -1, C, SAME_NONZERO_PATTERN));
    OK(MatNorm(difference, NORM_INFINITY, &off));
    OK(MatNorm(reference, NORM_INFINITY, &size));
    EXPECT_LE(off, 100 * PETSC_MACHINE_EPSILON * size);
  }
};

TEST(Spmv, BeginsAsAij)
{
  Pair pair(Large(), "measured");
  EXPECT_STREQ(pair.Choice().type, "aij");
  pair.Multiply(2);
  EXPECT_STREQ(pair.Choice().type, "aij");
  EXPECT_EQ(pair.Choice().products, 2 * OfBlocks());
  EXPECT_EQ(pair.Choice().by_aij, 2 * OfBlocks());
  pair.Multiply(6); // the plain loop takes turns with AIJ's own
  EXPECT_EQ(pair.Choice().products, 8 * OfBlocks());
  EXPECT_LT(pair.Choice().by_aij, 8 * OfBlocks());
}

/// Products are right during trials.
TEST(Spmv, MeasuredProductsAreRight)
{
  Pair pair(Large(), "measured");
  OK(MatSpMVSetRegret(pair.A, 1));
  OK(MatSpMVSetOption(pair.A, "least", 0));
  for (int k = 0; k < 20; ++k) {
    pair.Multiply(200);
    if (k % 3) continue;
    OK(MatScale(pair.A, 2));
    OK(VecScale(pair.x, 0.5));
  }
  const MatSpMVChoiceInfo choice = pair.Choice();
  EXPECT_EQ(choice.products, 4000 * OfBlocks());
  EXPECT_GT(choice.spent, 0);
  EXPECT_LT(choice.by_aij, choice.products); // candidates without promise are tried too, once affordable
}

/// What viewers show of a sequential matrix's choice.
void Show(Mat A, std::string &text)
{
  char        part[256];
  PetscViewer viewer;
  std::FILE  *file = std::tmpfile();
  ASSERT_TRUE(file);
  text.clear();
  OK(PetscViewerASCIIOpenWithFILE(PETSC_COMM_SELF, file, &viewer));
  OK(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO_DETAIL));
  OK(MatView(A, viewer));
  OK(PetscViewerDestroy(&viewer));
  std::rewind(file);
  while (std::fgets(part, sizeof(part), file)) text += part;
  std::fclose(file);
}

/// A layout that is made in parts multiplies before it is whole, also with new values, with more than one vector, and added.
TEST(Spmv, ALayoutInParts)
{
  if (Processes() > 1) GTEST_SKIP() << "what the viewer shows of blocks is shown by all processes";
  Pair        pair(Rows(15000, 11), "measured");
  OwnedVec    sum;
  std::string shown;
  int         in_parts = 0;
  OK(VecDuplicate(pair.y, &sum));
  for (int k = 0; k < 20000 && in_parts < 40; ++k) {
    pair.Multiply();
    Show(pair.A, shown);
    if (shown.find("so far ") == std::string::npos) continue;
    if (++in_parts % 10 == 0) {
      OK(MatScale(pair.A, 2));
      OK(VecScale(pair.x, 0.5));
    }
    PetscReal off, size;
    OK(MatMultAdd(pair.A, pair.x, pair.reference, sum));
    OK(VecAXPY(sum, -2, pair.reference));
    OK(VecNorm(sum, NORM_INFINITY, &off));
    OK(VecNorm(pair.reference, NORM_INFINITY, &size));
    EXPECT_LE(off, 100 * PETSC_MACHINE_EPSILON * size);
  }
  if (in_parts == 0) GTEST_SKIP() << "no format promised to be faster: " << shown;
  pair.Multiply(500); // until it is whole
}

/// With several processes, layouts are made before the same products on all of them.
TEST(Spmv, LayoutsInRounds)
{
  if (Processes() == 1) GTEST_SKIP() << "no other process waits";
  Pair           pair(Rows(15000, 11), "measured");
  Mat            block;
  MatSpMVInfo    info;
  PetscLogDouble bytes = 0;
  bool           made  = false;
  OK(MatSpMVSetRegret(pair.A, 1));
  OK(MatMPIAIJGetSeqAIJ(pair.A, &block, nullptr, nullptr));
  for (int k = 0; k < 3000; ++k) {
    pair.Multiply();
    OK(MatSpMVGetInfo(block, &info));
    if (info.bytes > bytes) {
      EXPECT_TRUE(IsRound(k)) << k;
      made = true;
    }
    bytes = info.bytes;
  }
  EXPECT_TRUE(made);
}

/// While one thread's product is measured, others multiply with the parts that there are, and from AIJ's arrays.
TEST(Spmv, OthersMultiplyWithALayoutInParts)
{
  constexpr int kThreads = 3, kProducts = 40;
  if (PetscDefined(USE_DEBUG) && !PetscDefined(HAVE_THREADSAFETY)) GTEST_SKIP() << "this PETSc is not for several threads";
  if (VectorsAreOnDevice()) GTEST_SKIP() << "PETSc's vectors on devices are for one thread";
  if (Processes() > 1) GTEST_SKIP() << "what the viewer shows of blocks is shown by all processes";
  Pair                           pair(Rows(15000, 11), "measured");
  std::array<OwnedVec, kThreads> results;
  std::atomic<int>               failed   = 0;
  int                            in_parts = 0;
  std::string                    shown;
  for (OwnedVec &y : results) {
    OK(VecDuplicate(pair.y, &y));
  }
  for (int k = 0; k < 20000 && in_parts < 10; ++k) {
    pair.Multiply();
    Show(pair.A, shown);
    if (shown.find("so far ") == std::string::npos) continue;
    ++in_parts;
    std::vector<std::thread> threads;
    for (OwnedVec &y : results) {
      threads.emplace_back([&] {
        for (int product = 0; product < kProducts; ++product) failed += MatMult(pair.A, pair.x, y) != PETSC_SUCCESS;
      });
    }
    for (std::thread &thread : threads) thread.join();
    for (OwnedVec &y : results) {
      PetscReal off, size;
      OK(VecNorm(pair.reference, NORM_INFINITY, &size));
      OK(VecAXPY(y, -1, pair.reference));
      OK(VecNorm(y, NORM_INFINITY, &off));
      EXPECT_LE(off, 100 * PETSC_MACHINE_EPSILON * size);
    }
  }
  EXPECT_EQ(failed, 0);
  if (in_parts == 0) GTEST_SKIP() << "no format promised to be faster: " << shown;
}

/// With nodes that AIJ uses, the plain loop has its turns in blocks, duplicates and conversions, too, from the first assembly on.
TEST(Spmv, ThePlainLoopOfNodes)
{
  const TestMatrix a = Grid("grid of 4 unknowns", 12, 12, 12, false, 4);
  Pair             pair(a, "measured");
  OwnedMat         duplicate, converted;
  OK(MatDuplicate(pair.A, MAT_COPY_VALUES, &duplicate));
  OK(MatConvert(pair.R, MATSPMV, MAT_INITIAL_MATRIX, &converted));
  for (const Mat A : {pair.A.A, duplicate.A, converted.A}) {
    MatSpMVChoiceInfo choice{};
    for (int k = 0; k < 20; ++k) {
      OK(MatMult(A, pair.x, pair.y));
    }
    EXPECT_SAME(A, pair.R);
    OK(MatSpMVGetChoiceInfo(A, &choice));
    EXPECT_LT(choice.by_aij, choice.products);
  }
}

/// MatCreateSubMatrix() into an existing matrix may change columns without a new nonzero state: the parts are begun anew.
TEST(Spmv, OtherColumnsInParts)
{
  if (Processes() > 1) return;
  const TestMatrix a = FromRowLengths("two", 30000, 15000, [](int) { return 12; });
  OwnedMat         A, S;
  OwnedVec         x, y, reference;
  IS               first, second, columns;
  OK(CreateMat(a, MATSPMV, Distribution::Even, &A));
  OK(ISCreateStride(PETSC_COMM_SELF, 15000, 0, 1, &first));
  OK(ISCreateStride(PETSC_COMM_SELF, 15000, 15000, 1, &second));
  OK(ISCreateStride(PETSC_COMM_SELF, 15000, 0, 1, &columns));
  OK(MatCreateSubMatrix(A, first, columns, MAT_INITIAL_MATRIX, &S));
  OK(MatCreateVecs(S, &x, &y));
  OK(VecDuplicate(y, &reference));
  OK(FillVec(x, 1));
  for (const IS rows : {first, second, first, second}) {
    OwnedMat plain;
    OK(MatCreateSubMatrix(A, rows, columns, MAT_REUSE_MATRIX, &S));
    OK(MatConvert(S, MATAIJ, MAT_INITIAL_MATRIX, &plain));
    OK(MatMult(plain, x, reference));
    for (int k = 0; k < 1000; ++k) {
      PetscReal off, size;
      OK(MatMult(S, x, y));
      OK(VecAXPY(y, -1, reference));
      OK(VecNorm(y, NORM_INFINITY, &off));
      OK(VecNorm(reference, NORM_INFINITY, &size));
      ASSERT_LE(off, 100 * PETSC_MACHINE_EPSILON * size) << k;
    }
  }
  for (IS *const each : {&first, &second, &columns}) {
    OK(ISDestroy(each));
  }
}

TEST(Spmv, WithoutRegretItIsAij)
{
  Pair pair(Large(), "measured");
  OK(MatSpMVSetRegret(pair.A, 0));
  pair.Multiply(500);
  EXPECT_EQ(pair.Choice().by_aij, pair.Choice().products);
  EXPECT_EQ(pair.Choice().spent, 0);
}

TEST(Spmv, SmallMatricesAreLeftAlone)
{
  Pair pair(Rows(100, 4), "structure");
  pair.Multiply(2 * kBeforeStructure);
  EXPECT_EQ(pair.Choice().by_aij, pair.Choice().products);
}

TEST(Spmv, NamedFormats)
{
  for (const std::string &type : FormatTypes()) {
    Pair pair(Large(), type.c_str());
    pair.Multiply(3);
    EXPECT_EQ(type, pair.Choice().type);
    EXPECT_EQ(pair.Choice().by_aij, 0);
  }
  Pair pair(Large(), "aij");
  pair.Multiply(3);
  EXPECT_EQ(pair.Choice().by_aij, pair.Choice().products);
}

/// Counts decide, not a clock: AIJ until values have stayed for several products.
TEST(Spmv, ByStructure)
{
  Pair pair(Large(), "structure");
  OK(MatSpMVSetOption(pair.A, "least", 0));
  for (int values = 0; values < 2; ++values) {
    pair.Multiply(kBeforeStructure - 1);
    if (values == 0) DenseProduct(pair, false, 3); // is none of these
    pair.Multiply();
    EXPECT_STREQ(pair.Choice().type, "aij");
    const PetscInt64 by_aij = pair.Choice().by_aij;
    pair.Multiply(10);
    EXPECT_STRNE(pair.Choice().type, "aij");
    EXPECT_EQ(pair.Choice().by_aij, by_aij);
    OK(MatScale(pair.A, 2));
    OK(VecScale(pair.x, 0.5));
  }
}

/// Rows of a grid and of a node's unknowns share their columns in SELL-C-sigma, which then reads the fewest bytes. With complex
/// numbers, padding may weigh more than the columns saved.
TEST(Spmv, ByStructureOfGridsAndNodes)
{
  for (const TestMatrix &matrix : {Grid("7-point grid", 24, 9, 8, false), Grid("27-point grid", 20, 9, 8, true),
                                   Grid("grid of 3 unknowns", 9, 8, 7, true, 3), Grid("grid of 4 unknowns", 9, 7, 6, false, 4)}) {
    SCOPED_TRACE(matrix.name);
    Pair pair(matrix, "structure");
    OK(MatSpMVSetOption(pair.A, "least", 0));
    pair.Multiply(kBeforeStructure + 1);
    if constexpr (PetscDefined(USE_COMPLEX)) EXPECT_STRNE(pair.Choice().type, MATAIJ);
    else EXPECT_STREQ(pair.Choice().type, MATSELLCS);
  }
}

/// While it lives, the process gets almost no memory, as at a job's limit.
class NoMemory {
public:
  NoMemory()
  {
    getrlimit(RLIMIT_AS, &before_);
    rlimit now   = before_;
    now.rlim_cur = 1; // existing memory is kept
    setrlimit(RLIMIT_AS, &now);
    for (std::size_t bytes = 16 << 20; bytes >= 1 << 10; bytes /= 2) {
      while (void *block = std::malloc(bytes)) blocks_ = new (block) Block{.before = blocks_, .bytes = bytes};
    }
    for (std::size_t left = 0; left < 64 << 10 && blocks_;) left += FreeOne();
  }
  ~NoMemory()
  {
    setrlimit(RLIMIT_AS, &before_);
    while (blocks_) FreeOne();
  }
  NoMemory(const NoMemory &)            = delete;
  NoMemory &operator=(const NoMemory &) = delete;

private:
  struct Block {
    Block      *before;
    std::size_t bytes;
  };

  std::size_t FreeOne()
  {
    const Block last = *blocks_;
    std::free(std::exchange(blocks_, last.before));
    return last.bytes;
  }

  rlimit before_;
  Block *blocks_ = nullptr; // the last and smallest first
};

#if !defined(__SANITIZE_ADDRESS__)
TEST(Spmv, WithoutMemoryAijGoesOn)
{
  if (Processes() > 1) GTEST_SKIP() << "MPI needs memory";
  for (const char *choose : {"structure", "measured"}) {
    Pair pair(Rows(40000, 15), choose);
    OK(MatSpMVSetRegret(pair.A, 1));
    {
      const NoMemory none;
      pair.Multiply(kBeforeStructure + 20);
    }
    const std::string type = pair.Choice().type; // those that borrow need next to no memory
    EXPECT_TRUE(type == "aij" || ((type == "ipcsr" || type == "speculative") && std::string(choose) == "measured"))
      << type << ", " << choose;
  }
}
#endif

/// Matrices of one pattern share their findings, while they live and after.
TEST(Spmv, MatricesOfOnePattern)
{
  Pair first(Large(), "measured");
  OK(MatSpMVSetRegret(first.A, 1));
  first.Multiply(300);
  for (int k = 0; k < 5; ++k) {
    Pair     again;
    OwnedMat copy;
    again.Create(Large(), "measured");
    OK(MatDuplicate(first.A, MAT_COPY_VALUES, &copy));
    for (int product = 0; product < 50; ++product) {
      again.Multiply();
      first.Multiply();
      OK(MatMult(copy, first.x, again.y));
      OK(MatScale(again.A, 1));
    }
    EXPECT_SAME(again.A, first.R);
    EXPECT_SAME(copy, first.R);
  }
}

/// Columns are counted: AIJ multiplies with the first 32, and a layout with those after, also beside products with vectors. A
/// format that is named does so at once, but with A^T.
TEST(Spmv, DenseProducts)
{
  for (const char *choose : {"measured", "structure", "csr5", "aij", "speculative"}) {
    for (const bool transposed : {false, true}) {
      SCOPED_TRACE(std::string(choose) + (transposed ? ", transposed" : ""));
      const bool never = !std::strcmp(choose, "aij") || !std::strcmp(choose, "speculative"),
                 named = !std::strcmp(choose, "csr5") && !transposed;
      Pair        pair(Large(), choose);
      MatSpMVInfo info, later;
      OK(MatSpMVSetRegret(pair.A, 0)); // those with vectors try nothing
      DenseProduct product(pair, transposed, 17);
      product.Again(pair);
      OK(MatSpMVGetInfo(pair.A, &info));
      EXPECT_EQ(info.matmult, named ? 2 : 0);
      product.Again(pair);
      OK(MatSpMVGetInfo(pair.A, &info));
      EXPECT_EQ(info.matmult, never ? 0 : named ? 3 : 1);
      for (int k = 0; k < 3; ++k) {
        pair.Multiply(3);
        product.Again(pair);
      }
      OK(MatSpMVGetInfo(pair.A, &later));
      EXPECT_EQ(later.matmult, never ? 0 : info.matmult + 3);
      if (named || !std::strcmp(choose, "measured")) {
        EXPECT_EQ(later.builds, info.builds); // it is kept
      }
    }
  }
}

TEST(Spmv, OptionsOfFormats)
{
  Pair     pair(Large(), "csr5");
  PetscInt value;
  OK(MatSpMVSetOption(pair.A, "csr5_sigma", 7));
  pair.Multiply();
  OK(MatSpMVGetOption(pair.A, "csr5_sigma", &value));
  EXPECT_EQ(value, 7);
}

TEST(Spmv, BadInput)
{
  Pair              pair(Large(), "measured");
  MatSpMVChoiceInfo choice;
  FAILS_WITH("csr6", MatSpMVSetChoice(pair.A, "csr6"));
  FAILS_WITH("NULL", MatSpMVSetChoice(pair.A, nullptr));
  FAILS_WITH("0 to 1", MatSpMVSetRegret(pair.A, -1));
  FAILS_WITH("0 to 1", MatSpMVSetRegret(pair.A, static_cast<PetscReal>(NAN)));
  FAILS_WITH("aij", MatSpMVGetChoiceInfo(pair.R, &choice));
  FAILS_WITH("NULL", MatSpMVGetChoiceInfo(pair.A, nullptr));
  OK(MatSpMVSetChoice(pair.R, "csr5")); // nothing happens on others
}

} // namespace
} // namespace petscspmv::test
