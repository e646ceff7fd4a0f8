// Random sequences of operations on matrices of all types and on a plain MATAIJ twin, side by side, with all products compared
// after every step, and relaxations and preconditioners where the diagonal is dominant. Every run draws other sequences, unless
// PETSCSPMV_FUZZ_SEED is set; PETSCSPMV_FUZZ_RUNS is their number. A failure reports its steps, which PETSCSPMV_FUZZ_STEPS="..."
// repeats; once the defect is fixed, they are added to kept.txt as a line, and every later run repeats them.
//
// Every process draws the same numbers; what it does with them depends on the rows it owns.
#include "fuzz/sequence.hpp"
#include "fuzz/sweep.hpp"
#include "support/fill_nan.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>

namespace petscspmv::test {

namespace {

enum Product {
  kMult,
  kMultAdd,
  kMultAddInPlace,
  kResidual,
  kTranspose,
  kTransposeAdd,
  kTransposeAddInPlace,
  kHermitian,
  kHermitianAdd,
  kProducts
};

bool Adds(int p)
{
  return p != kMult && p != kTranspose && p != kHermitian;
}

/// out = op(A) in (+ v), or v - A in; out is filled with NaN first if it must not be read.
PetscErrorCode Multiply(Mat A, int p, Vec in, Vec v, Vec out)
{
  PetscFunctionBegin;
  if (p == kMultAddInPlace || p == kTransposeAddInPlace) PetscCall(VecCopy(v, out));
  else PetscCall(FillNaN(out));
  if (p == kMult) PetscCall(MatMult(A, in, out));
  else if (p == kMultAdd) PetscCall(MatMultAdd(A, in, v, out));
  else if (p == kMultAddInPlace) PetscCall(MatMultAdd(A, in, out, out));
  else if (p == kResidual) PetscCall(MatResidual(A, v, in, out));
  else if (p == kTranspose) PetscCall(MatMultTranspose(A, in, out));
  else if (p == kTransposeAdd) PetscCall(MatMultTransposeAdd(A, in, v, out));
  else if (p == kTransposeAddInPlace) PetscCall(MatMultTransposeAdd(A, in, out, out));
  else if (p == kHermitian) PetscCall(MatMultHermitianTranspose(A, in, out));
  else PetscCall(MatMultHermitianTransposeAdd(A, in, v, out));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr bool kComplex = RealOf<PetscScalar>::complex;

using Sums = std::vector<Sum<PetscScalar>>;

/// Adds up the parts of each sum from all processes.
PetscErrorCode AddUp(Sums &sums)
{
  std::vector<long double> parts;

  PetscFunctionBegin;
  if (Processes() == 1) PetscFunctionReturn(PETSC_SUCCESS);
  for (const auto &sum : sums)
    parts.insert(parts.end(), {std::real(sum.value), std::imag(sum.value), sum.magnitude, static_cast<long double>(sum.terms)});
  PetscCallMPI(
    MPI_Allreduce(MPI_IN_PLACE, parts.data(), static_cast<int>(parts.size()), MPI_LONG_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = {MakeScalar<Wide<PetscScalar>>(parts[4 * i], parts[4 * i + 1]), parts[4 * i + 2], static_cast<int>(parts[4 * i + 3])};
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The products of a matrix with vector number 1, on all processes; of real numbers, the Hermitian one is the transposed one.
struct Expected {
  Sums product, transposed, hermitian;

  const Sums &Of(int p) const { return p >= kHermitian && kComplex ? hermitian : p >= kTranspose ? transposed : product; }
};

/// Adds the products of R to `expected`, which is empty. Collective.
PetscErrorCode Expect(Mat R, Expected &expected)
{
  PetscInt           begin, end, rows, cols, length;
  const PetscInt    *columns;
  const PetscScalar *values;
  auto &[product, transposed, hermitian] = expected;

  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(R, &begin, &end));
  PetscCall(MatGetSize(R, &rows, &cols));
  product.resize(static_cast<std::size_t>(rows));
  transposed.resize(static_cast<std::size_t>(cols));
  hermitian.resize(static_cast<std::size_t>(kComplex ? cols : 0));
  for (PetscInt row = begin; row < end; ++row) {
    const auto x = Widen(Entry(row, 1));
    PetscCall(MatGetRow(R, row, &length, &columns, &values));
    for (PetscInt k = 0; k < length; ++k) {
      const std::size_t col = static_cast<std::size_t>(columns[k]);
      product[static_cast<std::size_t>(row)].Add(Widen(values[k]), Widen(Entry(columns[k], 1)));
      transposed[col].Add(Widen(values[k]), x);
      if (kComplex) hermitian[col].Add(Widen(PetscConj(values[k])), x);
    }
    PetscCall(MatRestoreRow(R, row, &length, &columns, &values));
  }
  for (Sums *sums : {&product, &transposed, &hermitian}) PetscCall(AddUp(*sums));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The first product of A, counted from `first`, that differs from the expected one by more than rounding; -1 if there is none.
/// Collective.
PetscErrorCode WrongProduct(Mat A, const Expected &expected, int first, int *wrong)
{
  OwnedVec right, left, more_right, more_left;

  PetscFunctionBegin;
  *wrong = -1;
  PetscCall(MatCreateVecs(A, &right, &left));
  PetscCall(VecDuplicate(right, &more_right));
  PetscCall(VecDuplicate(left, &more_left));
  for (int k = 0; k < kProducts && *wrong < 0; ++k) {
    const int          p          = (first + k) % kProducts;
    const bool         transposed = p >= kTranspose;
    const Vec          in = transposed ? left : right, v = transposed ? more_right : more_left, out = transposed ? right : left;
    PetscInt           begin, end;
    const PetscScalar *y;
    PetscCall(FillVec(in, 1));
    PetscCall(FillVec(v, 2));
    PetscCall(Multiply(A, p, in, v, out));
    PetscCall(VecGetOwnershipRange(out, &begin, &end));
    PetscCall(VecGetArrayRead(out, &y));
    for (PetscInt i = begin; i < end; ++i) {
      auto sum = expected.Of(p)[static_cast<std::size_t>(i)];
      if (p == kResidual) sum.value = -sum.value;
      if (Adds(p)) sum.Add(1, Widen(Entry(i, 2)));
      if (!sum.Matches(y[i - begin])) *wrong = p;
    }
    PetscCall(VecRestoreArrayRead(out, &y));
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// After the products of a matrix made by COO have been compared, continues with a duplicate.
PetscErrorCode LeaveCoo(Subject &s)
{
  Mat B;

  PetscFunctionBegin;
  if (!s.coo) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatDuplicate(s.M, MAT_COPY_VALUES, &B));
  PetscCall(Replace(s, B));
  PetscCall(Loosen(s.M));
  s.coo = false;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Makes an error code known to all processes.
int Anywhere(PetscErrorCode code)
{
  int any = static_cast<int>(code);
  MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  return any;
}

/// FullName(), cached: it creates a matrix on each call.
const std::string &KnownFullName(const std::string &type)
{
  static std::map<std::string, std::string> names;
  const auto [known, added] = names.try_emplace(type);
  if (added) known->second = FullName(type);
  return known->second;
}

/// Applies an operation to the twin r and to all others; if plain AIJ refuses it, all of them start over.
void Apply(const Operation &operation, Subject &r, std::vector<Subject> &others, Draw draw)
{
  int refused;
  OK(LeaveCoo(r));
  {
    ExpectedError ignored;
    refused = Anywhere(operation.apply(r, draw));
  }
  if (refused) {
    ASSERT_EQ(Anywhere(Recreate(r, draw)), 0);
  }
  for (Subject &a : others) {
    SCOPED_TRACE(a.type);
    OK(LeaveCoo(a));
    ASSERT_EQ(Anywhere((refused ? Recreate : operation.apply)(a, draw)), 0);
  }
}

/// Bounds the values by the twin's norm, allows new nonzeros, and checks that the matrix still has its type.
void Settle(Subject &s, PetscReal norm)
{
  MatType type;
  OK(MatScale(s.M, norm > 1e9 ? 1 / 1048576.0 : 1)); // a factor of 1 does not increase the state
  OK(MatGetType(s.M, &type));
  ASSERT_EQ(type, KnownFullName(s.type));
  OK(Loosen(s.M));
}

/// Compares a matrix with its twin r, whose products are the expected ones.
void Compare(const Subject &a, const Subject &r, const Expected &expected, int first)
{
  PetscBool equal = PETSC_TRUE;
  int       wrong = -1;
  if (Processes() == 1) { // of equal MPIAIJ matrices one may keep empty columns
    OK(MatEqual(a.M, r.M, &equal));
  }
  ASSERT_TRUE(equal) << "the AIJ entries differ";
  OK(WrongProduct(a.M, expected, first, &wrong));
  ASSERT_EQ(wrong, -1) << "a product differs, the first was " << first;
}

/// Compares sweeps of all matrices with those of the twin, where its diagonal is dominant.
void CompareSweeps(Subject &r, std::vector<Subject> &others, const Draw &draw)
{
  bool                 dominant = false;
  std::deque<OwnedVec> of_aij;
  OK(IsDominant(r.M, &dominant));
  if (!dominant) return;
  OK(Sweep(r, draw, of_aij));
  for (Subject &a : others) {
    SCOPED_TRACE(a.type);
    std::deque<OwnedVec> results;
    PetscReal            largest = -1;
    OK(Sweep(a, draw, results));
    OK(LargestDifference(results, of_aij, &largest));
    ASSERT_TRUE(largest >= 0 && largest <= 100 * kTolerance) << "a sweep differs: " << largest;
  }
}

void RunSequence(const Sequence &sequence)
{
  const std::vector<std::string> types = Types();
  Subject                        r;
  std::vector<Subject>           others(types.size());
  std::string                    steps;
  for (std::size_t k = 0; k < types.size(); ++k) {
    others[k].type   = types[k];
    others[k].number = k;
  }
  for (const Step &step : sequence) {
    Draw      draw{std::mt19937_64(step.seed)};
    const int first = draw(kProducts);
    PetscReal norm;
    Expected  expected;
    steps += (steps.empty() ? "" : ", ") + Text(step);
    SCOPED_TRACE("PETSCSPMV_FUZZ_STEPS=\"" + steps + "\"");
    ASSERT_NO_FATAL_FAILURE(Apply(*step.operation, r, others, draw));
    OK(MatNorm(r.M, NORM_FROBENIUS, &norm));
    ASSERT_NO_FATAL_FAILURE(Settle(r, norm));
    OK(Expect(r.M, expected));
    for (Subject &a : others) {
      SCOPED_TRACE(a.type);
      ASSERT_NO_FATAL_FAILURE(Settle(a, norm));
      ASSERT_NO_FATAL_FAILURE(Compare(a, r, expected, first));
    }
    ASSERT_NO_FATAL_FAILURE(CompareSweeps(r, others, draw));
  }
}

/// The first process' number, on all of them.
std::uint64_t FromEnvironment(const char *name, std::uint64_t otherwise)
{
  const char   *text   = std::getenv(name);
  std::uint64_t number = text && *text ? std::strtoull(text, nullptr, 10) : otherwise;
  MPI_Bcast(&number, 1, MPI_UINT64_T, 0, PETSC_COMM_WORLD);
  return number;
}

TEST(Fuzz, SequencesOfOperations)
{
  if (std::getenv("PETSCSPMV_FUZZ_STEPS")) GTEST_SKIP() << "these steps alone";
  const std::uint64_t first = FromEnvironment("PETSCSPMV_FUZZ_SEED", std::random_device()()),
                      runs  = FromEnvironment("PETSCSPMV_FUZZ_RUNS", static_cast<std::uint64_t>(180 / Processes()));
  if (Rank() == 0) { // shown where the test fails, also by a crash
    std::printf("PETSCSPMV_FUZZ_SEED=%llu PETSCSPMV_FUZZ_RUNS=%llu\n", static_cast<unsigned long long>(first),
                static_cast<unsigned long long>(runs));
    std::fflush(stdout);
  }
  for (std::uint64_t seed = first; seed < first + runs && !HasFailure(); ++seed) RunSequence(DrawSequence(seed));
}

TEST(Fuzz, KeptSequences)
{
  const char   *steps = std::getenv("PETSCSPMV_FUZZ_STEPS");
  std::ifstream file(PETSCSPMV_FUZZ_KEPT);
  ASSERT_TRUE(file) << PETSCSPMV_FUZZ_KEPT;
  std::vector<std::string> lines;
  if (steps) lines = {steps};
  for (std::string line; !steps && std::getline(file, line);) {
    if (!line.starts_with('#')) lines.push_back(line);
  }
  for (const std::string &line : lines) {
    Sequence sequence;
    ASSERT_TRUE(Parse(line, sequence)) << line;
    RunSequence(sequence);
    if (HasFailure()) return;
  }
}

} // namespace

} // namespace petscspmv::test
