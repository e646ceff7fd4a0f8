#include "mat/aij/sor.hpp"

#include "mat/exec/memory_use.hpp"
#include "mat/exec/session.hpp"
#include "mat/exec/settings.hpp"
#include "mat/report/statistics.hpp"
#include "mat/shadow/shadow.hpp"
#include "mat/sweeps/sor.hpp"
#include "mat/tuning/choose_target.hpp"
#include "petsc/guard.hpp"

#include <chrono>
#include <memory>
#include <new>

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

/// Makes the layouts for a relaxation if they should do it; null if AIJ should.
PetscErrorCode Begin(Mat A, const Relaxation &relaxation, std::shared_ptr<SorLayouts> *by, Execution *execution)
{
  const Locked      alone(Lock());
  SequentialShadow *shadow;
  Stamp             now;

  PetscFunctionBegin;
  by->reset();
  PetscCall(GetShadow(A, &shadow));
  const MatSpMVSweeps sweeps = shadow->settings().sweeps;
  if (sweeps == MAT_SPMV_SWEEPS_AIJ) {
    shadow->sor.reset();
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!shadow->sor) PetscCall(Guard([&] { shadow->sor = std::make_shared<SorLayouts>(); }));
  SorLayouts &layouts = *shadow->sor;
  PetscCall(now.Take(A));
  layouts.Look(now);
  if (sweeps == MAT_SPMV_SWEEPS_LAYOUT || layouts.choice.WantsLayout()) {
    bool ready = false;
    PetscCall(NeedTarget());
    *execution = CurrentExecution();
    shadow->own.Set(now.CsrBytes());
    try {
      const MakingLayout making;
      ready = layouts.Prepare(*execution, now, relaxation, sweeps);
    } catch (const std::bad_alloc &) {
      PetscCall(PetscInfo(A, "no memory for layouts of the triangles, relaxing by aij\n"));
    }
    if (ready) *by = shadow->sor;
    else layouts.choice.Refuse();
  }
  if (!*by && !layouts.choice.WantsLayout()) layouts.Free();
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Reports the time of a relaxation to the choice.
PetscErrorCode End(Mat A, const Relaxation &relaxation, bool by_layout, double seconds)
{
  const Locked      alone(Lock());
  SequentialShadow *shadow;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow));
  AddCount(by_layout ? Count::Sor : Count::SorByAij);
  if (!shadow->sor) PetscFunctionReturn(PETSC_SUCCESS);
  if (by_layout) shadow->sor->choice.AddLayout(seconds, relaxation.Triangles());
  else shadow->sor->choice.AddAij(seconds, relaxation.Triangles());
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatSOR_SeqAIJShadow(Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its, PetscInt lits,
                                   Vec x)
{
  using Clock = std::chrono::steady_clock;
  const Relaxation            relaxation{.omega      = omega,
                                         .shift      = shift,
                                         .forward    = (flag & kForward) != 0,
                                         .backward   = (flag & kBackward) != 0,
                                         .zero_guess = (flag & SOR_ZERO_INITIAL_GUESS) != 0,
                                         .sweeps     = its * lits};
  std::shared_ptr<SorLayouts> layouts; // another thread may replace the matrix's
  Execution                   execution;
  const Base                 *base;
  bool                        by_nodes = false;

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  PetscCall(RelaxesByNodes(A, relaxation, &by_nodes));
  const bool other =
    by_nodes || (flag & kOthers) || (!relaxation.forward && !relaxation.backward) || A->rmap->n == 0 || A->rmap->n != A->cmap->n;
  if (!other) PetscCall(Begin(A, relaxation, &layouts, &execution));
  const auto start = Clock::now();
  if (layouts) {
    const PetscScalar *from;
    PetscScalar       *to;
    PetscCall(VecGetArrayRead(b, &from));
    PetscCall(VecGetArray(x, &to));
    layouts->Relax(execution, relaxation, from, to);
    PetscCall(VecRestoreArray(x, &to));
    PetscCall(VecRestoreArrayRead(b, &from));
    PetscCall(PetscLogFlops(relaxation.Triangles() * static_cast<PetscLogDouble>(layouts->Nonzeros())));
  } else {
    PetscCall((*base->ops.sor)(A, b, omega, flag, shift, its, lits, x));
  }
  if (!other) PetscCall(End(A, relaxation, layouts != nullptr, std::chrono::duration<double>(Clock::now() - start).count()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
