#include "mat/workarounds/passing_mat.hpp"

#include "mat/exec/session.hpp"
#include "mat/shadow/passing.hpp"
#include "mat/shadow/shadow.hpp"
#include "mat/workarounds/replace_in_list.hpp"
#include "petsc/guard.hpp"

#include <array>
#include <petscmatcoarsen.h>
#include <utility>

namespace petscspmv {

namespace {

/// PETSc's functions of an implementation that ours replaces: its creator, and the method that the creator sets.
template <class Object, class Apply>
struct Replaced {
  PetscErrorCode (*create)(Object) = nullptr;
  Apply apply                      = nullptr;
};

constexpr std::array<const char *, 3>  kColorings{MATCOLORINGJP, MATCOLORINGPOWER, MATCOLORINGGREEDY};
constexpr std::array<const char *, 1>  kCoarsenings{MATCOARSENHEM};
constexpr std::array<const char *, 10> kOrderings{MATORDERINGNATURAL, MATORDERINGND,        MATORDERING1WD, MATORDERINGRCM,
                                                  MATORDERINGQMD,     MATORDERINGROWLENGTH, MATORDERINGWBM, MATORDERINGSPECTRAL,
                                                  MATORDERINGAMD,     MATORDERINGMETISND};

using ApplyColoring   = PetscErrorCode (*)(MatColoring, ISColoring *);
using ApplyCoarsening = PetscErrorCode (*)(MatCoarsen);
using Order           = PetscErrorCode (*)(Mat, MatOrderingType, IS *, IS *);

/// PETSc's functions for each name above; they are the same in every session.
struct OfPetsc {
  std::array<Replaced<MatColoring, ApplyColoring>, kColorings.size()>    colorings;
  std::array<Replaced<MatCoarsen, ApplyCoarsening>, kCoarsenings.size()> coarsenings;
  std::array<Order, kOrderings.size()>                                   orderings{};
};

template <std::size_t k>
PetscErrorCode MatColoringApply_Asking(MatColoring coloring, ISColoring *colors)
{
  PetscFunctionBegin;
  const PassesForAIJ passes(IsOurs(coloring->mat) ? coloring->mat : nullptr);
  PetscCall((*OfProcess<OfPetsc>().colorings[k].apply)(coloring, colors));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t k>
PetscErrorCode MatColoringCreate_Asking(MatColoring coloring)
{
  auto &of_petsc = OfProcess<OfPetsc>().colorings[k];

  PetscFunctionBegin;
  PetscCall((*of_petsc.create)(coloring));
  of_petsc.apply       = coloring->ops->apply;
  coloring->ops->apply = Entry<MatColoringApply_Asking<k>>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t k>
PetscErrorCode MatCoarsenApply_Asking(MatCoarsen coarsen)
{
  PetscFunctionBegin;
  const PassesForAIJ passes(IsOurs(coarsen->graph) ? coarsen->graph : nullptr);
  PetscCall((*OfProcess<OfPetsc>().coarsenings[k].apply)(coarsen));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t k>
PetscErrorCode MatCoarsenCreate_Asking(MatCoarsen coarsen)
{
  auto &of_petsc = OfProcess<OfPetsc>().coarsenings[k];

  PetscFunctionBegin;
  PetscCall((*of_petsc.create)(coarsen));
  of_petsc.apply      = coarsen->ops->apply;
  coarsen->ops->apply = Entry<MatCoarsenApply_Asking<k>>;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatGetOrdering() orders the diagonal block of a parallel matrix if it knows the matrix's type, and otherwise calls this.
template <std::size_t k>
PetscErrorCode MatGetOrdering_Asking(Mat A, MatOrderingType type, IS *rows, IS *columns)
{
  PetscBool mpi;

  PetscFunctionBegin;
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  if (mpi && IsOurs(A)) {
    const PassesForAIJ passes(A);
    PetscCall(MatGetOrdering(A, type, rows, columns));
  } else PetscCall((*OfProcess<OfPetsc>().orderings[k])(A, type, rows, columns));
  PetscFunctionReturn(PETSC_SUCCESS);
}

template <std::size_t k>
PetscErrorCode ReplaceColoring()
{
  return ReplaceInList(MatColoringList, kColorings[k], Entry<MatColoringCreate_Asking<k>>,
                       &OfProcess<OfPetsc>().colorings[k].create, MatColoringRegister);
}

template <std::size_t k>
PetscErrorCode ReplaceCoarsening()
{
  return ReplaceInList(MatCoarsenList, kCoarsenings[k], Entry<MatCoarsenCreate_Asking<k>>,
                       &OfProcess<OfPetsc>().coarsenings[k].create, MatCoarsenRegister);
}

template <std::size_t k>
PetscErrorCode ReplaceOrdering()
{
  return ReplaceInList(MatOrderingList, kOrderings[k], Entry<MatGetOrdering_Asking<k>>, &OfProcess<OfPetsc>().orderings[k],
                       MatOrderingRegister);
}

/// Replaces all of them; stops at the first error.
template <std::size_t... colorings, std::size_t... coarsenings, std::size_t... orderings>
PetscErrorCode ReplaceAll(std::index_sequence<colorings...>, std::index_sequence<coarsenings...>, std::index_sequence<orderings...>)
{
  PetscErrorCode ierr = PETSC_SUCCESS;

  PetscFunctionBegin;
  static_cast<void>(((ierr = ReplaceColoring<colorings>()) || ...) || ((ierr = ReplaceCoarsening<coarsenings>()) || ...) ||
                    ((ierr = ReplaceOrdering<orderings>()) || ...));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode LetMatAlgorithmsPass()
{
  PetscFunctionBegin;
  PetscCall(MatInitializePackage());
  PetscCall(ReplaceAll(std::make_index_sequence<kColorings.size()>(), std::make_index_sequence<kCoarsenings.size()>(),
                       std::make_index_sequence<kOrderings.size()>()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
