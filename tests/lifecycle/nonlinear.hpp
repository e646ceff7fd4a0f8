// A system of nonlinear equations, solved by Newton's method with a Jacobian of a type under test: it is assembled again and again
// with one pattern.
#pragma once

#include "lifecycle/lifecycle.hpp"

#include <petscsnes.h>

namespace petscspmv::test {

constexpr int kNonlinearSize = 90;

/// L u + u^3 = b with componentwise cubes.
struct NonlinearProblem {
  const TestMatrix l = Banded(kNonlinearSize, kNonlinearSize, 9);
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

inline PetscErrorCode SetResidual(NonlinearProblem &problem, Vec u, Vec f)
{
  PetscFunctionBegin;
  PetscCall(VecPointwiseMult(problem.cube, u, u));
  PetscCall(VecPointwiseMult(problem.cube, problem.cube, u));
  PetscCall(MatMult(problem.L, u, f));
  PetscCall(VecAXPY(f, 1, problem.cube));
  PetscCall(VecAXPY(f, -1, problem.b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

inline PetscErrorCode SetJacobian(NonlinearProblem &problem, Vec u, PetscReal shift, Mat J)
{
  const PetscScalar *values;

  PetscFunctionBegin;
  const auto [begin, end] = OwnRows(kNonlinearSize);
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
inline PetscErrorCode Configure(SNES snes)
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

inline PetscErrorCode SteadyResidual(SNES, Vec u, Vec f, void *problem)
{
  return SetResidual(*static_cast<NonlinearProblem *>(problem), u, f);
}

inline PetscErrorCode SteadyJacobian(SNES, Vec u, Mat J, Mat, void *problem)
{
  return SetJacobian(*static_cast<NonlinearProblem *>(problem), u, 0, J);
}

inline PetscErrorCode Solve(NonlinearProblem &problem)
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

} // namespace petscspmv::test
