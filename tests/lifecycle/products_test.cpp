// MatProduct of matrices of the types under test with each other, with plain AIJ, dense and MAIJ.
#include "lifecycle/lifecycle.hpp"

namespace petscspmv::test {

namespace {

constexpr int kRows = 66, kCols = 42; // the same number of rows on every process, for MAIJ

/// The second operand of a product: of our type (or plain), plain, dense, or MAIJ.
struct Kind {
  const char    *name;
  MatProductType type;
  int            rows, cols; // of the second operand; the first is kRows x kRows
};

const Kind kKinds[] = {
  {"AB", MATPRODUCT_AB, kRows, kCols},     {"AtB", MATPRODUCT_AtB, kRows, kCols},   {"ABt", MATPRODUCT_ABt, kCols, kRows},
  {"PtAP", MATPRODUCT_PtAP, kRows, kCols}, {"RARt", MATPRODUCT_RARt, kCols, kRows},
};

/// PETSc has no ABt of two MPIAIJ matrices.
bool Has(MatProductType type)
{
  return type != MATPRODUCT_ABt || Processes() == 1;
}

PetscErrorCode Multiply(Mat A, Mat B, Mat C, MatProductType type, const char *algorithm, Mat *D)
{
  PetscFunctionBegin;
  PetscCall(MatProductCreate(A, B, C, D));
  PetscCall(MatProductSetType(*D, type));
  PetscCall(MatProductSetAlgorithm(*D, algorithm));
  PetscCall(MatProductSetFill(*D, 3));
  PetscCall(MatProductSetFromOptions(*D));
  PetscCall(MatProductSymbolic(*D));
  PetscCall(MatProductNumeric(*D));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// C = the product of ours and R = that of the plain ones; again after all operands have changed, and further on.
void CheckProduct(const std::vector<Mat> &ours, const std::vector<Mat> &plain, const std::vector<Mat> &all, MatProductType type,
                  const char *algorithm)
{
  OwnedMat C, R;
  OK(Multiply(ours[0], ours[1], ours.size() > 2 ? ours[2] : nullptr, type, algorithm, &C));
  OK(Multiply(plain[0], plain[1], plain.size() > 2 ? plain[2] : nullptr, type, algorithm, &R));
  EXPECT_SAME_BOTH_WAYS(C, R);
  for (Mat M : all) {
    OK(Use(M));
    OK(MatScale(M, 2));
  }
  OK(MatProductNumeric(C));
  OK(MatProductNumeric(R));
  EXPECT_SAME_BOTH_WAYS(C, R);
  OK(MatProductClear(C));
  OK(MatProductClear(R));
  OK(MatScale(C, 3));
  OK(MatScale(R, 3));
  EXPECT_SAME_BOTH_WAYS(C, R);
}

TEST(LifecycleProducts, OfTwo)
{
  for (const std::string &type : Types()) {
    for (const Kind &kind : kKinds) {
      if (!Has(kind.type)) continue;
      for (unsigned own : {1u, 2u, 3u}) { // bits: which operands are of our type
        SCOPED_TRACE(type + ", " + kind.name + ", own operands " + std::to_string(own));
        Pair p, q;
        OK(p.Create(Banded(kRows, kRows, 9), type));
        OK(q.Create(Banded(kind.rows, kind.cols, 5), type));
        const Mat A = own & 1 ? p.A : p.R, B = own & 2 ? q.A : q.R;
        CheckProduct({A, B}, {p.R, q.R}, {p.A, p.R, q.A, q.R}, kind.type, "default");
      }
    }
  }
}

/// PETSc's products create intermediate matrices, which the catch-all (-mat_seqaij_type) must not break; also where an operand was
/// converted to AIJ.
TEST(LifecycleProducts, UnderTheCatchAll)
{
  for (const std::string &type : Types()) {
    for (const Kind &kind : kKinds) {
      if (!Has(kind.type)) continue;
      for (unsigned converted : {0u, 1u, 2u, 3u}) { // bits: which operands
        SCOPED_TRACE(type + ", " + kind.name + ", converted operands " + std::to_string(converted));
        Pair     p, q;
        OwnedMat C, R, plain_p, plain_q;
        OK(p.Create(Banded(kRows, kRows, 9), type));
        OK(q.Create(Banded(kind.rows, kind.cols, 5), type));
        OK(Multiply(p.R, q.R, nullptr, kind.type, "default", &R));
        {
          CatchAll catch_all("seq" + RootName(type));
          OK(MatConvert(p.A, MATAIJ, MAT_INITIAL_MATRIX, &plain_p));
          OK(MatConvert(q.A, MATAIJ, MAT_INITIAL_MATRIX, &plain_q));
          const Mat A = converted & 1 ? plain_p : p.A, B = converted & 2 ? plain_q : q.A;
          OK(Multiply(A, B, nullptr, kind.type, "default", &C));
        }
        EXPECT_SAME_BOTH_WAYS(C, R);
      }
    }
  }
}

TEST(LifecycleProducts, OfThree)
{
  for (const std::string &type : Types()) {
    for (unsigned own = 1; own < 8; ++own) {
      SCOPED_TRACE(type + ", ABC, own operands " + std::to_string(own));
      Pair p, q, r;
      OK(p.Create(Banded(kRows, kRows, 9), type));
      OK(q.Create(Banded(kRows, kCols, 5), type));
      OK(r.Create(Banded(kCols, kRows, 7), type));
      CheckProduct({own & 1 ? p.A : p.R, own & 2 ? q.A : q.R, own & 4 ? r.A : r.R}, {p.R, q.R, r.R}, {p.A, p.R, q.A, q.R, r.A, r.R},
                   MATPRODUCT_ABC, "default");
    }
  }
}

TEST(LifecycleProducts, ByEveryAlgorithm)
{
  struct Algorithm {
    MatProductType type;
    const char    *name;
  };
  const std::vector<Algorithm> sequential = {
    {MATPRODUCT_AB, "sorted"},   {MATPRODUCT_AB, "scalable"},      {MATPRODUCT_AB, "scalable_fast"},
    {MATPRODUCT_AB, "heap"},     {MATPRODUCT_AB, "btheap"},        {MATPRODUCT_AB, "llcondensed"},
    {MATPRODUCT_AB, "rowmerge"}, {MATPRODUCT_AtB, "outerproduct"}, {MATPRODUCT_AtB, "at*b"},
    {MATPRODUCT_ABt, "color"},   {MATPRODUCT_PtAP, "scalable"},    {MATPRODUCT_PtAP, "rap"},
    {MATPRODUCT_RARt, "r*a*rt"}, {MATPRODUCT_RARt, "r*art"},       {MATPRODUCT_RARt, "coloring_rart"},
  };
  const std::vector<Algorithm> parallel = {
    {MATPRODUCT_AB, "scalable"},      {MATPRODUCT_AB, "nonscalable"}, {MATPRODUCT_AB, "seqmpi"},
    {MATPRODUCT_AB, "backend"},       {MATPRODUCT_AtB, "scalable"},   {MATPRODUCT_AtB, "nonscalable"},
    {MATPRODUCT_AtB, "at*b"},         {MATPRODUCT_AtB, "backend"},    {MATPRODUCT_PtAP, "scalable"},
    {MATPRODUCT_PtAP, "nonscalable"}, {MATPRODUCT_PtAP, "allatonce"}, {MATPRODUCT_PtAP, "allatonce_merged"},
    {MATPRODUCT_PtAP, "backend"},
  };
  for (const std::string &type : Types()) {
    for (const Algorithm &algorithm : Processes() > 1 ? parallel : sequential) {
      const Kind &kind =
        *std::find_if(std::begin(kKinds), std::end(kKinds), [&](const Kind &k) { return k.type == algorithm.type; });
      SCOPED_TRACE(type + ", " + kind.name + " by " + algorithm.name);
      Pair p, q;
      OK(p.Create(Banded(kRows, kRows, 9), type));
      OK(q.Create(Banded(kind.rows, kind.cols, 5), type));
      CheckProduct({p.A, q.A}, {p.R, q.R}, {p.A, p.R, q.A, q.R}, algorithm.type, algorithm.name);
    }
  }
}

/// The functions of each product, which reuse the result in a second call.
struct Function {
  const char *name;
  int         rows, cols; // of the second operand
  PetscErrorCode (*multiply)(Mat A, Mat B, MatReuse reuse, Mat *C);
};

const Function kFunctions[] = {
  {"MatMatMult", kRows, kCols, [](Mat A, Mat B, MatReuse reuse, Mat *C) { return MatMatMult(A, B, reuse, 2, C); }},
  {"MatTransposeMatMult", kRows, kCols,
   [](Mat A, Mat B, MatReuse reuse, Mat *C) { return MatTransposeMatMult(A, B, reuse, 2, C); }},
  {"MatMatTransposeMult", kCols, kRows,
   [](Mat A, Mat B, MatReuse reuse, Mat *C) { return MatMatTransposeMult(A, B, reuse, 2, C); }},
  {"MatPtAP", kRows, kCols, [](Mat A, Mat B, MatReuse reuse, Mat *C) { return MatPtAP(A, B, reuse, 2, C); }},
  {"MatRARt", kCols, kRows, [](Mat A, Mat B, MatReuse reuse, Mat *C) { return MatRARt(A, B, reuse, 2, C); }},
  {"MatMatMatMult", kRows, kRows, [](Mat A, Mat B, MatReuse reuse, Mat *C) { return MatMatMatMult(A, B, A, reuse, 2, C); }},
  {"MatMatMult, square", kRows, kRows, [](Mat A, Mat B, MatReuse reuse, Mat *C) { return MatMatMult(B, A, reuse, 2, C); }},
};

TEST(LifecycleProducts, FunctionsAndReuse)
{
  for (const std::string &type : Types()) {
    const std::string full = FullName(type);
    for (const Function &f : kFunctions) {
      if (!Has(std::string(f.name) == "MatMatTransposeMult" ? MATPRODUCT_ABt : MATPRODUCT_AB)) continue;
      SCOPED_TRACE(type + ", " + f.name);
      Pair p, q, c;
      OK(p.Create(Banded(kRows, kRows, 9), type));
      OK(q.Create(Banded(f.rows, f.cols, 5), type));
      OK(f.multiply(p.A, q.A, MAT_INITIAL_MATRIX, &c.A));
      OK(f.multiply(p.R, q.R, MAT_INITIAL_MATRIX, &c.R));
      EXPECT_SAME_BOTH_WAYS(c.A, c.R);
      for (Mat M : {p.A.A, p.R.A, q.A.A, q.R.A}) OK(MatScale(M, 3));
      OK(f.multiply(p.A, q.A, MAT_REUSE_MATRIX, &c.A));
      OK(f.multiply(p.R, q.R, MAT_REUSE_MATRIX, &c.R));
      CheckAndGoOn(c.A, c.R, TypeOf(c.A));
      OK(MatConvert(c.A, type.c_str(), MAT_INPLACE_MATRIX, &c.A.A));
      CheckAndGoOn(c.A, c.R, full);
      EXPECT_SAME_BOTH_WAYS(p.A, p.R); // the operands are unchanged
      EXPECT_SAME_BOTH_WAYS(q.A, q.R);
      EXPECT_EQ(TypeOf(p.A), full);
      EXPECT_EQ(TypeOf(q.A), full);
    }
  }
}

TEST(LifecycleProducts, ReplacedOperands)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    Pair p, q, r, c;
    OK(p.Create(Banded(kRows, kRows, 9), type));
    OK(q.Create(Banded(kRows, kCols, 5), type));
    OK(r.Create(Banded(kRows, kRows, 9, true), type));
    OK(Multiply(p.A, q.A, NULL, MATPRODUCT_AB, "default", &c.A));
    OK(Multiply(p.R, q.R, NULL, MATPRODUCT_AB, "default", &c.R));
    OK(Use(c.A));
    OK(MatProductReplaceMats(r.A, NULL, NULL, c.A));
    OK(MatProductReplaceMats(r.R, NULL, NULL, c.R));
    OK(MatProductNumeric(c.A));
    OK(MatProductNumeric(c.R));
    EXPECT_SAME_BOTH_WAYS(c.A, c.R);
  }
}

PetscErrorCode CreateDense(PetscInt rows, PetscInt cols, Mat *X)
{
  PetscFunctionBegin;
  PetscCall(MatCreateDense(PETSC_COMM_WORLD, LocalSize(rows, Distribution::Even), LocalSize(cols, Distribution::Even), rows, cols,
                           NULL, X));
  PetscCall(MatSetRandom(*X, NULL));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A product with a dense matrix X as either operand. Plain AIJ has neither X^T A nor X A^T.
struct Dense {
  const char    *name;
  MatProductType type;
  bool           first; // X is the first operand
  int            rows, cols;
  bool           parallel; // plain MPIAIJ supports it
};

const Dense kDense[] = {
  {"A X", MATPRODUCT_AB, false, kRows, 5, true},       {"A^T X", MATPRODUCT_AtB, false, kRows, 5, true},
  {"A X^T", MATPRODUCT_ABt, false, 5, kRows, false},   {"X^T A X", MATPRODUCT_PtAP, false, kRows, 5, true},
  {"X A X^T", MATPRODUCT_RARt, false, 5, kRows, true}, {"X A", MATPRODUCT_AB, true, 5, kRows, true},
};

void CheckDense(const TestMatrix &a, const std::string &type, const Dense &c)
{
  Pair     p;
  OwnedMat X, C, R;
  OK(p.Create(a, type));
  OK(MatSpMVSetTranspose(p.A, MAT_SPMV_TRANSPOSE_LAYOUT));
  OK(CreateDense(c.rows, c.cols, &X));
  OK(Multiply(c.first ? X : p.R, c.first ? p.R : X, NULL, c.type, "default", &R));
  OK(Multiply(c.first ? X : p.A, c.first ? p.A : X, NULL, c.type, "default", &C));
  EXPECT_SAME(C, R);
  OK(MatScale(p.A, 3));
  OK(MatScale(p.R, 3));
  OK(MatProductNumeric(C));
  OK(MatProductNumeric(R));
  EXPECT_SAME(C, R);
  EXPECT_SAME_BOTH_WAYS(p.A, p.R);
}

TEST(LifecycleProducts, WithDense)
{
  for (const std::string &type : Types()) {
    for (const Dense &c : kDense) {
      if (!c.parallel && Processes() > 1) continue;
      for (const TestMatrix &a : {Banded(kRows, kRows, 9), FromRowLengths("by layouts", kRows, kRows, [](int) { return 9; })}) {
        SCOPED_TRACE(type + ", " + c.name + ", " + a.name);
        CheckDense(a, type, c);
      }
    }
  }
}

/// P^T A P, where P is MAIJ, made from a matrix of our type or from a plain one. AIJ has no other product with MAIJ.
void CheckMaij(const std::string &type, bool own)
{
  Pair     p, q;
  OwnedMat P, S, plain, C, R;
  OK(p.Create(Banded(2 * kRows, 2 * kRows, 9), type));
  OK(q.Create(Banded(kRows, kCols, 5), type));
  OK(MatCreateMAIJ(own ? q.A : q.R, 2, &P));
  OK(MatCreateMAIJ(q.R, 2, &S));
  OK(MatConvert(S, MATAIJ, MAT_INITIAL_MATRIX, &plain));
  EXPECT_SAME(P, plain);
  OK(Multiply(p.R, S, NULL, MATPRODUCT_PtAP, "default", &R));
  OK(Multiply(p.A, P, NULL, MATPRODUCT_PtAP, "default", &C));
  EXPECT_SAME_BOTH_WAYS(C, R);
  OK(MatScale(p.A, 3));
  OK(MatScale(p.R, 3));
  OK(MatProductNumeric(C));
  OK(MatProductNumeric(R));
  EXPECT_SAME_BOTH_WAYS(C, R);
}

TEST(LifecycleProducts, WithMaij)
{
  for (const std::string &type : Types()) {
    for (bool own : {true, false}) {
      SCOPED_TRACE(type + (own ? ", of its own" : ", of aij"));
      CheckMaij(type, own);
    }
  }
}

TEST(LifecycleProducts, Kron)
{
  if (Processes() > 1) return; // sequential only
  for (const std::string &type : Types()) {
    for (unsigned own : {1u, 3u}) { // otherwise MatSeqAIJKron() of plain aij rejects any type derived from it
      SCOPED_TRACE(type + ", own operands " + std::to_string(own));
      Pair p, q, c;
      OK(p.Create(Banded(12, 9, 3), type));
      OK(q.Create(Banded(7, 11, 2), type));
      const Mat A = own & 1 ? p.A : p.R, B = own & 2 ? q.A : q.R;
      OK(MatSeqAIJKron(A, B, MAT_INITIAL_MATRIX, &c.A));
      OK(MatSeqAIJKron(p.R, q.R, MAT_INITIAL_MATRIX, &c.R));
      EXPECT_SAME_BOTH_WAYS(c.A, c.R);
      for (Mat M : {p.A.A, p.R.A}) OK(MatScale(M, 3));
      OK(MatSeqAIJKron(A, B, MAT_REUSE_MATRIX, &c.A));
      OK(MatSeqAIJKron(p.R, q.R, MAT_REUSE_MATRIX, &c.R));
      EXPECT_SAME_BOTH_WAYS(c.A, c.R);
      EXPECT_EQ(TypeOf(p.A), FullName(type));
      EXPECT_EQ(TypeOf(q.A), FullName(type));
    }
  }
}

} // namespace

} // namespace petscspmv::test
