// Allocation failures: in every operation of every type, every allocation fails once, alone or with all later ones. Either the
// operation still succeeds, or it ends in an error and succeeds when memory is back; the matrix multiplies in between. Where
// PETSc's own allocations fail this is not true of aij either, and ours is no worse. With several processes, whose parts of the
// matrix are alike, the same allocation fails in all of them. PETSCSPMV_ALL_FAULTS=1: more types, with a line printed for each.
#include "faults/failing_memory.hpp"
#include "faults/operations.hpp"

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <map>
#include <numeric>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace petscspmv::test {

namespace {

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

/// Whether something holds in some processes and in others not, which then may wait for each other forever.
bool Differs(bool holds)
{
  const int number = holds;
  int       sum;
  MPI_Allreduce(&number, &sum, 1, MPI_INT, MPI_SUM, PETSC_COMM_WORLD);
  return sum != 0 && sum != Processes();
}

Outcome Attempt(const Tried &tried, const Operation &operation, Memory memory, Failure failure, int n)
{
  Subject        s;
  PetscErrorCode ierr = Create(tried, s);
  bool           reached;
  if (ierr || (operation.prepare && operation.prepare(s))) return Fails;
  {
    const FailingMemory failing(memory, failure, n);
    ierr    = operation.run(s);
    reached = failing.HasFailed();
  }
  if (Differs(reached) || Differs(ierr != 0)) return Unusable;
  if (!reached) return ierr || s.lost_options ? Fails : NotReached;
  const bool destroyed = s.A == nullptr; // which must not fail
  if (destroyed || !std::strcmp(operation.name, "destroy")) return ierr ? Unusable : Succeeded;
  if (MatDestroy(&s.made)) return Unusable;
  if (ierr && !operation.changes && !IsUsable(s)) return Unusable;
  if (ierr && operation.run(s)) return Unusable;
  if (!IsUsable(s) || s.lost_options) return Unusable;
  return ierr ? Error : Succeeded;
}

/// Lets an operation's first allocation fail, its second, ... up to the first that is not reached or fails without a fault:
/// report(outcome) for each, until it returns false.
template <class Report>
void AttemptAll(const Tried &tried, const Operation &operation, Memory memory, Failure failure, int first, const Report &report)
{
  Outcome outcome = Succeeded;
  for (int n = first; outcome != NotReached && outcome != Fails; ++n) {
    outcome = Attempt(tried, operation, memory, failure, n);
    if (!report(outcome)) return;
  }
}

/// The same in a process of its own, with a new one after each outcome worse than an error.
template <class Report>
void AttemptAllApart(const Tried &tried, const Operation &operation, Memory memory, Failure failure, const Report &report)
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
      AttemptAll(tried, operation, memory, failure, first, [&](Outcome outcome) {
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
Tally TryAllocations(const Tried &tried, const Operation &operation, Memory memory)
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
    if (memory == Memory::Petsc) AttemptAllApart(tried, operation, memory, failure, report); // its errors may leave anything behind
    else AttemptAll(tried, operation, memory, failure, 1, report);
  }
  return tally;
}

void Print(const std::string &what, const Tally &tally)
{
  if (Rank() > 0) return;
  std::printf("%s: %d faults", what.c_str(), tally.All());
  for (std::size_t k = Succeeded; k < tally.of.size(); ++k) std::printf(", %d %s", tally.of[k], kOutcomes[k]);
  std::printf("\n");
}

/// What builds a layout takes memory, which shows that its allocations are reached; new shadows take no more than what they own.
void CheckAllocations(const Tried &tried, const Operation &operation, const Tally &tally, const std::string &name)
{
  constexpr int kOfShadow = 5; // itself, what lasts of it, its options, those that were chosen, a chooser
  const int     shadows   = tried.type.starts_with("mpi") ? 3 : 1;
  if ((operation.allocates == Allocates::Layout && tried.UsesLayouts()) ||
      (operation.allocates >= Allocates::LayoutOfFormat && operation.allocates <= Allocates::OptionalLayoutOfFormat &&
       !tried.Chooses())) {
    EXPECT_GT(tally.All(), 0) << name;
  }
  if (operation.allocates == Allocates::OptionalLayoutOfFormat || (operation.allocates == Allocates::Layout && tried.Measures())) {
    EXPECT_EQ(tally.of[Succeeded], tally.All()) << name;
  }
  if (operation.allocates == Allocates::Shadows) {
    EXPECT_LE(tally.All(), 2 * kOfShadow * shadows) << name; // each fails in two ways
  }
}

/// All operations of some types.
void TryAll(const std::string &what, Memory memory, const std::vector<Tried> &types)
{
  Tally                                                all, all_of_others;
  std::map<std::string, Tally>                         by_operation; // of others
  std::map<std::pair<std::string, std::string>, Tally> of_others;    // by type and operation
  OK(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  std::vector<Operation> operations;
  for (const auto &some : {ProductOperations(), MatrixOperations()}) operations.insert(operations.end(), some.begin(), some.end());
  for (const Tried &tried : types) {
    for (const Operation &operation : operations) {
      const std::string name  = tried.Name() + ", " + operation.name;
      const Tally       tally = TryAllocations(tried, operation, memory);
      Tally             allowed;
      if (!tried.other.empty()) {
        const auto [of_other, first] = of_others.try_emplace({tried.other, operation.name});
        if (first) {
          of_other->second = TryAllocations({.type = tried.other}, operation, memory);
          all_of_others.Add(of_other->second);
          by_operation[operation.name].Add(of_other->second);
        }
        allowed = of_other->second;
      }
      EXPECT_LE(tally.of[Crashed], allowed.of[Crashed]) << name << ", " << tally.worst;
      EXPECT_LE(tally.Worse(), allowed.Worse()) << name << ", " << tally.worst;
      if (memory == Memory::Library) CheckAllocations(tried, operation, tally, name);
      if (InFull()) Print(name, tally);
      all.Add(tally);
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
  if (Processes() > 1) GTEST_SKIP() << "a fork cannot communicate";
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
  const bool         parallel = Processes() > 1;
  for (const char *prefix : {"seq", "mpi"}) {
    if (parallel && std::string(prefix) == "seq") continue;
    const auto add = [&](const std::string &alias, const char *choose = nullptr) {
      types.push_back({.type = prefix + FullName(alias).substr(3), .choose = choose});
    };
    for (const std::string &alias : Types()) add(alias);
    for (const char *choose : {"csr5", "structure"}) add(MATSPMV, choose);
    if (!parallel) add(MATSPMV, "measured"); // times decide which allocations there are, in each process
  }
  const std::string processes = parallel ? ", " + std::to_string(Processes()) + " processes" : "";
  TryAll("memory of the library" + processes, Memory::Library, types);
}

} // namespace

} // namespace petscspmv::test
