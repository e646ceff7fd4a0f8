#include "mat/workarounds/passing_pc.hpp"

#include "mat/exec/session.hpp"
#include "mat/shadow/parallel.hpp"
#include "mat/shadow/passing.hpp"
#include "mat/shadow/shadow.hpp"
#include "mat/workarounds/replace_in_list.hpp"
#include "petsc/guard.hpp"

#include <array>
#include <petsc/private/pcimpl.h>
#include <petscpc.h>
#include <utility>

namespace petscspmv {

namespace {

/// For other types than AIJ, ilu takes MAT_SHIFT_INBLOCKS in place of MAT_SHIFT_NONZERO. A matrix to be factored in place must not
/// pass for AIJ: the factor replaces the matrix itself, with its name.
PetscErrorCode PrepareILU(PC pc, bool *pass)
{
  MatFactorShiftType shift;
  MatSolverType      solver;
  PetscBool          in_place;
  Mat                factor;

  PetscFunctionBegin;
  PetscCall(PCFactorGetShiftType(pc, &shift));
  PetscCall(PCFactorGetUseInPlace(pc, &in_place));
  *pass = shift == MAT_SHIFT_NONZERO && !in_place;
  if (!*pass || pc->setupcalled) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCFactorSetUpMatSolverType(pc));
  PetscCall(PCFactorGetMatSolverType(pc, &solver));
  if (solver) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PCFactorGetMatrix(pc, &factor));
  PetscCall(MatFactorGetSolverType(factor, &solver));
  PetscCall(PCFactorSetMatSolverType(pc, solver)); // as PCSetUp() of ilu does
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrepareGAMG(PC pc, bool *pass)
{
  PCGAMGType type;
  PetscBool  classical;

  PetscFunctionBegin;
  PetscCall(PCGAMGGetType(pc, &type));
  PetscCall(PetscStrcmp(type, PCGAMGCLASSICAL, &classical));
  *pass = classical;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrepareAny(PC, bool *pass)
{
  PetscFunctionBegin;
  *pass = true;
  PetscFunctionReturn(PETSC_SUCCESS);
}

struct Asking {
  PCType name;
  PetscErrorCode (*prepare)(PC, bool *pass);
};
constexpr std::array<Asking, 4> kAsking{
  {{PCILU, Entry<PrepareILU>}, {PCCP, Entry<PrepareAny>}, {PCTFS, Entry<PrepareAny>}, {PCGAMG, Entry<PrepareGAMG>}}};

/// PETSc's functions for each name above; they are the same in every session.
struct OfPetsc {
  std::array<PetscErrorCode (*)(PC), kAsking.size()> create{}, setup{};
};

template <std::size_t k>
PetscErrorCode PCSetUp_Asking(PC pc)
{
  const Mat A    = pc->pmat;
  bool      pass = false;

  PetscFunctionBegin;
  if (A) {
    PetscBool mpi;
    PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
    if (mpi && A->assembled) PetscCall(PrepareBlocks(A));
    if (IsOurs(A)) PetscCall((*kAsking[k].prepare)(pc, &pass));
  }
  const PassesForAIJ passes(pass ? A : nullptr);
  PetscCall((*OfProcess<OfPetsc>().setup[k])(pc));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t k>
PetscErrorCode PCCreate_Asking(PC pc)
{
  PetscFunctionBegin;
  PetscCall((*OfProcess<OfPetsc>().create[k])(pc));
  if (!pc->ops->setup) PetscFunctionReturn(PETSC_SUCCESS);
  OfProcess<OfPetsc>().setup[k] = pc->ops->setup;
  pc->ops->setup                = Entry<PCSetUp_Asking<k>>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t k>
PetscErrorCode Replace()
{
  return ReplaceInList(PCList, kAsking[k].name, Entry<PCCreate_Asking<k>>, &OfProcess<OfPetsc>().create[k], PCRegister);
}

template <std::size_t... k>
PetscErrorCode ReplaceAll(std::index_sequence<k...>)
{
  PetscErrorCode ierr = PETSC_SUCCESS;

  PetscFunctionBegin;
  static_cast<void>(((ierr = Replace<k>()) || ...)); // until one fails
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode LetPCsPass()
{
  PetscFunctionBegin;
  PetscCall(PCInitializePackage());
  PetscCall(ReplaceAll(std::make_index_sequence<kAsking.size()>()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
