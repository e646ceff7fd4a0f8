// Allocation failures: in every operation of every type, every allocation fails once, alone or with all later ones. Either the
// operation still succeeds, or it ends in an error and succeeds when memory is back; the matrix multiplies in between. Where
// PETSc's own allocations fail this is not true of aij either, and ours is no worse. PETSCSPMV_ALL_FAULTS=1: more types, with a
// line printed for each.
#include "faults/failing_memory.hpp"
#include "support/petsc_test.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <map>
#include <numeric>
#include <petscksp.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace petscspmv::test {

namespace {

constexpr int kRows = 40, kCols = 40;

TestMatrix Entries()
{
  return FromRowLengths("rows of 9", kRows, kCols, [](int) { return 9; });
}

/// What operations work on: a matrix of a type, the same as plain AIJ, and their results. They allocate nothing of their own.
struct Subject {
  OwnedMat    A, plain, dense, made;
  OwnedVec    x, y;
  std::string type;
  const char *option = nullptr;   // one of the type that is 16 after a change
  TestMatrix  others = Entries(); // with other values
};

/// A type, and what a matrix of type spmv chooses (null: AIJ, since the matrix is small).
struct Tried {
  std::string type;
  const char *choose = nullptr;
  std::string other  = {}; // the type that bounds the number of outcomes worse than an error; empty: there must be none

