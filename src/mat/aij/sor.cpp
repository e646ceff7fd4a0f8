#include "mat/aij/sor.hpp"

#include "mat/shadow/shadow.hpp"
#include "mat/sweeps/relaxation.hpp"
#include "petsc/guard.hpp"
#include "petsc/unreported.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace petscspmv {

namespace {

constexpr int kForward = SOR_FORWARD_SWEEP | SOR_LOCAL_FORWARD_SWEEP, kBackward = SOR_BACKWARD_SWEEP | SOR_LOCAL_BACKWARD_SWEEP,
              kOthers = SOR_EISENSTAT | SOR_APPLY_UPPER | SOR_APPLY_LOWER;

/// The nodes by which AIJ may relax: all rows of a node at once, by the inverse of its diagonal block. None unless omega is 1 and
/// the shift 0.
PetscErrorCode GetNodes(Mat A, const SequentialShadow &shadow, const Relaxation &relaxation, Nodes *nodes)
{
  PetscFunctionBegin;
  *nodes = {};
  if (relaxation.omega == 1 && relaxation.shift == 0 && shadow.layouts.uses_nodes.value_or(true)) PetscCall(nodes->Take(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Finds out whether AIJ uses the nodes that A has, unless it is known: *outcome is Never if not, and NotNow if there is no memory
/// to find out. PETSc cannot be asked; but if MAT_USE_INODES is false, a duplicate has none.
PetscErrorCode FindIfNodesAreUsed(Mat A, std::optional<bool> &used, Outcome *outcome)
{
  Mat      duplicate;
  PetscInt nodes = 0;

  PetscFunctionBegin;
  if (!used) {
    *outcome            = Outcome::NotNow;
    PetscErrorCode ierr = Unreported([&] { return MatDuplicate(A, MAT_SHARE_NONZERO_PATTERN, &duplicate); });
    if (ierr == PETSC_ERR_MEM) PetscFunctionReturn(PETSC_SUCCESS);
    PetscCall(ierr);
    ierr = MatInodeGetInodeSizes(duplicate, &nodes, NULL, NULL);
    PetscCall(MatDestroy(&duplicate));
    PetscCall(ierr);
    used = nodes > 0;
  }
  *outcome = *used ? Outcome::Made : Outcome::Never;
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MatMultDiagonalBlock() for the diagonal blocks of AIJ's nodes. AIJ's own method reads copies of the blocks that AIJ's last
/// relaxation has made, which may be stale.
PetscErrorCode MatMultDiagonalBlock_SeqAIJShadow(Mat A, Vec x, Vec y)
{
  const PetscScalar *from;
  PetscScalar       *to;
  Stamp              now;
  Nodes              nodes;

  PetscFunctionBegin;
  PetscCall(nodes.Take(A));
  PetscCall(now.Take(A));
  PetscCall(VecGetArrayRead(x, &from));
  PetscCall(VecGetArrayWrite(y, &to));
  MultiplyBlocks(now, nodes, from, to);
  PetscCall(VecRestoreArrayWrite(y, &to));
  PetscCall(VecRestoreArrayRead(x, &from));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Has AIJ invert the diagonal anew. After MatCopy(), AIJ of 3.18 would go on with the former one, and so results would depend on
/// who relaxes. The state stays: no value changes.
PetscErrorCode InvalidateDiagonal(Mat A)
{
  PetscObjectState state;
  PetscScalar     *values;

  PetscFunctionBegin;
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  PetscCall(MatSeqAIJGetArray(A, &values));
  PetscCall(MatSeqAIJRestoreArray(A, &values));
  PetscCall(PetscObjectStateSet((PetscObject)A, state));
  PetscFunctionReturn(PETSC_SUCCESS);
}

constexpr const char *kRoom = "PetscSpMVRoom"; // by this name, the room is composed with a matrix of no type of ours

/// Whether AIJ has the right room for the entries of inverted blocks, or has none yet.
bool HasRoom(PetscInt room, PetscInt block_entries)
{
  return room == 0 || block_entries == 0 || room == block_entries;
}

/// The arguments of MatSOR() besides the matrix.
struct Arguments {
  Vec        b;
  PetscReal  omega;
  MatSORType flag;
  PetscReal  shift;
  PetscInt   its, lits;
  Vec        x;
};

/// AIJ's relaxation. By nodes AIJ makes room for their inverted blocks once: later, with nodes of other sizes, it would read and
/// write beside them, which a duplicate, without any room yet, does not.
PetscErrorCode RelaxByAij(Mat A, PetscInt block_entries, PetscInt *room, const Arguments &with)
{
  const Base *base;
  const auto  relax = [&](Mat M) {
    return (*base->ops.sor)(M, with.b, with.omega, with.flag, with.shift, with.its, with.lits, with.x);
  };

  PetscFunctionBegin;
  PetscCall(GetSeqBase(&base));
  if (*room == 0) *room = block_entries;
  if (HasRoom(*room, block_entries)) {
    PetscCall(relax(A));
  } else {
    Mat duplicate;
    PetscCall(MatDuplicate(A, MAT_COPY_VALUES, &duplicate));
    const PetscErrorCode ierr      = relax(duplicate);
    A->factorerrortype             = duplicate->factorerrortype;
    A->factorerror_zeropivot_value = duplicate->factorerror_zeropivot_value;
    A->factorerror_zeropivot_row   = duplicate->factorerror_zeropivot_row;
    PetscCall(MatDestroy(&duplicate));
    PetscCall(ierr);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether the matrix's chooser of products wants to know what relaxation takes.
bool IsWatched(const SequentialShadow &shadow)
{
  return shadow.layouts.chooser && shadow.layouts.chooser->WatchesRelaxation();
}

/// Reports a relaxation to it. Those in the matrix's own arrays that take as long have the same number: by the same loop, by nodes
/// or not, as often, and beside as many parts of layouts.
void Report(const SequentialShadow &shadow, const Relaxation &relaxation, bool by_nodes, const SorLayouts::Took &took)
{
  constexpr PetscInt    kMost = 64; // iterations: more count as so many
  constexpr std::size_t kWays = kSweepBys + SweepChoice::kMostParts;

  if (!took.seconds) return;
  std::optional<std::size_t> loop;
  if (took.by != SweepBy::Layouts || took.rest > 0) {
    const std::size_t way = static_cast<std::size_t>(took.by) + static_cast<std::size_t>(SweepChoice::kMostParts * took.rest);
    const std::size_t iterations = static_cast<std::size_t>(std::min(relaxation.iterations, kMost) - 1);
    loop                         = (2 * (relaxation.Kind() * kWays + way) + by_nodes) * kMost + iterations;
  }
  const Locked alone(Lock());
  if (IsWatched(shadow)) shadow.layouts.chooser->Relaxed(*took.seconds, loop);
}

/// Gets the layouts for relaxing A, by nodes if there are any. Layouts that changes of A have outdated are marked: Prepare() makes
/// them anew.
PetscErrorCode GetLayouts(Mat A, const Relaxation &relaxation, Nodes *nodes, SequentialShadow **shadow,
                          std::shared_ptr<SorLayouts> *layouts, bool *watched)
{
  const Locked alone(Lock());
  Stamp        now;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, shadow));
  PetscCall(GetNodes(A, **shadow, relaxation, nodes));
  std::shared_ptr<SorLayouts> &kept = nodes->count > 0 ? (*shadow)->node_sor : (*shadow)->sor;
  if (!kept) PetscCall(Guard([&] { kept = std::make_shared<SorLayouts>(); }));
  *layouts = kept;
  *watched = IsWatched(**shadow);
  PetscCall(now.Take(A));
  if (!kept->CompareWith(now, *nodes)) PetscCall(InvalidateDiagonal(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode MatSOR_SeqAIJShadow(Mat A, Vec b, PetscReal omega, MatSORType flag, PetscReal shift, PetscInt its, PetscInt lits,
                                   Vec x)
{
  Relaxation                  relaxation{.omega      = omega,
                                         .shift      = shift,
                                         .forward    = (flag & kForward) != 0,
                                         .backward   = (flag & kBackward) != 0,
                                         .zero_guess = (flag & SOR_ZERO_INITIAL_GUESS) != 0};
  std::shared_ptr<SorLayouts> layouts; // shared: a setter may forget those of the matrix
  SequentialShadow           *shadow;
  Nodes                       nodes;
  bool                        watched = false;

  PetscFunctionBegin;
  if ((flag & kOthers) || (!relaxation.forward && !relaxation.backward) || A->rmap->n == 0 || A->rmap->n != A->cmap->n) {
    PetscCall(GetShadow(A, &shadow));
    PetscCall(GetNodes(A, *shadow, relaxation, &nodes));
    PetscCall(RelaxByAij(A, nodes.BlockEntries(), &shadow->aijs_room, {b, omega, flag, shift, its, lits, x}));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(GetLayouts(A, relaxation, &nodes, &shadow, &layouts, &watched));
  // All iterations of Richardson's method may come in one call: as long as the choice is open, another way may come in between.
  const MatSpMVSweeps asked   = shadow->settings().sweeps;
  const bool          room    = HasRoom(shadow->aijs_room, layouts->BlockEntries());
  const MatSpMVSweeps by      = asked == MAT_SPMV_SWEEPS_AUTO && !room ? MAT_SPMV_SWEEPS_PLAIN : asked;
  PetscInt            at_once = 1;
  const auto          make    = [&](Outcome *outcome) {
    shadow->own.Set(layouts->BytesOfMatrix());
    PetscFunctionBegin;
    if (nodes.count > 0) {
      A->ops->multdiagonalblock = Entry<MatMultDiagonalBlock_SeqAIJShadow>; // until AIJ looks for nodes again
      PetscCall(FindIfNodesAreUsed(A, shadow->layouts.uses_nodes, outcome));
      if (*outcome != Outcome::Made) PetscFunctionReturn(PETSC_SUCCESS);
    }
    PetscCall(layouts->Prepare(A, relaxation, outcome));
    PetscFunctionReturn(PETSC_SUCCESS);
  };
  const auto by_ours = [&] { return layouts->Relax(relaxation, b, x); };
  const auto by_aij  = [&] {
    const int then = relaxation.zero_guess ? flag : flag & ~SOR_ZERO_INITIAL_GUESS;
    return RelaxByAij(A, layouts->BlockEntries(), &shadow->aijs_room,
                       {b, omega, static_cast<MatSORType>(then), shift, at_once, lits, x});
  };
  for (; its > 0; its -= at_once, relaxation.zero_guess = false) {
    at_once               = its > 1 && by == MAT_SPMV_SWEEPS_AUTO && !layouts->IsSettled() ? 1 : its;
    relaxation.goes_on    = its > at_once;
    relaxation.iterations = nodes.count > 0 ? at_once : at_once * lits; // MatSOR_SeqAIJ_Inode() ignores lits
    SorLayouts::Took took;
    PetscCall(layouts->Apply({.by         = by,
                              .rows       = A->rmap->n,
                              .entries    = layouts->EntriesOfTriangle(),
                              .triangles  = relaxation.Triangles(),
                              .iterations = static_cast<double>(relaxation.iterations),
                              .as         = Sweeping::Sor,
                              .kind       = relaxation.Kind(),
                              .took       = watched ? &took : nullptr},
                             make, by_ours, by_aij));
    Report(*shadow, relaxation, nodes.count > 0, took);
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode LeaveRoom(Mat A)
{
  SequentialShadow *shadow;
  PetscContainer    container;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow));
  if (shadow->aijs_room == 0) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(PetscContainerCreate(PETSC_COMM_SELF, &container));
  PetscErrorCode ierr =
    PetscContainerSetPointer(container, reinterpret_cast<void *>(static_cast<std::intptr_t>(shadow->aijs_room)));
  if (!ierr) ierr = PetscObjectCompose((PetscObject)A, kRoom, (PetscObject)container);
  PetscCall(PetscContainerDestroy(&container));
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode TakeRoom(Mat A)
{
  SequentialShadow *shadow;
  PetscContainer    container;
  void             *room;

  PetscFunctionBegin;
  PetscCall(PetscObjectQuery((PetscObject)A, kRoom, (PetscObject *)&container));
  if (!container) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetShadow(A, &shadow));
  PetscCall(PetscContainerGetPointer(container, &room));
  shadow->aijs_room = static_cast<PetscInt>(reinterpret_cast<std::intptr_t>(room));
  PetscCall(PetscObjectCompose((PetscObject)A, kRoom, nullptr));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
