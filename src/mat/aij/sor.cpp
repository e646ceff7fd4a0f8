#include "mat/aij/sor.hpp"

#include "mat/report/statistics.hpp"
#include "mat/shadow/shadow.hpp"
#include "mat/sweeps/sor.hpp"
#include "petsc/guard.hpp"

#include <memory>

namespace petscspmv {

namespace {

constexpr int kForward = SOR_FORWARD_SWEEP | SOR_LOCAL_FORWARD_SWEEP, kBackward = SOR_BACKWARD_SWEEP | SOR_LOCAL_BACKWARD_SWEEP,
              kOthers = SOR_EISENSTAT | SOR_APPLY_UPPER | SOR_APPLY_LOWER;

/// Whether AIJ relaxes all rows of a node at once, by the inverse of their diagonal block.
PetscErrorCode RelaxesByNodes(Mat A, const Relaxation &relaxation, bool *by_nodes)
{
  PetscInt nodes = 0;

  PetscFunctionBegin;
  if (relaxation.omega == 1 && relaxation.shift == 0) PetscCall(MatInodeGetInodeSizes(A, &nodes, NULL, NULL));
  *by_nodes = nodes > 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// The matrix's triangles, which know of its changes.
PetscErrorCode GetLayouts(Mat A, SequentialShadow **shadow, std::shared_ptr<SorLayouts> *layouts)
{
  const Locked alone(Lock());
  Stamp        now;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, shadow));
  if (!(*shadow)->sor) PetscCall(Guard([&] { (*shadow)->sor = std::make_shared<SorLayouts>(); }));
  *layouts = (*shadow)->sor;
  PetscCall(now.Take(A));
  (*layouts)->Look(now);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatSOR_SeqAIJShadow(Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its, PetscInt lits,
                                   Vec x)
{
  const Relaxation            relaxation{.omega      = omega,
                                         .shift      = shift,
                                         .forward    = (flag & kForward) != 0,
                                         .backward   = (flag & kBackward) != 0,
                                         .zero_guess = (flag & SOR_ZERO_INITIAL_GUESS) != 0,
                                         .sweeps     = its * lits};
  std::shared_ptr<SorLayouts> layouts; // another thread may replace the matrix's
  SequentialShadow           *shadow;
  const Base                 *base;
  bool                        by_nodes = false;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall(RelaxesByNodes(A, relaxation, &by_nodes));
  const auto by_aij = [&] { return (*base->ops.sor)(A, b, omega, flag, shift, its, lits, x); };
  if (by_nodes || (flag & kOthers) || (!relaxation.forward && !relaxation.backward) || A->rmap->n == 0 ||
      A->rmap->n != A->cmap->n) {
    PetscCall(by_aij());
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(GetLayouts(A, &shadow, &layouts));
  const auto make = [&](bool *made) {
    shadow->own.Set(layouts->BytesOfMatrix());
    return layouts->Prepare(A, relaxation, made);
  };
  const auto ours = [&] {
    AddCount(Count::Sor);
    return layouts->Relax(relaxation, b, x);
  };
  const auto petscs = [&] {
    AddCount(Count::SorByAij);
    return by_aij();
  };
  PetscCall(layouts->Apply(shadow->settings().sweeps, relaxation.Triangles(), make, ours, petscs));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