  bool        Chooses() const { return type.ends_with("spmv"); }
  bool        UsesLayouts() const { return !Chooses() || (choose && !std::strcmp(choose, "csr5")); }
  std::string Name() const { return type + (choose ? std::string(" ") + choose : ""); }
};

PetscErrorCode Fill(Mat A, const TestMatrix &a)
{
  PetscFunctionBegin;
  for (PetscInt row = 0; row < a.rows; ++row) {
    for (int k = a.row_ptr[static_cast<std::size_t>(row)]; k < a.row_ptr[static_cast<std::size_t>(row) + 1]; ++k)
      PetscCall(MatSetValue(A, row, a.col_idx[static_cast<std::size_t>(k)], a.real[static_cast<std::size_t>(k)], INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// An option of each type that has sizes.
const char *OptionOf(const std::string &type)
{
  constexpr std::array<std::array<const char *, 2>, 5> kOptions{{
    {MATSEQAIJCSR5, "sigma"},
    {MATSEQAIJSCS, "chunk"},
    {MATSEQAIJSPECULATIVE, "tile_width"},
    {MATSEQAIJIPCSR, "block_size"},
    {MATSEQAIJSPMV, "csr5_sigma"},
  }};
  for (const auto &[of, key] : kOptions) {
    if (type.substr(3) == std::string(of).substr(3)) return key;
  }
  return nullptr;
}

/// Creates a matrix with layouts of itself and of its transpose.
PetscErrorCode Create(const TestMatrix &a, const Tried &tried, Subject &s)
{
  const std::string &type = tried.type;

  PetscFunctionBegin;
  s.type   = type;
  s.option = OptionOf(type);
  for (double &v : s.others.real) v = 1 - v;
  for (Mat *A : {&s.A.A, &s.plain.A}) {
    PetscCall(MatCreate(PETSC_COMM_SELF, A));
    PetscCall(MatSetSizes(*A, a.rows, a.cols, a.rows, a.cols));
    PetscCall(MatSetType(*A, A == &s.A.A ? type.c_str() : MATSEQAIJ));
    PetscCall(MatSeqAIJSetPreallocation(*A, 12, NULL));
    PetscCall(MatMPIAIJSetPreallocation(*A, 12, NULL, 0, NULL));
    PetscCall(Fill(*A, a));
  }
  PetscCall(MatSpMVSetTranspose(s.A, MAT_SPMV_TRANSPOSE_LAYOUT));
  if (tried.choose) {
    PetscCall(MatSpMVSetChoice(s.A, tried.choose));
    PetscCall(MatSpMVSetOption(s.A, "least", 0));
    PetscCall(MatSpMVSetOption(s.A, "regret", 1000000)); // try everything at once
  }
  PetscCall(MatCreateVecs(s.A, &s.x, &s.y));
  PetscCall(FillVec(s.x, 1));
  PetscCall(MatMult(s.A, s.x, s.y));
  PetscCall(MatMultTranspose(s.A, s.x, s.y));
  PetscCall(MatCreate(PETSC_COMM_SELF, &s.dense));
  PetscCall(MatSetSizes(s.dense, kCols, 3, kCols, 3));
  PetscCall(MatSetType(s.dense, type.starts_with("mpi") ? MATMPIDENSE : MATSEQDENSE));
  PetscCall(MatSetUp(s.dense));
  PetscCall(MatAssemblyBegin(s.dense, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(s.dense, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether products with A equal those with the plain matrix.
bool IsUsable(Subject &s)
{
  const auto same = [&s](bool transposed) {
    OwnedVec   expected;
    const auto multiply = transposed ? MatMultTranspose : MatMult;
    PetscReal  norm, of_difference;
    return !VecDuplicate(s.y, &expected) && !multiply(s.plain, s.x, expected) && !multiply(s.A, s.x, s.y) &&
           !VecNorm(expected, NORM_2, &norm) && !VecAXPY(expected, -1, s.y) && !VecNorm(expected, NORM_2, &of_difference) &&
           of_difference <= 1e-12 * norm;
  };
  return same(false) && same(true);
}

struct Operation {
  enum Builds { Anything, Layout, LayoutOfFormat, Shadows }; // which takes memory of the library's

  const char *name;
  PetscErrorCode (*run)(Subject &);
  bool changes = false; // the matrix: after an error its contents are AIJ's responsibility until it succeeds
  PetscErrorCode (*prepare)(Subject &) = nullptr; // without a fault
  Builds builds                        = Anything;
};

/// Gives both matrices other values.
PetscErrorCode NewValues(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(Fill(s.A, s.others));
  PetscCall(Fill(s.plain, s.others));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gives both matrices one more entry.
PetscErrorCode NewEntry(Subject &s)
{
  PetscFunctionBegin;
  for (Mat A : {s.A.A, s.plain.A}) {
    PetscCall(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
    for (PetscInt col = 0; col < kCols; ++col) PetscCall(MatSetValue(A, 3, col, 1, INSERT_VALUES));
    PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
    PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A new pattern, of which nothing is known and which has no layout.
PetscErrorCode NewPattern(Subject &s)
{
  PetscFunctionBegin;
  PetscCall(NewEntry(s));
  PetscCall(PetscSpMVForget());
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Multiply(Subject &s)
{
  return MatMult(s.A, s.x, s.y);
}

PetscErrorCode MultiplyTransposed(Subject &s)
{
  return MatMultTranspose(s.A, s.x, s.y);
}

/// As many as a choice takes.
PetscErrorCode MultiplyOften(Subject &s)
{
  PetscFunctionBegin;
  for (int k = 0; k < 150; ++k) PetscCall(MatMult(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MultiplyTransposedOften(Subject &s)
{
  PetscFunctionBegin;
  for (int k = 0; k < 150; ++k) PetscCall(MatMultTranspose(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A product with another option.
PetscErrorCode SetAndMultiply(Subject &s)
{
  PetscFunctionBegin;
  if (s.option) PetscCall(MatSpMVSetOption(s.A, s.option, 16));
  PetscCall(MatMult(s.A, s.x, s.y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A sum with a matrix of another pattern, which replaces all data of the first one.
PetscErrorCode AddOtherPattern(Subject &s)
{
  OwnedMat transposed;

  PetscFunctionBegin;
  PetscCall(MatTranspose(s.plain, MAT_INITIAL_MATRIX, &transposed));
  PetscCall(MatDuplicate(s.A, MAT_COPY_VALUES, &s.made));
  PetscCall(MatAXPY(s.made, 1, transposed, DIFFERENT_NONZERO_PATTERN));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode AssembleCoordinates(Subject &s)
{
  PetscInt          rows[] = {0, 2, 2, 4}, cols[] = {1, 0, 3, 4};
  const PetscScalar values[] = {1, 2, 3, 4};
  Mat              *A        = &s.made;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, 5, 5, 5, 5));
  PetscCall(MatSetType(*A, s.type.c_str()));
  PetscCall(MatSetPreallocationCOO(*A, 4, rows, cols));
  PetscCall(MatSetValuesCOO(*A, values, INSERT_VALUES));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode View(Mat A)
{
  PetscViewer viewer;

  PetscFunctionBegin;
  PetscCall(PetscViewerASCIIOpen(PETSC_COMM_SELF, "/dev/null", &viewer));
  PetscCall(PetscViewerPushFormat(viewer, PETSC_VIEWER_ASCII_INFO_DETAIL));
  const PetscErrorCode ierr = MatView(A, viewer);
  PetscCall(PetscViewerPopFormat(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Create(Subject &s)
{
  Mat *A = &s.made;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_SELF, A));
  PetscCall(MatSetSizes(*A, 5, 5, 5, 5));
  PetscCall(MatSetType(*A, s.type.c_str()));
  PetscCall(MatSetFromOptions(*A));
  PetscCall(MatSetUp(*A));
  for (PetscInt i = 0; i < 5; ++i) PetscCall(MatSetValue(*A, i, i, 2, INSERT_VALUES));
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode InitialInto(Subject &s, Mat from, const char *type)
{
  PetscFunctionBegin;
  PetscCall(MatConvert(from, type, MAT_INITIAL_MATRIX, &s.made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Reuse(Subject &s)
{
  Mat *B = &s.made;

  PetscFunctionBegin;
  PetscCall(MatDuplicate(s.A, MAT_COPY_VALUES, B));
  PetscCall(MatConvert(s.A, s.type.c_str(), MAT_REUSE_MATRIX, B));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Product(Subject &s, MatProductType type, Mat B)
{
  Mat *C = &s.made;

  PetscFunctionBegin;
  PetscCall(MatProductCreate(s.A, B, NULL, C));
  PetscCall(MatProductSetType(*C, type));
  PetscCall(MatProductSetFromOptions(*C));
  PetscCall(MatProductSymbolic(*C));
  PetscCall(MatProductNumeric(*C));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Submatrix(Subject &s)
{
  IS rows;

  PetscFunctionBegin;
  PetscCall(ISCreateStride(PETSC_COMM_SELF, kRows / 2, 0, 2, &rows));
  const PetscErrorCode ierr = MatCreateSubMatrix(s.A, rows, rows, MAT_INITIAL_MATRIX, &s.made);
  PetscCall(ISDestroy(&rows));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve(Subject &s)
{
  KSP ksp;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_SELF, &ksp));
  PetscCall(KSPSetType(ksp, KSPBICG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCNONE));
  PetscCall(KSPSetOperators(ksp, s.A, s.A));
  PetscCall(KSPSetTolerances(ksp, 1e-30, 1e-30, PETSC_DEFAULT, 3));
  const PetscErrorCode ierr = KSPSolve(ksp, s.x, s.y);
  PetscCall(KSPDestroy(&ksp));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Options(Subject &s)
{
  PetscInt           value, n;
  PetscReal          bytes;
  MatSpMVInfo        info;
  const char        *name, *why;
  const char *const *names;

  PetscFunctionBegin;
  if (s.type == MATSEQAIJ || s.type == MATMPIAIJ) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(MatSpMVGetInfo(s.A, &info));
  PetscCall(MatSpMVGetStatistic(s.A, "bytes", &bytes));
  PetscCall(PetscSpMVGetTargets(&n, &names));
  PetscCall(PetscSpMVGetTarget(&name, &why));
  PetscCall(MatSpMVSetEager(s.A, PETSC_TRUE));
  if (s.type == MATSEQAIJCSR5) {
    PetscCall(MatSpMVGetOption(s.A, "sigma", &value));
    PetscCall(MatSpMVSetOption(s.A, "sigma", 8));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

const Operation kOperations[] = {
  {"create", Create},
  {"product", Multiply},
  {"transposed product", MultiplyTransposed},
  {"first product", Multiply, false, NewPattern, Operation::Layout},
  {"first transposed product", MultiplyTransposed, false, NewPattern, Operation::LayoutOfFormat},
  {"first products", MultiplyOften, false, NewPattern, Operation::Layout},
  {"first transposed products", MultiplyTransposedOften, false, NewPattern, Operation::Layout},
  {"first A X", [](Subject &s) { return Product(s, MATPRODUCT_AB, s.dense); }, false, NewPattern, Operation::Layout},
  {"product with new values", Multiply, false, NewValues},
  {"transposed product with new values", MultiplyTransposed, false, NewValues},
  {"products with new values", MultiplyOften, false, NewValues},
  {"product with another option", SetAndMultiply},
  {"eager assembly", NewEntry, true, [](Subject &s) { return MatSpMVSetEager(s.A, PETSC_TRUE); }, Operation::LayoutOfFormat},
  {"sum", [](Subject &s) { return MatMultAdd(s.A, s.x, s.y, s.y); }},
  {"new values", [](Subject &s) { return NewValues(s); }, true},
  {"new entry", [](Subject &s) { return NewEntry(s); }, true},
  {"to aij", [](Subject &s) { return InitialInto(s, s.A, MATAIJ); }},
  {"to itself", [](Subject &s) { return InitialInto(s, s.A, s.type.c_str()); }, false, nullptr, Operation::Shadows},
  {"to csr5", [](Subject &s) { return InitialInto(s, s.A, MATCSR5); }},
  {"to sellcs", [](Subject &s) { return InitialInto(s, s.A, MATSELLCS); }},
  {"to dense", [](Subject &s) { return InitialInto(s, s.A, MATDENSE); }},
  {"to baij", [](Subject &s) { return InitialInto(s, s.A, MATBAIJ); }, true}, // PETSc dismantles a parallel matrix for that
  {"from aij", [](Subject &s) { return InitialInto(s, s.plain, s.type.c_str()); }},
  {"from dense", [](Subject &s) { return InitialInto(s, s.dense, s.type.c_str()); }},
  {"to aij in place", [](Subject &s) { return MatConvert(s.A, MATAIJ, MAT_INPLACE_MATRIX, &s.A); }},
  {"to csr5 in place", [](Subject &s) { return MatConvert(s.A, MATCSR5, MAT_INPLACE_MATRIX, &s.A); }},
  {"to sellcs in place", [](Subject &s) { return MatConvert(s.A, MATSELLCS, MAT_INPLACE_MATRIX, &s.A); }},
  {"to itself again", Reuse},
  {"sum of patterns", AddOtherPattern},
  {"coordinates", AssembleCoordinates},
  {"duplicate", [](Subject &s) { return MatDuplicate(s.A, MAT_COPY_VALUES, &s.made); }, false, nullptr, Operation::Shadows},
  {"duplicate the pattern", [](Subject &s) { return MatDuplicate(s.A, MAT_SHARE_NONZERO_PATTERN, &s.made); }},
  {"A X", [](Subject &s) { return Product(s, MATPRODUCT_AB, s.dense); }},
  {"A^T X", [](Subject &s) { return Product(s, MATPRODUCT_AtB, s.dense); }},
  {"A A", [](Subject &s) { return Product(s, MATPRODUCT_AB, s.A); }},
  {"A^T A", [](Subject &s) { return Product(s, MATPRODUCT_AtB, s.A); }},
  {"A^T A A", [](Subject &s) { return Product(s, MATPRODUCT_PtAP, s.A); }},
  {"transpose", [](Subject &s) { return MatTranspose(s.A, MAT_INITIAL_MATRIX, &s.made); }},
  {"submatrix", Submatrix},
  {"options", [](Subject &s) { return MatSetFromOptions(s.A); }},
  {"setters and getters", Options},
  {"view", [](Subject &s) { return View(s.A); }},
  {"solve", Solve},
  {"destroy", [](Subject &s) { return MatDestroy(&s.A); }},
};

/// The outcome of a fault.
enum Outcome {
  NotReached, // there is no such allocation
  Succeeded,  // despite the fault
  Error,      // the matrix multiplies after it, and the operation succeeds when memory is back
  Unusable,   // neither of these
  Crashed,
  Fails, // even without a fault
};
constexpr std::array<const char *, Fails + 1> kOutcomes{"not reached",     "succeeded",     "error, usable",
                                                        "error, unusable", "crash or hang", "fails by itself"};

Outcome Attempt(const TestMatrix &a, const Tried &tried, const Operation &operation, Memory memory, Failure failure, int n)
{
  Subject        s;
  PetscErrorCode ierr = Create(a, tried, s);
  bool           reached;
  if (ierr || (operation.prepare && operation.prepare(s))) return Fails;
  {
    const FailingMemory failing(memory, failure, n);
    ierr    = operation.run(s);
    reached = failing.HasFailed();
  }
  if (!reached) return ierr ? Fails : NotReached;
  const bool destroyed = s.A == nullptr; // which must not fail
  if (destroyed || !std::strcmp(operation.name, "destroy")) return ierr ? Unusable : Succeeded;
  if (MatDestroy(&s.made)) return Unusable;
  if (ierr && !operation.changes && !IsUsable(s)) return Unusable;
  if (ierr && operation.run(s)) return Unusable;
  if (!IsUsable(s)) return Unusable;
  return ierr ? Error : Succeeded;
}

/// Lets an operation's first allocation fail, its second, ... up to the first that is not reached or fails without a fault:
/// report(outcome) for each, until it returns false.
template <class Report>
void AttemptAll(const TestMatrix &a, const Tried &tried, const Operation &operation, Memory memory, Failure failure, int first,
                const Report &report)
{
  Outcome outcome = Succeeded;
  for (int n = first; outcome != NotReached && outcome != Fails; ++n) {
    outcome = Attempt(a, tried, operation, memory, failure, n);
    if (!report(outcome)) return;
  }
}

/// The same in a process of its own, with a new one after each outcome worse than an error.
template <class Report>
void AttemptAllApart(const TestMatrix &a, const Tried &tried, const Operation &operation, Memory memory, Failure failure,
                     const Report &report)
{
  constexpr unsigned kLongest = 5; // seconds per attempt
  bool               ended    = false;
  for (int first = 1; !ended;) {
    int  pipes[2], status = 0;
    char byte;
    bool worse = false;
    ASSERT_EQ(pipe(pipes), 0);
    std::fflush(nullptr);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (const int end : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE}) std::signal(end, SIG_DFL); // handlers would end all processes
      static_cast<void>(!std::freopen("/dev/null", "w", stderr));
      mallopt(M_PERTURB, 0x5a); // makes use after free or before initialization crash every time
      alarm(kLongest);
      AttemptAll(a, tried, operation, memory, failure, first, [&](Outcome outcome) {
        const char byte = static_cast<char>(outcome);
        alarm(kLongest);
        return write(pipes[1], &byte, 1) == 1 && outcome <= Error;
      });
      _exit(0);
    }
    close(pipes[1]);
    const auto add = [&](Outcome outcome) {
      ++first;
      worse = outcome > Error;
      ended = outcome == NotReached || outcome == Fails;
      report(outcome);
    };
    while (read(pipes[0], &byte, 1) == 1) add(static_cast<Outcome>(byte));
    close(pipes[0]);
    waitpid(child, &status, 0);
    if (!ended && !worse) add(Crashed);
  }
}

/// Faults by outcome, and the first that was worse than an error.
struct Tally {
  std::array<int, kOutcomes.size()> of{};
  std::string                       worst;

  int  All() const { return std::accumulate(of.begin(), of.end(), 0); }
  int  Worse() const { return All() - of[Succeeded] - of[Error]; }
  void Add(const Tally &other)
  {
    for (std::size_t k = 0; k < of.size(); ++k) of[k] += other.of[k];
  }
};

/// Whether to try failures that tests have no time for.
bool InFull()
{
  return std::getenv("PETSCSPMV_ALL_FAULTS");
}

/// Tries every allocation of an operation.
Tally TryAllocations(const TestMatrix &a, const Tried &tried, const Operation &operation, Memory memory)
{
  Tally tally;
  for (const Failure failure : {Failure::Once, Failure::FromThenOn}) {
    int        n      = 0;
    const auto report = [&](Outcome outcome) {
      ++n;
      if (outcome != NotReached) ++tally.of[outcome];
      if (outcome > Error && tally.worst.empty())
        tally.worst =
          "allocation " + std::to_string(n) + (failure == Failure::Once ? ": " : " and all after it: ") + kOutcomes[outcome];
      return true;
    };
    if (memory == Memory::Petsc)
      AttemptAllApart(a, tried, operation, memory, failure, report); // its errors may leave anything behind
    else AttemptAll(a, tried, operation, memory, failure, 1, report);
  }
  return tally;
}

void Print(const std::string &what, const Tally &tally)
{
  std::printf("%s: %d faults", what.c_str(), tally.All());
  for (std::size_t k = Succeeded; k < tally.of.size(); ++k) std::printf(", %d %s", tally.of[k], kOutcomes[k]);
  std::printf("\n");
}

/// What builds a layout takes memory, which shows that its allocations are reached; new shadows take no more than what they own.
void CheckAllocations(const Tried &tried, const Operation &operation, const Tally &tally, const std::string &name)
{
  constexpr int kOfShadow = 5; // itself, its options, those that were chosen, a copy while they are read, a chooser
  const int     shadows   = tried.type.starts_with("mpi") ? 3 : 1;
  if ((operation.builds == Operation::Layout && tried.UsesLayouts()) ||
      (operation.builds == Operation::LayoutOfFormat && !tried.Chooses())) {
    EXPECT_GT(tally.All(), 0) << name;
  }
  if (operation.builds == Operation::Shadows) {
    EXPECT_LE(tally.All(), 2 * kOfShadow * shadows) << name; // each fails in two ways
  }
}

/// All operations of some types.
void TryAll(const std::string &what, Memory memory, const std::vector<Tried> &types)
{
  const TestMatrix                                     a = Entries();
  Tally                                                all, all_of_others;
  std::map<std::string, Tally>                         by_operation; // of others
  std::map<std::pair<std::string, std::string>, Tally> of_others;    // by type and operation
  OK(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  for (const Tried &tried : types) {
    for (const Operation &operation : kOperations) {
      const std::string name  = tried.Name() + ", " + operation.name;
      const Tally       tally = TryAllocations(a, tried, operation, memory);
      Tally             allowed;
      if (!tried.other.empty()) {
        const auto [of_other, first] = of_others.try_emplace({tried.other, operation.name});
        if (first) of_other->second = TryAllocations(a, {.type = tried.other}, operation, memory);
        allowed = of_other->second;
      }
      EXPECT_LE(tally.of[Crashed], allowed.of[Crashed]) << name << ", " << tally.worst;
      EXPECT_LE(tally.Worse(), allowed.Worse()) << name << ", " << tally.worst;
      if (memory == Memory::Library) CheckAllocations(tried, operation, tally, name);
      if (InFull()) Print(name, tally);
      all.Add(tally);
      all_of_others.Add(allowed);
      by_operation[operation.name].Add(allowed);
    }
  }
  OK(PetscPopErrorHandler());
  Print(what, all);
  if (all_of_others.All() > 0) Print(what + ", aij", all_of_others);
  for (const auto &[operation, tally] : by_operation) {
    if (tally.Worse() > 0) Print(what + ", aij, " + operation, tally);
  }
}

// The first test: a process forked after threads were started lacks them and waits forever.
TEST(Faults, OfPetsc)
{
  std::vector<Tried> types;
  for (const std::string &alias : Types()) {
    if (alias != MATCSR5 && !InFull()) continue;
    const std::string root = FullName(alias).substr(3);
    types.push_back({.type = "seq" + root, .other = MATSEQAIJ});
    types.push_back({.type = "mpi" + root, .other = MATMPIAIJ});
  }
  WatchPetscMemory();
  TryAll("memory of PETSc", Memory::Petsc, types);
}

TEST(Faults, OfTheLibrary)
{
  std::vector<Tried> types;
  for (const std::string &alias : Types()) {
    for (const char *prefix : {"seq", "mpi"}) types.push_back({.type = prefix + FullName(alias).substr(3)});
  }
  for (const char *choose : {"csr5", "structure", "measured"}) {
    for (const char *type : {"seqaijspmv", "mpiaijspmv"}) types.push_back({.type = type, .choose = choose});
  }
  TryAll("memory of the library", Memory::Library, types);
}

/// The bytes of this process' address space.
rlim_t AddressSpace()
{
  std::size_t pages = 0;
  std::FILE  *f     = std::fopen("/proc/self/statm", "r");
  if (f && std::fscanf(f, "%zu", &pages) != 1) pages = 0;
  if (f) std::fclose(f);
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

/// While it lives, the process gets at most a megabyte more than it has.
class NoMoreMemory {
public:
  NoMoreMemory()
  {
    mallopt(M_MMAP_THRESHOLD, 128 * 1024); // return freed memory at once
    malloc_trim(0);
    getrlimit(RLIMIT_AS, &before_);
    const rlimit now{AddressSpace() + 1024 * 1024, before_.rlim_max};
    setrlimit(RLIMIT_AS, &now);
  }
  ~NoMoreMemory() { setrlimit(RLIMIT_AS, &before_); }
  NoMoreMemory(const NoMoreMemory &)            = delete;
  NoMoreMemory &operator=(const NoMoreMemory &) = delete;

private:
  rlimit before_;
};

/// A job's memory limit: a layout without memory is an error that names the bytes, or falls back to AIJ if the type promises it.
TEST(Faults, LimitedAddressSpace)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need the address space";
#endif
  const TestMatrix a = FromRowLengths("large", 40000, 40000, [](int) { return 30; });
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    OwnedMat A, plain;
    OwnedVec x, y, expected;
    OK(CreateMat(a, type.c_str(), Distribution::Even, &A));
    OK(CreateMat(a, MATAIJ, Distribution::Even, &plain));
    OK(MatCreateVecs(A, &x, &y));
    OK(VecDuplicate(y, &expected));
    OK(FillVec(x, 1));
    OK(MatMult(plain, x, expected));
    const auto check = [&] {
      PetscReal norm, of_difference;
      OK(VecNorm(expected, NORM_2, &norm));
      OK(VecAXPY(y, -1, expected));
      OK(VecNorm(y, NORM_2, &of_difference));
      EXPECT_LE(of_difference, 1e-12 * norm);
    };
    OK(MatSpMVSetChoice(A, "structure")); // for the type spmv
    {
      const NoMoreMemory limit;
      if (type == MATSPECULATIVE || type == MATIPCSR || type == MATSPMV) { // little more than AIJ needs, or AIJ
        for (int product = 0; product < 50; ++product) OK(MatMult(A, x, y));
        check();
      } else {
        FAILS_WITH(" bytes of memory, the limit of the process being ", MatMult(A, x, y));
      }
    }
    OK(MatMult(A, x, y));
    check();
  }
}

} // namespace

} // namespace petscspmv::test
