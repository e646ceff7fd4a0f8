// Newton's method and implicit time steps: the Jacobian is assembled repeatedly with one pattern, for which its layout may be
// refreshed but not rebuilt.
#include "lifecycle/lifecycle.hpp"

#include <petscts.h>

namespace petscspmv::test {

namespace {

constexpr int kSize = 90;

/// L u + u^3 = b, componentwise cubes, or the flow u' + L u + u^3 = b towards it.
struct Problem {
  const TestMatrix l = Banded(kSize, kSize, 9);
  OwnedMat         L, J; // J = shift + L + 3 u^2 is of the type under test
  OwnedVec         u, b, cube;
  PetscInt         jacobians = 0;

  PetscErrorCode Create(const std::string &type)
  {
    PetscFunctionBegin;
    PetscCall(CreateMat(l, MATAIJ, Distribution::Even, &L));
    PetscCall(CreateMat(l, type.c_str(), Distribution::Even, &J));
    PetscCall(MatCreateVecs(L, &u, &b));
    PetscCall(VecDuplicate(b, &cube));
    PetscCall(FillVec(b, 7));
    PetscCall(VecScale(b, 20)); // several steps of Newton's method
    PetscCall(VecSet(u, 0));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
};

PetscErrorCode SetResidual(Problem &problem, Vec u, Vec f)
{
  PetscFunctionBegin;
  PetscCall(VecPointwiseMult(problem.cube, u, u));
  PetscCall(VecPointwiseMult(problem.cube, problem.cube, u));
  PetscCall(MatMult(problem.L, u, f));
  PetscCall(VecAXPY(f, 1, problem.cube));
  PetscCall(VecAXPY(f, -1, problem.b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetJacobian(Problem &problem, Vec u, PetscReal shift, Mat J)
{
  const PetscScalar *values;

  PetscFunctionBegin;
  const auto [begin, end] = OwnRows(kSize);
  PetscCall(Insert(J, problem.l, begin, end));
  PetscCall(VecGetArrayRead(u, &values));
  for (PetscInt row = begin; row < end; ++row) {
    const PetscScalar value = values[row - begin];
    PetscCall(MatSetValue(J, row, row, shift + PetscScalar(3) * value * value, ADD_VALUES));
  }
  PetscCall(VecRestoreArrayRead(u, &values));
  PetscCall(Assemble(J));
  ++problem.jacobians;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves to rounding, so that only a Jacobian's products may differ between types.
PetscErrorCode Configure(SNES snes)
{
  KSP ksp;
  PC  pc;

  PetscFunctionBegin;
  PetscCall(SNESSetTolerances(snes, 1e-12, 1e-12, 0, 50, 1000));
  PetscCall(SNESSetErrorIfNotConverged(snes, PETSC_TRUE));
  PetscCall(SNESGetKSP(snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPGMRES));
  PetscCall(KSPSetTolerances(ksp, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, 200));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SteadyResidual(SNES, Vec u, Vec f, void *problem)
{
  return SetResidual(*static_cast<Problem *>(problem), u, f);
}

PetscErrorCode SteadyJacobian(SNES, Vec u, Mat J, Mat, void *problem)
{
  return SetJacobian(*static_cast<Problem *>(problem), u, 0, J);
}

PetscErrorCode Solve(Problem &problem)
{
  SNES snes;

  PetscFunctionBegin;
  PetscCall(SNESCreate(PETSC_COMM_WORLD, &snes));
  PetscCall(SNESSetFunction(snes, NULL, SteadyResidual, &problem));
  PetscCall(SNESSetJacobian(snes, problem.J, problem.J, SteadyJacobian, &problem));
  PetscCall(Configure(snes));
  PetscCall(SNESSolve(snes, NULL, problem.u));
  PetscCall(SNESDestroy(&snes));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowResidual(TS, PetscReal, Vec u, Vec u_t, Vec f, void *problem)
{
  PetscFunctionBegin;
  PetscCall(SetResidual(*static_cast<Problem *>(problem), u, f));
  PetscCall(VecAXPY(f, 1, u_t));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FlowJacobian(TS, PetscReal, Vec u, Vec, PetscReal shift, Mat J, Mat, void *problem)
{
  return SetJacobian(*static_cast<Problem *>(problem), u, shift, J);
}

PetscErrorCode Integrate(Problem &problem)
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

void Check(PetscErrorCode (*solve)(Problem &), PetscInt least_jacobians)
{
  Problem   plain;
  PetscReal norm, difference;
  OK(plain.Create(MATAIJ));
  OK(solve(plain));
  OK(VecNorm(plain.u, NORM_2, &norm));
  ASSERT_GE(plain.jacobians, least_jacobians);
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    Problem     problem;
    MatSpMVInfo info;
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
