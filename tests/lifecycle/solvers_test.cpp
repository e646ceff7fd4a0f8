// Factorizations, Krylov methods and preconditioners: same results as with plain AIJ, to rounding.
#include "lifecycle/lifecycle.hpp"

#include <cstring>

namespace petscspmv::test {

namespace {

constexpr int kSize = 120;

/// The outcome of a solve. The solution is that of the second of two solves, with other values.
struct Outcome {
  int                error  = 0;
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  PetscInt           its    = 0;
  OwnedVec           x;
};

/// A solver: Krylov method, preconditioner, and the package and kind of its factorization, if any.
struct Solver {
  const char *ksp, *pc, *package = nullptr;
};

PetscErrorCode Configure(KSP ksp, const Solver &solver)
{
  PC pc;

  PetscFunctionBegin;
  PetscCall(KSPSetType(ksp, solver.ksp));
  PetscCall(KSPSetTolerances(ksp, 1e-9, PETSC_DEFAULT, PETSC_DEFAULT, 200));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, solver.pc));
  if (solver.package) PetscCall(PCFactorSetMatSolverType(pc, solver.package));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Solves twice, the second time with a matrix whose values changed after products.
PetscErrorCode SolveTwice(Mat A, const Solver &solver, Outcome *outcome)
{
  static std::vector<KSP> failed; // after an error not even destroyed, but kept, where leak sanitizers find them
  KSP                     ksp;
  OwnedVec                b;

  PetscFunctionBegin;
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  failed.push_back(ksp);
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(Configure(ksp, solver));
  PetscCall(MatCreateVecs(A, &outcome->x, &b));
  PetscCall(FillVec(b, 7));
  PetscCall(KSPSolve(ksp, b, outcome->x));
  PetscCall(MatScale(A, 2));
  PetscCall(MatShift(A, 1));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSolve(ksp, b, outcome->x));
  PetscCall(KSPGetConvergedReason(ksp, &outcome->reason));
  PetscCall(KSPGetIterationNumber(ksp, &outcome->its));
  failed.pop_back();
  PetscCall(KSPDestroy(&ksp));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void CheckSolver(const std::string &type, const Solver &solver, bool symmetric)
{
  Pair    p;
  Outcome a, r;
  OK(p.Create(Banded(kSize, kSize, 11, symmetric), type));
  if (symmetric) {
    for (Mat M : {p.A.A, p.R.A}) OK(MatSetOption(M, MAT_SPD, PETSC_TRUE));
  }
  { // what fails with one must fail with the other; see `error`
    ExpectedError quiet;
    r.error = SolveTwice(p.R, solver, &r);
    a.error = SolveTwice(p.A, solver, &a);
  }
  EXPECT_EQ(a.error, r.error);
  if (a.error || r.error) return;
  EXPECT_EQ(a.reason > 0, r.reason > 0) << KSPConvergedReasons[a.reason] << " and " << KSPConvergedReasons[r.reason];
  EXPECT_LE(std::abs(a.its - r.its), std::max<PetscInt>(1, r.its / 50)) << a.its << " and " << r.its << " iterations";
  EXPECT_EQ(TypeOf(p.A), FullName(type));
  EXPECT_SAME_BOTH_WAYS(p.A, p.R);
  if (a.reason <= 0) return;
  PetscReal norm, difference;
  OK(VecNorm(r.x, NORM_2, &norm));
  OK(VecAXPY(a.x, -1, r.x));
  OK(VecNorm(a.x, NORM_2, &difference));
  EXPECT_LE(difference, 1e-7 * norm); // a residual of 1e-9 and a condition number below 100
}

TEST(LifecycleSolvers, KrylovMethods)
{
  const char *methods[] = {KSPCG,         KSPGROPPCG, KSPPIPECG,  KSPPIPECGRR, KSPPIPELCG, KSPPIPEPRCG,   KSPPIPECG2,
                           KSPCGNE,       KSPNASH,    KSPSTCG,    KSPGLTR,     KSPFCG,     KSPPIPEFCG,    KSPGMRES,
                           KSPPIPEFGMRES, KSPFGMRES,  KSPLGMRES,  KSPDGMRES,   KSPPGMRES,  KSPTCQMR,      KSPBCGS,
                           KSPIBCGS,      KSPQMRCGS,  KSPFBCGS,   KSPFBCGSR,   KSPBCGSL,   KSPPIPEBCGS,   KSPCGS,
                           KSPTFQMR,      KSPCR,      KSPPIPECR,  KSPLSQR,     KSPBICG,    KSPMINRES,     KSPSYMMLQ,
                           KSPLCD,        KSPGCR,     KSPPIPEGCR, KSPTSIRM,    KSPCGLS,    KSPRICHARDSON, KSPCHEBYSHEV};
  for (const std::string &type : Types()) {
    for (const char *method : methods) {
      // These two keep the addresses of vectors' arrays on the host and write to them, unseen by vectors on a device.
      if (VectorsAreOnDevice() && (!std::strcmp(method, KSPIBCGS) || !std::strcmp(method, KSPFBCGSR))) continue;
      SCOPED_TRACE(type + ", " + method);
      CheckSolver(type, {method, std::string(method) == KSPLSQR || std::string(method) == KSPCGLS ? PCNONE : PCJACOBI}, true);
    }
  }
}

TEST(LifecycleSolvers, Preconditioners)
{
  const char *preconditioners[] = {
    PCNONE,
    PCJACOBI,
    PCPBJACOBI,
    PCVPBJACOBI,
    PCSOR,
    PCEISENSTAT,
    PCBJACOBI,
    PCASM,
    PCGASM,
    PCGAMG,
    PCMG,
    PCKSP,
    PCREDUNDANT,
    PCREDISTRIBUTE,
    PCTELESCOPE,
    PCKACZMARZ,
    PCLU,
    PCILU,
    PCCHOLESKY,
    PCICC,
    PCSVD,
#if defined(PETSC_HAVE_HYPRE)
    PCHYPRE,
#endif
#if defined(PETSC_HAVE_ML)
    PCML,
#endif
#if defined(PETSC_HAVE_HPDDM)
    PCHPDDM,
#endif
  };
  for (const std::string &type : Types()) {
    for (const char *preconditioner : preconditioners) {
      SCOPED_TRACE(type + ", " + preconditioner);
      CheckSolver(type, {KSPGMRES, preconditioner},
                  std::string(preconditioner) == PCICC || std::string(preconditioner) == PCCHOLESKY);
    }
  }
}

struct Factorization {
  MatFactorType type;
  const char   *pc;
};

const Factorization kFactorizations[] = {
  {MAT_FACTOR_LU, PCLU}, {MAT_FACTOR_CHOLESKY, PCCHOLESKY}, {MAT_FACTOR_ILU, PCILU}, {MAT_FACTOR_ICC, PCICC}, {MAT_FACTOR_QR, PCQR},
};

TEST(LifecycleSolvers, Factorizations)
{
  for (const std::string &type : Types()) {
    for (const char *package : {MATSOLVERPETSC, MATSOLVERMUMPS, MATSOLVERSUPERLU, MATSOLVERSUPERLU_DIST, MATSOLVERUMFPACK,
                                MATSOLVERKLU, MATSOLVERCHOLMOD, MATSOLVERSPQR, MATSOLVERSTRUMPACK}) {
      for (const Factorization &f : kFactorizations) {
        if (std::string(package) == MATSOLVERSUPERLU && f.type == MAT_FACTOR_ILU)
          continue; // its own thresholds make a different matrix of it
        SCOPED_TRACE(type + ", " + package + ", " + f.pc);
        Pair      p;
        PetscBool own, plain;
        OK(p.Create(Banded(kSize, kSize, 11, true), type));
        OK(MatGetFactorAvailable(p.A, package, f.type, &own));
        OK(MatGetFactorAvailable(p.R, package, f.type, &plain));
        EXPECT_EQ(own, plain);
        if (!own) continue;
        for (const char *method : {KSPPREONLY, KSPGMRES})
          CheckSolver(type, {method, f.pc, package}, f.type == MAT_FACTOR_CHOLESKY || f.type == MAT_FACTOR_ICC);
      }
    }
  }
}

TEST(LifecycleSolvers, ManyRightHandSides)
{
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    Pair     p;
    OwnedMat B, X, Y;
    OK(p.Create(Banded(kSize, kSize, 11), type));
    OK(MatCreateDense(PETSC_COMM_WORLD, LocalSize(kSize, Distribution::Even), PETSC_DECIDE, kSize, 9, NULL, &B));
    OK(MatSetRandom(B, NULL));
    OK(MatDuplicate(B, MAT_COPY_VALUES, &X));
    OK(MatDuplicate(B, MAT_COPY_VALUES, &Y));
    for (const bool own : {true, false}) {
      KSP ksp;
      PC  pc;
      OK(KSPCreate(PETSC_COMM_WORLD, &ksp));
      OK(KSPSetOperators(ksp, own ? p.A : p.R, own ? p.A : p.R));
      OK(KSPSetType(ksp, KSPGMRES));
      OK(KSPSetTolerances(ksp, 1e-12, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
      OK(KSPGetPC(ksp, &pc));
      OK(PCSetType(pc, PCJACOBI));
      OK(KSPMatSolve(ksp, B, own ? X : Y));
      OK(KSPDestroy(&ksp));
    }
    PetscReal of_difference, of_y;
    OK(MatNorm(Y, NORM_FROBENIUS, &of_y));
    OK(MatAXPY(X, -1, Y, SAME_NONZERO_PATTERN));
    OK(MatNorm(X, NORM_FROBENIUS, &of_difference));
    EXPECT_LE(of_difference, 1e-10 * of_y);
  }
}

/// Without a KSP, with many right-hand sides at once, and reusing the factor.
TEST(LifecycleSolvers, FactorByHand)
{
  if (Processes() > 1) return; // PETSc's own is sequential
  for (const std::string &type : Types()) {
    SCOPED_TRACE(type);
    Pair     p, f;
    OwnedMat B, X, Y;
    OK(p.Create(Banded(kSize, kSize, 11), type));
    OK(MatCreateDense(PETSC_COMM_WORLD, kSize, 3, kSize, 3, NULL, &B));
    OK(MatSetRandom(B, NULL));
    OK(MatDuplicate(B, MAT_COPY_VALUES, &X));
    OK(MatDuplicate(B, MAT_COPY_VALUES, &Y));
    for (int time = 0; time < 2; ++time) {
      for (bool own : {true, false}) {
        const Mat     M = own ? p.A : p.R;
        Mat          *F = own ? &f.A : &f.R;
        MatFactorInfo info;
        IS            rows, cols;
        OK(MatFactorInfoInitialize(&info));
        OK(MatGetOrdering(M, MATORDERINGND, &rows, &cols));
        if (!time) {
          OK(MatGetFactor(M, MATSOLVERPETSC, MAT_FACTOR_LU, F));
          OK(MatLUFactorSymbolic(*F, M, rows, cols, &info));
        }
        OK(MatLUFactorNumeric(*F, M, &info));
        OK(MatMatSolve(*F, B, own ? X : Y));
        OK(ISDestroy(&rows));
        OK(ISDestroy(&cols));
      }
      PetscBool same;
      OK(MatEqual(X, Y, &same));
      EXPECT_TRUE(same);
      OK(Use(p.A));
      OK(MatScale(p.A, 3));
      OK(MatScale(p.R, 3));
    }
    CheckAndGoOn(p.A, p.R, FullName(type));
  }
}

/// An in-place factorization makes the matrix its own factor.
TEST(LifecycleSolvers, FactorInPlace)
{
  if (Processes() > 1) return;
  for (const std::string &type : Types()) {
    for (bool incomplete : {false, true}) {
      SCOPED_TRACE(type + (incomplete ? ", ILU" : ", LU"));
      Pair     p;
      OwnedVec b, x[2];
      OK(p.Create(Banded(kSize, kSize, 1), type)); // tridiagonal: no fill
      OK(MatCreateVecs(p.R, &b, &x[0]));
      OK(VecDuplicate(b, &x[1]));
      OK(FillVec(b, 2));
      for (int k = 0; k < 2; ++k) {
        const Mat     M = k ? p.A : p.R;
        MatFactorInfo info;
        IS            rows, cols;
        OK(MatFactorInfoInitialize(&info));
        OK(MatGetOrdering(M, MATORDERINGNATURAL, &rows, &cols));
        info.fill = 2;
        OK((incomplete ? MatILUFactor : MatLUFactor)(M, rows, cols, &info));
        OK(MatSolve(M, b, x[k]));
        OK(ISDestroy(&rows));
        OK(ISDestroy(&cols));
      }
      PetscBool same;
      OK(VecEqual(x[0], x[1], &same));
      EXPECT_TRUE(same);
    }
  }
}

/// MatSOR() on its own.
TEST(LifecycleSolvers, Relaxation)
{
  for (const std::string &type : Types()) {
    for (MatSORType sweep : {SOR_LOCAL_FORWARD_SWEEP, SOR_LOCAL_BACKWARD_SWEEP, SOR_LOCAL_SYMMETRIC_SWEEP}) {
      SCOPED_TRACE(type + ", " + std::to_string(sweep));
      Pair     p;
      OwnedVec b, x, y;
      OK(p.Create(Banded(kSize, kSize, 11), type));
      OK(MatCreateVecs(p.R, &b, &x));
      OK(VecDuplicate(x, &y));
      OK(FillVec(b, 2));
      for (int time = 0; time < 2; ++time) {
        OK(MatSOR(p.A, b, 1.1, static_cast<MatSORType>(sweep | SOR_ZERO_INITIAL_GUESS), 0, 2, 2, x));
        OK(MatSOR(p.R, b, 1.1, static_cast<MatSORType>(sweep | SOR_ZERO_INITIAL_GUESS), 0, 2, 2, y));
        PetscReal norm, difference;
        OK(VecNorm(y, NORM_2, &norm));
        OK(VecAXPY(x, -1, y));
        OK(VecNorm(x, NORM_2, &difference));
        EXPECT_LE(difference, 1e-13 * norm);
        OK(MatScale(p.A, 3));
        OK(MatScale(p.R, 3));
      }
      EXPECT_SAME_BOTH_WAYS(p.A, p.R);
    }
  }
}

} // namespace

} // namespace petscspmv::test
