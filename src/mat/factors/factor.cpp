#include "mat/factors/factor.hpp"

#include "mat/exec/session.hpp"
#include "mat/factors/solver.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>

namespace petscspmv {

namespace {

using GetFactor = PetscErrorCode(Mat A, MatFactorType type, Mat *factor);

/// PETSc's own creators of factors of AIJ, the same in every session.
constexpr std::array<MatFactorType, 4> kFactors{MAT_FACTOR_LU, MAT_FACTOR_CHOLESKY, MAT_FACTOR_ILU, MAT_FACTOR_ICC};
struct OfPetsc {
  std::array<GetFactor *, kFactors.size()> get{};
};

constexpr char kName[] = "PetscSpMV_FactorSolver";

#if PETSC_VERSION_GE(3, 25, 0)
using KeptIn = PetscCtxRt; // the address of the pointer
#elif PETSC_VERSION_GE(3, 23, 0)
using KeptIn = void **;
#else
using KeptIn = void *; // the pointer itself
#endif

PetscErrorCode DestroySolver(KeptIn kept)
{
#if PETSC_VERSION_GE(3, 23, 0)
  delete static_cast<FactorSolver *>(*static_cast<void **>(kept));
#else
  delete static_cast<FactorSolver *>(kept);
#endif
  return PETSC_SUCCESS;
}

/// Composes a solver with its factor: destroying the factor destroys the solver.
PetscErrorCode Keep(Mat factor, std::unique_ptr<FactorSolver> solver)
{
  PetscContainer container;

  PetscFunctionBegin;
  PetscCall(PetscContainerCreate(PetscObjectComm((PetscObject)factor), &container));
  PetscErrorCode ierr = PetscContainerSetPointer(container, solver.get());
#if PETSC_VERSION_GE(3, 23, 0)
  if (!ierr) ierr = PetscContainerSetCtxDestroy(container, Entry<DestroySolver>);
#else
  if (!ierr) ierr = PetscContainerSetUserDestroy(container, Entry<DestroySolver>);
#endif
  if (!ierr) static_cast<void>(solver.release());
  if (!ierr) ierr = PetscObjectCompose((PetscObject)factor, kName, (PetscObject)container);
  PetscCall(PetscContainerDestroy(&container));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SolverOf(Mat factor, FactorSolver **solver)
{
  PetscContainer container;
  void          *kept;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)factor, kName, (PetscObject *)&container));
  PetscCheck(container, PetscObjectComm((PetscObject)factor), PETSC_ERR_PLIB, "The factor has lost what PetscSpMV keeps with it");
  PetscCall(PetscContainerGetPointer(container, &kept));
  *solver = static_cast<FactorSolver *>(kept);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Calls a method of the factor's solver.
template <auto method, class... Args>
PetscErrorCode With(Mat factor, Args... args)
{
  FactorSolver *solver = nullptr;

  PetscFunctionBegin;
  PetscCall(SolverOf(factor, &solver));
  PetscCall((solver->*method)(factor, args...));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <bool transposed>
PetscErrorCode MatSolve_Factor(Mat factor, Vec b, Vec x)
{
  return With<&FactorSolver::Solve>(factor, VectorSolve{.transposed = transposed, .b = b, .x = x});
}

template <bool transposed>
PetscErrorCode MatSolveAdd_Factor(Mat factor, Vec b, Vec y, Vec x)
{
  return With<&FactorSolver::Solve>(factor, VectorSolve{.transposed = transposed, .b = b, .y = y, .x = x});
}

template <bool transposed>
PetscErrorCode MatMatSolve_Factor(Mat factor, Mat B, Mat X)
{
  return With<&FactorSolver::SolveMany>(factor, transposed, B, X);
}

template <bool backward>
PetscErrorCode MatHalfSolve_Factor(Mat factor, Vec b, Vec x)
{
  return With<&FactorSolver::SolveHalf>(factor, backward, b, x);
}

/// Puts our method in the place of PETSc's, which is kept in `of_petsc`.
template <auto op, auto ours>
void Wrap(struct _MatOps &ops, struct _MatOps &of_petsc)
{
  auto *&method = ops.*op;
  if (!method || method == Entry<ours>) return;
  of_petsc.*op = method;
  method       = Entry<ours>;
}

/// PETSc's numeric phase sets the methods for solving anew, so that they are wrapped after each such phase.
template <auto numeric>
PetscErrorCode MatFactorNumeric_Factor(Mat factor, Mat A, const MatFactorInfo *info)
{
  FactorSolver   *solver = nullptr;
  struct _MatOps &ops    = *factor->ops;

  PetscFunctionBegin;
  PetscCall(SolverOf(factor, &solver));
  struct _MatOps &of_petsc = solver->of_petsc;
  PetscCall((*(of_petsc.*numeric))(factor, A, info));
  PetscCall(solver->NewValues(factor));
  Wrap<&_MatOps::solve, MatSolve_Factor<false>>(ops, of_petsc);
  if (solver->is_symmetric) {
    Wrap<&_MatOps::solvetranspose, MatSolve_Factor<false>>(ops, of_petsc);
    Wrap<&_MatOps::forwardsolve, MatHalfSolve_Factor<false>>(ops, of_petsc);
    Wrap<&_MatOps::backwardsolve, MatHalfSolve_Factor<true>>(ops, of_petsc);
  } else {
    Wrap<&_MatOps::solveadd, MatSolveAdd_Factor<false>>(ops, of_petsc);
    Wrap<&_MatOps::solvetranspose, MatSolve_Factor<true>>(ops, of_petsc);
    Wrap<&_MatOps::solvetransposeadd, MatSolveAdd_Factor<true>>(ops, of_petsc);
    Wrap<&_MatOps::matsolve, MatMatSolve_Factor<false>>(ops, of_petsc);
    Wrap<&_MatOps::matsolvetranspose, MatMatSolve_Factor<true>>(ops, of_petsc);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc's symbolic phase sets the method of the numeric phase, which is wrapped here.
template <auto numeric>
PetscErrorCode AfterSymbolic(Mat factor, FactorSolver &solver, IS rows, IS columns)
{
  PetscFunctionBegin;
  PetscCall(solver.NewPattern(rows, columns));
  auto *&method = (*factor->ops).*numeric;
  if (!method || method == Entry<MatFactorNumeric_Factor<numeric>>) PetscFunctionReturn(PETSC_SUCCESS);
  solver.of_petsc.*numeric = method;
  method                   = Entry<MatFactorNumeric_Factor<numeric>>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// For LU and ILU.
template <auto symbolic>
PetscErrorCode MatFactorSymbolic_Factor(Mat factor, Mat A, IS rows, IS columns, const MatFactorInfo *info)
{
  FactorSolver *solver = nullptr;

  PetscFunctionBegin;
  PetscCall(SolverOf(factor, &solver));
  PetscCall((*(solver->of_petsc.*symbolic))(factor, A, rows, columns, info));
  PetscCall(AfterSymbolic<&_MatOps::lufactornumeric>(factor, *solver, rows, columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// For Cholesky and ICC.
template <auto symbolic>
PetscErrorCode MatFactorSymbolic_Symmetric(Mat factor, Mat A, IS rows, const MatFactorInfo *info)
{
  FactorSolver *solver = nullptr;

  PetscFunctionBegin;
  PetscCall(SolverOf(factor, &solver));
  PetscCall((*(solver->of_petsc.*symbolic))(factor, A, rows, info));
  PetscCall(AfterSymbolic<&_MatOps::choleskyfactornumeric>(factor, *solver, rows, rows));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Gives a factor the methods that lead to solves by layouts or the plain loop.
PetscErrorCode Prepare(Mat A, bool symmetric, Mat factor)
{
  SequentialShadow             *shadow;
  std::unique_ptr<FactorSolver> solver;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow));
  if (shadow->settings().sweeps == MAT_SPMV_SWEEPS_AIJ) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guard([&] { solver = std::make_unique<FactorSolver>(*factor->ops, symmetric, shadow->settings().sweeps); }));
  PetscCall(Keep(factor, std::move(solver)));
  if (symmetric) {
    factor->ops->choleskyfactorsymbolic = Entry<MatFactorSymbolic_Symmetric<&_MatOps::choleskyfactorsymbolic>>;
    factor->ops->iccfactorsymbolic      = Entry<MatFactorSymbolic_Symmetric<&_MatOps::iccfactorsymbolic>>;
  } else {
    factor->ops->lufactorsymbolic  = Entry<MatFactorSymbolic_Factor<&_MatOps::lufactorsymbolic>>;
    factor->ops->ilufactorsymbolic = Entry<MatFactorSymbolic_Factor<&_MatOps::ilufactorsymbolic>>;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// PETSc's factor is a seqaij or seqsbaij, also where -mat_seqaij_type would make it one of our types.
PetscErrorCode MatGetFactor_Ours(Mat A, MatFactorType type, Mat *factor)
{
  const bool symmetric = type == MAT_FACTOR_CHOLESKY || type == MAT_FACTOR_ICC;
  const auto k         = static_cast<std::size_t>(std::find(kFactors.begin(), kFactors.end(), type) - kFactors.begin());
  GetFactor *get       = OfProcess<OfPetsc>().get[k];

  PetscFunctionBegin;
  if (!IsOurs(A)) {
    PetscCall((*get)(A, type, factor));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  {
    const WithoutCatchAll plain;
    PetscCall((*get)(A, type, factor));
  }
  if (*factor) PetscCall(Prepare(A, symmetric, *factor));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode RegisterFactors()
{
  PetscFunctionBegin;
  for (std::size_t k = 0; k < kFactors.size(); ++k) {
    GetFactor *found = nullptr;
    PetscCall(MatSolverTypeGet(MATSOLVERPETSC, MATSEQAIJ, kFactors[k], NULL, NULL, &found));
    if (!found || found == Entry<MatGetFactor_Ours>) continue;
    OfProcess<OfPetsc>().get[k] = found;
    PetscCall(MatSolverTypeRegister(MATSOLVERPETSC, MATSEQAIJ, kFactors[k], Entry<MatGetFactor_Ours>));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
