// Newton's method and implicit time steps: the Jacobian is assembled repeatedly with one pattern, for which its layout may be
// refreshed but not rebuilt.
#include "lifecycle/nonlinear.hpp"

#include <petscts.h>

namespace petscspmv::test {

namespace {

/// The flow u' + L u + u^3 = b towards the solution.
PetscErrorCode FlowResidual(TS, PetscReal, Vec u, Vec u_t, Vec f, void *problem)
{
  PetscFunctionBegin;
  PetscCall(SetResidual(*static_cast<NonlinearProblem *>(problem), u, f));
  PetscCall(VecAXPY(f, 1, u_t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowJacobian(TS, PetscReal, Vec u, Vec, PetscReal shift, Mat J, Mat, void *problem)
{
  return SetJacobian(*static_cast<NonlinearProblem *>(problem), u, shift, J);
}

PetscErrorCode Integrate(NonlinearProblem &problem)
{
  TS      ts;
  TSAdapt adapt;
  SNES    snes;

  PetscFunctionBegin;
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetType(ts, TSCN));
  PetscCall(TSSetIFunction(ts, NULL, FlowResidual, &problem));
  PetscCall(TSSetIJacobian(ts, problem.J, problem.J, FlowJacobian, &problem));
  PetscCall(TSSetTimeStep(ts, 0.05));
  PetscCall(TSSetMaxSteps(ts, 5));
  PetscCall(TSSetMaxTime(ts, 1));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER));
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  PetscCall(TSGetSNES(ts, &snes));
  PetscCall(Configure(snes));
  PetscCall(TSSolve(ts, problem.u));
  PetscCall(TSDestroy(&ts));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Check(PetscErrorCode (*solve)(NonlinearProblem &), PetscInt least_jacobians)
{
  NonlinearProblem plain;
  PetscReal        norm, difference;
  OK(plain.Create(MATAIJ));
  OK(solve(plain));
  OK(VecNorm(plain.u, NORM_2, &norm));
  ASSERT_GE(plain.jacobians, least_jacobians);
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    NonlinearProblem problem;
    MatSpMVInfo      info;
    OK(problem.Create(type));
    OK(solve(problem));
    OK(VecAXPY(problem.u, -1, plain.u));
    OK(VecNorm(problem.u, NORM_2, &difference));
    EXPECT_LE(difference, 1e-10 * norm); // residuals of 1e-12 and condition numbers below 100
    EXPECT_EQ(problem.jacobians, plain.jacobians);
    const PetscInt64 blocks = Processes() > 1 ? 2 : 1;
    OK(MatSpMVGetInfo(problem.J, &info));
    EXPECT_EQ(info.builds, blocks);
    EXPECT_EQ(info.refreshes, blocks * (problem.jacobians - 1));
    EXPECT_GE(info.mult, problem.jacobians);
  }
}

TEST(LifecycleNonlinear, NewtonSteps)
{
  Check(Solve, 4);
}

TEST(LifecycleNonlinear, TimeSteps)
{
  Check(Integrate, 10);
}

} // namespace

} // namespace petscspmv::test
