// A long run of a nonlinear solver, with PETSc's -malloc_debug: the second half takes no memory, and leaves none of PETSc's that is
// not freed. PETSCSPMV_NONLINEAR_SECONDS: how long each type is tested, in place of a number of solves.
#include "lifecycle/nonlinear.hpp"
#include "memory/flat.hpp"

#include <chrono>
#include <cstdlib>

namespace petscspmv::test {

namespace {

TEST(Memory, StaysFlatInNonlinearSolves)
{
  using Clock          = std::chrono::steady_clock;
  const char  *seconds = std::getenv("PETSCSPMV_NONLINEAR_SECONDS");
  const double half    = seconds ? std::atof(seconds) / 2 : 0;
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    NonlinearProblem problem;
    PetscInt         solves = 0;
    PetscLogDouble   used[2]; // after each half
    OK(problem.Create(type));
    ExpectFlat([&](bool second, const auto &) {
      const auto begin = Clock::now();
      PetscInt   k     = 0;
      for (; seconds ? std::chrono::duration<double>(Clock::now() - begin).count() < half : k < 10; ++k) {
        OK(VecSet(problem.u, 0));
        OK(Solve(problem));
      }
      solves += k;
      OK(PetscMallocGetCurrentUsage(&used[second]));
    });
    ASSERT_GT(used[0], 0) << "PETSc counts memory only with -malloc_debug";
    EXPECT_EQ(used[0], used[1]);
    if (!seconds) continue;
    std::printf("%s: %lld solves, %lld Jacobians\n", type.c_str(), static_cast<long long>(solves),
                static_cast<long long>(problem.jacobians));
    std::fflush(stdout);
  }
}

} // namespace

} // namespace petscspmv::test
