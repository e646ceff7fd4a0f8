// main() of the tests that use PETSc. All processes run the same tests; every expectation concerns something reduced over all
// processes or gathered at the end, and the first process prints.
#include "support/petsc_test.hpp"

#include <algorithm>
#include <cfenv>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <string_view>

#if defined(__SANITIZE_ADDRESS__) // gcc's address sanitizer
  #include <sanitizer/lsan_interface.h>
#endif

static char help[] = "Tests of PetscSpMV.\n";

/// PETSc's own handler ends the other processes after sleeping for ten seconds.
static PetscErrorCode PrintAndReturn(MPI_Comm, int line, const char *function, const char *file, PetscErrorCode code,
                                     PetscErrorType type, const char *message, void *)
{
  if (type == PETSC_ERROR_INITIAL)
    std::fprintf(stderr, "error %d at %s:%d %s(): %s\n", static_cast<int>(code), file, line, function, message ? message : "");
  else std::fprintf(stderr, "  from %s:%d %s()\n", file, line, function);
  return code;
}

/// Whether there are as many processes as the test is for: the mpiexec of another MPI starts programs of one process each, which
/// would pass without communicating.
static bool HasItsProcesses()
{
  const char *wanted = std::getenv("PETSCSPMV_TEST_PROCESSES");
  const int   found  = petscspmv::test::Processes();
  if (!wanted || std::atoi(wanted) == found) return true;
  std::fprintf(stderr, "error: this test is for %s processes, and PETSC_COMM_WORLD has %d: is mpiexec of another MPI than PETSc?\n",
               wanted, found);
  return false;
}

/// Whether exceptions are to be trapped and never are by this processor, as by many for ARM: PetscInitialize() fails there.
static bool CannotTrap([[maybe_unused]] int argc, [[maybe_unused]] char **argv)
{
#if defined(__GLIBC__)
  if (std::find(argv, argv + argc, std::string_view("-fp_trap")) == argv + argc) return false;
  const bool cannot = feenableexcept(FE_DIVBYZERO) == -1;
  fedisableexcept(FE_DIVBYZERO);
  return cannot;
#else
  return false;
#endif
}

int main(int argc, char **argv)
{
  if (CannotTrap(argc, argv)) {
    std::fprintf(stderr, "this processor traps no floating-point exceptions\n");
    return 77; // skipped
  }
  ::testing::InitGoogleTest(&argc, argv);
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  if (!HasItsProcesses()) return 1;
  PetscCall(PetscSpMVRegisterAll());
  PetscCall(PetscPushErrorHandler(PrintAndReturn, NULL));
  int rank, failed, anywhere;
  PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, &rank));
  if (rank != 0) { // the other processes report failures only
    auto &listeners = ::testing::UnitTest::GetInstance()->listeners();
    class Failures : public ::testing::EmptyTestEventListener {
      void OnTestPartResult(const ::testing::TestPartResult &result) override
      {
        if (result.failed())
          std::fprintf(stderr, "another process: %s:%d: %s\n", result.file_name(), result.line_number(), result.message());
      }
    };
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Failures);
  }
  failed = RUN_ALL_TESTS();
  PetscCallMPI(MPI_Allreduce(&failed, &anywhere, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD));
  PetscCall(PetscPopErrorHandler());
#if defined(__SANITIZE_ADDRESS__)
  __lsan_do_leak_check(); // not at the end: then MPI's modules are unloaded, and stacks through them have no names
#endif
  PetscCall(PetscFinalize());
  return anywhere;
}
