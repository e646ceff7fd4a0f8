// Solves whose vectors stay on the GPU: no product copies one to the host or back.
#include "lifecycle/lifecycle.hpp"

#include <petsclog.h>

namespace petscspmv::test {

namespace {

/// PETSc's counters so far: bytes of arrays (not of single numbers) copied to or from the device, and flops on the device.
struct Traffic {
  PetscLogDouble to_device = petsc_ctog_sz, to_host = petsc_gtoc_sz, flops = petsc_gflops;
};

/// The 5-point Laplacian on an n x n grid.
PetscErrorCode CreateLaplacian(PetscInt n, const std::string &type, Mat *A)
{
  PetscInt begin, end;

  PetscFunctionBegin;
  PetscCall(MatCreate(PETSC_COMM_WORLD, A));
  PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n * n, n * n));
  PetscCall(MatSetType(*A, type.c_str()));
  PetscCall(MatSetUp(*A));
  PetscCall(MatGetOwnershipRange(*A, &begin, &end));
  for (PetscInt row = begin; row < end; ++row) {
    const PetscInt i = row / n, j = row % n;
    PetscCall(MatSetValue(*A, row, row, 4, INSERT_VALUES));
    if (i > 0) PetscCall(MatSetValue(*A, row, row - n, -1, INSERT_VALUES));
    if (i < n - 1) PetscCall(MatSetValue(*A, row, row + n, -1, INSERT_VALUES));
    if (j > 0) PetscCall(MatSetValue(*A, row, row - 1, -1, INSERT_VALUES));
    if (j < n - 1) PetscCall(MatSetValue(*A, row, row + 1, -1, INSERT_VALUES));
  }
  PetscCall(Assemble(*A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves A x = b for b = 1 with 50 steps of CG, twice, and reports the traffic of the second solve.
PetscErrorCode Solve(Mat A, Vec x, Traffic *moved)
{
  KSP      ksp;
  OwnedVec b;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, 1e-30, 1e-30, PETSC_DEFAULT, 50));
  PC pc;
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSolve(ksp, b, x)); // builds layouts and allocates vectors on the device
  const Traffic before;
  PetscCall(KSPSolve(ksp, b, x));
  const Traffic after;
  *moved = {after.to_device - before.to_device, after.to_host - before.to_host, after.flops - before.flops};
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

TEST(Bus, SolvesMoveNoVectors)
{
  constexpr PetscInt n = 300;
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    OwnedMat A, R;
    OwnedVec x, y, difference;
    Traffic  moved, of_host;
    VecType  name;
    OK(CreateLaplacian(n, type, &A));
    OK(CreateLaplacian(n, "aij", &R));
    OK(MatCreateVecs(A, &x, NULL));
    OK(MatCreateVecs(R, &y, NULL));
    OK(VecGetType(x, &name));
    if (std::string(name).find("cuda") == std::string::npos && std::string(name).find("kokkos") == std::string::npos &&
        std::string(name).find("hip") == std::string::npos)
      GTEST_SKIP() << "-vec_type is not that of a device";
    OK(Solve(A, x, &moved));
    OK(Solve(R, y, &of_host));
    // A process has at most two ghost lines: they may pass through the host if MPI is not device-aware.
    const double ghosts = Processes() > 1 ? 51 * 2.0 * n * sizeof(PetscScalar) : 0;
    EXPECT_LE(moved.to_device, ghosts);
    EXPECT_LE(moved.to_host, ghosts);
    EXPECT_GT(moved.flops, 50 * 2.0 * 4 * n * n / Processes()) << "products were not on the device";
    const PetscScalar *computed, *expected;
    PetscInt           rows;
    OK(VecGetLocalSize(x, &rows));
    OK(VecGetArrayRead(x, &computed));
    OK(VecGetArrayRead(y, &expected));
    for (PetscInt row = 0; row < rows; ++row)
      ASSERT_LE(PetscAbsScalar(computed[row] - expected[row]), 1e-8 * PetscAbsScalar(expected[row])) << "row " << row;
    OK(VecRestoreArrayRead(x, &computed));
    OK(VecRestoreArrayRead(y, &expected));
  }
}

} // namespace

} // namespace petscspmv::test
