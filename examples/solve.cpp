// Solves linear systems with KSP, once with each of several matrix types, and compares the results.
#include "petscspmv.h"

static char help[] = "Solves linear systems with each of several matrix types and compares them.\n"
                     "  -f <file>      : the matrix, Matrix Market (.mtx, .mtx.gz) or PETSc binary; without it two are made\n"
                     "  -types <list>  : matrix types, the first is the one to compare with (default aij," PETSCSPMV_TYPES ")\n"
                     "  -n <n>         : side of the grid of the Poisson problem (default 64)\n"
                     "  -nodes <n>     : nodes of the network (default 200000)\n"
                     "  -rounds <n>    : rounds of timing (default 9)\n";

#include "matio/generate.hpp"
#include "matio/load.hpp"
#include "petsc/success.hpp"

#include <algorithm>
#include <new>
#include <petscksp.h>
#include <string>
#include <vector>

namespace {

struct Result {
  std::string         type, solver;
  Mat                 A = nullptr;
  KSPConvergedReason  reason{};
  PetscInt            iterations = 0;
  PetscReal           residual   = 0; // ||b - A x|| / ||b|| with the first type's A
  std::vector<double> seconds;        // per product, one for each round
};

double Median(std::vector<double> v)
{
  std::sort(v.begin(), v.end());
  return v.size() % 2 ? v[v.size() / 2] : 0.5 * (v[v.size() / 2 - 1] + v[v.size() / 2]);
}

/// Chooses CG if A is symmetric with a positive diagonal, otherwise GMRES; Jacobi unless the diagonal has zeros.
PetscErrorCode ChooseSolver(Mat A, KSPType *ksp, PCType *pc)
{
  PetscBool set, symmetric;
  Vec       diagonal;
  PetscInt  rows, cols;
  PetscReal least = 0, least_modulus = 0;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, &cols));
  PetscCheck(rows == cols, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_SIZ,
             "A linear system needs a square matrix, this one is %" PetscInt_FMT " x %" PetscInt_FMT, rows, cols);
  PetscCall(MatIsSymmetricKnown(A, &set, &symmetric));
  PetscCall(MatCreateVecs(A, &diagonal, NULL));
  PetscCall(MatGetDiagonal(A, diagonal));
  if (rows > 0) PetscCall(VecMin(diagonal, NULL, &least));
  PetscCall(VecAbs(diagonal));
  if (rows > 0) PetscCall(VecMin(diagonal, NULL, &least_modulus));
  PetscCall(VecDestroy(&diagonal));
  *ksp = set && symmetric && least > 0 && !PetscDefined(USE_COMPLEX) ? KSPCG : KSPGMRES;
  *pc  = least_modulus > 0 ? PCJACOBI : PCNONE;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Solve(Mat reference, KSPType ksp_type, PCType pc_type, Vec b, Result &result)
{
  KSP       ksp;
  PC        pc;
  Vec       x, r;
  PetscReal norm;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &x));
  PetscCall(VecDuplicate(b, &r));
  PetscCall(KSPCreate(PetscObjectComm((PetscObject)b), &ksp));
  PetscCall(KSPSetOperators(ksp, result.A, result.A));
  PetscCall(KSPSetType(ksp, ksp_type));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, pc_type));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetIterationNumber(ksp, &result.iterations));
  PetscCall(KSPGetConvergedReason(ksp, &result.reason));
  PetscCall(KSPGetType(ksp, &ksp_type));
  PetscCall(PCGetType(pc, &pc_type));
  result.solver = std::string(ksp_type) + " + " + pc_type;
  PetscCall(MatMult(reference, x, r));
  PetscCall(VecAYPX(r, -1.0, b));
  PetscCall(VecNorm(r, NORM_2, &result.residual));
  PetscCall(VecNorm(b, NORM_2, &norm));
  if (norm > 0) result.residual /= norm;
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&r));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Times products of all types in turn, so that disturbances affect all equally.
PetscErrorCode TimeProducts(Vec b, PetscInt rounds, std::vector<Result> &results)
{
  const MPI_Comm comm = PetscObjectComm((PetscObject)b);
  Vec            y;
  int            products = 1;

  PetscFunctionBegin;
  PetscCall(VecDuplicate(b, &y));
  const auto time = [&](Mat A, int n, double *seconds) -> PetscErrorCode {
    PetscFunctionBegin;
    PetscCallMPI(MPI_Barrier(comm));
    const double start = MPI_Wtime();
    for (int k = 0; k < n; ++k) PetscCall(MatMult(A, b, y));
    *seconds = MPI_Wtime() - start;
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, seconds, 1, MPI_DOUBLE, MPI_MAX, comm));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  for (double seconds = 0; seconds < 0.02 && products < 1000000; products *= 2) PetscCall(time(results[0].A, products, &seconds));
  for (PetscInt round = -1; round < rounds; ++round) { // the first is a warm-up
    for (Result &result : results) {
      double seconds;
      PetscCall(time(result.A, products, &seconds));
      if (round >= 0) result.seconds.push_back(seconds / products);
    }
  }
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Print(MPI_Comm comm, const char *title, Mat A, const std::vector<Result> &results)
{
  PetscInt    rows;
  MatInfo     info;
  PetscMPIInt size;

  PetscFunctionBegin;
  PetscCall(MatGetSize(A, &rows, NULL));
  PetscCall(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  PetscCallMPI(MPI_Comm_size(comm, &size));
  PetscCall(PetscPrintf(comm, "\n%s\n%" PetscInt_FMT " rows, %.0f nonzeros, %s, %s\n", title, rows, info.nz_used,
                        size == 1 ? "1 process" : (std::to_string(size) + " processes").c_str(), results[0].solver.c_str()));
  PetscCall(PetscPrintf(comm, "  %-12s %10s  %13s  %12s  %10s  %s\n", "type", "iterations", "true residual", "us/product",
                        "(min..max)", "speed-up over first"));
  for (const Result &r : results) {
    const auto [least, most] = std::minmax_element(r.seconds.begin(), r.seconds.end());
    PetscCall(PetscPrintf(comm, "  %-12s %10" PetscInt_FMT "  %13.2e  %12.1f  (%.1f..%.1f)  %.2f%s%s\n", r.type.c_str(),
                          r.iterations, static_cast<double>(r.residual), 1e6 * Median(r.seconds), 1e6 * *least, 1e6 * *most,
                          Median(results[0].seconds) / Median(r.seconds), r.reason < 0 ? "  did not converge: " : "",
                          r.reason < 0 ? KSPConvergedReasons[r.reason] : ""));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves A x = b, where b is A times a random vector, with every type. Destroys A.
PetscErrorCode Compare(const char *title, const std::vector<std::string> &types, PetscInt rounds, Mat A)
{
  const MPI_Comm      comm = PetscObjectComm((PetscObject)A);
  std::vector<Result> results;
  KSPType             ksp = nullptr;
  PCType              pc  = nullptr;
  Vec                 u, b;
  PetscRandom         random;
  MatNullSpace        null_space;

  PetscFunctionBegin;
  PetscCall(ChooseSolver(A, &ksp, &pc));
  PetscCall(PetscRandomCreate(comm, &random));
  PetscCall(PetscRandomSetFromOptions(random));
  PetscCall(MatCreateVecs(A, &u, &b));
  PetscCall(VecSetRandom(u, random));
  PetscCall(MatMult(A, u, b));
  PetscCall(MatGetNullSpace(A, &null_space));
  for (const std::string &type : types) {
    Result result;
    result.type = type;
    PetscCall(MatConvert(A, type.c_str(), MAT_INITIAL_MATRIX, &result.A));
    PetscCall(MatSetNullSpace(result.A, null_space));
    PetscCall(Solve(A, ksp, pc, b, result));
    results.push_back(std::move(result));
  }
  PetscCall(TimeProducts(b, rounds, results));
  PetscCall(Print(comm, title, A, results));
  for (Result &result : results) PetscCall(MatDestroy(&result.A));
  PetscCall(PetscRandomDestroy(&random));
  PetscCall(VecDestroy(&u));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Run()
{
  char      file[PETSC_MAX_PATH_LEN], list[1024] = "aij," PETSCSPMV_TYPES, **names;
  PetscBool from_file;
  PetscInt  n = 64, nodes = 200000, rounds = 9;
  int       count;
  Mat       A;

  PetscFunctionBegin;
  // Otherwise the blocks of a parallel aij matrix would have this type, and be what every type is compared with.
  PetscCall(PetscOptionsClearValue(NULL, "-mat_seqaij_type"));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-f", file, sizeof(file), &from_file));
  PetscCall(PetscOptionsGetString(NULL, NULL, "-types", list, sizeof(list), NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-n", &n, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-nodes", &nodes, NULL));
  PetscCall(PetscOptionsGetInt(NULL, NULL, "-rounds", &rounds, NULL));
  PetscCheck(rounds > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-rounds is %" PetscInt_FMT ", must be 1 or more", rounds);
  PetscCall(PetscStrToArray(list, ',', &count, &names));
  const std::vector<std::string> types(names, names + count);
  PetscCall(PetscStrToArrayDestroy(count, names));
  PetscCheck(count > 0, PETSC_COMM_WORLD, PETSC_ERR_ARG_OUTOFRANGE, "-types names no type");
  if (from_file) {
    PetscCall(petscspmv::matio::CreateMatFromFile(PETSC_COMM_WORLD, file, &A));
    PetscCall(Compare(file, types, rounds, A));
  } else {
    PetscCall(petscspmv::matio::CreatePoisson3D(PETSC_COMM_WORLD, n, &A));
    PetscCall(Compare("3-D Poisson problem with jumping coefficients", types, rounds, A));
    PetscCall(petscspmv::matio::CreateNetworkLaplacian(PETSC_COMM_WORLD, nodes, 4, &A));
    PetscCall(Compare("Laplacian of a power-law network with hubs", types, rounds, A));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

int main(int argc, char **argv)
try {
  PetscFunctionBeginUser;
  PetscCall(PetscInitialize(&argc, &argv, NULL, help));
  PetscCheck(argc < 2 || argv[1][0] == '-', PETSC_COMM_WORLD, PETSC_ERR_USER_INPUT, "A matrix is given by -f %s", argv[1]);
  PetscCall(PetscSpMVRegisterAll());
  PetscCall(Run());
  PetscCall(PetscFinalize());
  return 0;
} catch (const std::bad_alloc &) {
  SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "The program needs more memory than there is, or than the process may have");
}
