#include "mat/shadow/shadow.hpp"

#include "mat/exec/has_device.hpp"
#include "mat/exec/session.hpp"
#include "mat/report/statistics.hpp"
#include "mat/shadow/adopt.hpp"
#include "mat/shadow/options.hpp"
#include "petsc/guard.hpp"

#include <cstring>
#include <utility>

namespace petscspmv {

namespace {

/// What lasts of matrices that a header merge has emptied and is about to refill. A linked list, since adding to it allocates
/// nothing.
struct Orphans {
  std::unique_ptr<Lasting> first;

  ~Orphans()
  {
    while (first) first = std::exchange(first->next, nullptr); // iteratively: recursion may be too deep
  }
};

/// The list's link to what lasts of A; a null link if there is nothing.
std::unique_ptr<Lasting> &OrphanOf(Mat A)
{
  std::unique_ptr<Lasting> *orphan = &OfSession<Orphans>().first;
  while (*orphan && (*orphan)->owner != A) orphan = &(*orphan)->next;
  return *orphan;
}

void Erase(std::unique_ptr<Lasting> &orphan)
{
  if (orphan) orphan = std::exchange(orphan->next, nullptr);
}

/// Called for a shadow that a header merge or swap has moved to A from another matrix: restores the settings that A had before.
PetscErrorCode ChangeOwner(Mat A, Shadow &shadow)
{
  Lasting *const kept = OrphanOf(A).get();

  PetscFunctionBegin;
  shadow.owner = A;
  shadow.ForgetMatrix();
  if (!kept) PetscFunctionReturn(PETSC_SUCCESS);
  if (kept->settings.type == shadow.settings().type) {
    const PetscErrorCode ierr = Entry<SetSettings>(A, shadow, kept->settings);
    if (ierr) shadow.owner = nullptr; // the next call retries
    PetscCall(ierr);
    shadow.info() = kept->info;
    if (std::unique_ptr<Chooser> *const chooser = shadow.OwnChooser()) *chooser = std::move(kept->chooser);
    shadow.ForgetLayouts();
  }
  Erase(OrphanOf(A)); // searched for again: SetSettings() may have erased the links before it, those of blocks
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Keep(Mat A, std::unique_ptr<Shadow> shadow)
{
  shadow->ForgetLayouts();
  std::unique_ptr<Lasting>  lasting = std::move(shadow->lasting);
  std::unique_ptr<Lasting> &first   = OfSession<Orphans>().first;
  lasting->owner                    = A;
  if (std::unique_ptr<Chooser> *const chooser = shadow->OwnChooser()) lasting->chooser = std::move(*chooser);
  lasting->next = std::move(first);
  first         = std::move(lasting);
}

/// Gives a matrix a shadow of its own, with options from the database.
PetscErrorCode AttachShadow(Mat A, const TypeInfo &type, bool parallel)
{
  std::unique_ptr<Shadow> shadow;

  PetscFunctionBegin;
  PetscCall(Guard([&] {
    if (parallel) shadow = std::make_unique<ParallelShadow>(A, type);
    else shadow = std::make_unique<SequentialShadow>(A, type);
  }));
  PetscCall(ReadSettings(A, shadow->settings()));
  PetscCall(SetSettings(A, *shadow, shadow->settings())); // also for the blocks
  A->spptr = shadow.release();
  AddMatrix(type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

double SequentialShadow::SorBytes() const
{
  return static_cast<double>((sor ? sor->Bytes() : 0) + (node_sor ? node_sor->Bytes() : 0));
}

double SequentialShadow::SorLayoutBytes() const
{
  return static_cast<double>((sor ? sor->LayoutBytes() : 0) + (node_sor ? node_sor->LayoutBytes() : 0));
}

void SequentialShadow::ForgetLayouts()
{
  layouts.Forget();
  if (transposed) transposed->Forget();
  sor.reset();
  node_sor.reset();
  own.Set(0);
}

void SequentialShadow::ForgetMatrix()
{
  ForgetLayouts();
  parents = {};
}

ParallelShadow::~ParallelShadow()
{
  static_cast<void>(PetscSFDestroy(&ghost_rows));
}

void ParallelShadow::ForgetLayouts()
{
  ghosts      = {};
  ghost_state = -1;
}

PetscErrorCode Attach(Mat A, const TypeInfo &type, const char *name, Compose *compose)
{
  PetscFunctionBegin;
  PetscCheck(FindType(name), PetscObjectComm((PetscObject)A), PETSC_ERR_ORDER,
             "PetscSpMV is not registered: call PetscSpMVRegisterAll() before matrices get type %s", name);
  Erase(OrphanOf(A)); // left by a destroyed matrix with the same address
  PetscCall(AttachShadow(A, type, name == type.mpi));
  PetscErrorCode ierr = compose(A, type, true);
  if (!ierr) ierr = ChangeTypeName(A, name);
  if (ierr) { // makes it a plain matrix again
    static_cast<void>(compose(A, type, false));
    static_cast<void>(DestroyShadow(A));
  }
  PetscCall(ierr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Detach(Mat A, const TypeInfo *type, const Base &base, const struct _MatOps &own, Compose *compose)
{
  char *name;

  PetscFunctionBegin;
  PetscCall(PetscStrallocpy(base.name, &name)); // whatever may fail comes first
  const PetscErrorCode ierr = type ? compose(A, *type, false) : PETSC_SUCCESS;
  if (ierr) { // stays what it is
    static_cast<void>(compose(A, *type, true));
    PetscCall(PetscFree(name));
  }
  PetscCall(ierr);
  PetscCall(DestroyShadow(A));
  ResetMethods(*A->ops, own, base.ops);
  PetscCall(TakeTypeName(A, name));
  if (kHasDevice) PetscCall(MatBindToCPU(A, PETSC_TRUE));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetShadow(Mat A, Shadow **shadow)
{
  PetscFunctionBegin;
  if (!A->spptr) { // a header merge gave A the data and composed functions of a plain matrix
    const TypeInfo *type = FindType(((PetscObject)A)->type_name);
    PetscCheck(type, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "Matrix of type %s has the methods of a PetscSpMV type",
               ((PetscObject)A)->type_name);
    const bool mpi = type->mpi == ((PetscObject)A)->type_name;
    PetscCall(AttachShadow(A, *type, mpi));
    const PetscErrorCode ierr = mpi ? ComposeMPIAIJMethods(A, *type, true) : ComposeSeqAIJMethods(A, *type, true);
    Shadow *const        own  = static_cast<Shadow *>(A->spptr);
    if (ierr) { // all or nothing
      A->spptr = nullptr;
      delete own;
    }
    PetscCall(ierr);
    own->owner = nullptr;
  }
  *shadow = static_cast<Shadow *>(A->spptr);
  if ((*shadow)->owner != A) PetscCall(ChangeOwner(A, **shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetShadow(Mat A, SequentialShadow **shadow)
{
  Shadow *any;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &any));
  *shadow = static_cast<SequentialShadow *>(any);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetShadow(Mat A, ParallelShadow **shadow)
{
  Shadow *any;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &any));
  *shadow = static_cast<ParallelShadow *>(any);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const TypeInfo *TypeOf(Mat A)
{
  return A->spptr ? static_cast<Shadow *>(A->spptr)->settings().type : FindType(((PetscObject)A)->type_name);
}

PetscErrorCode NeedType(Mat A, const TypeInfo **type)
{
  const char *const name = ((PetscObject)A)->type_name;

  PetscFunctionBegin;
  PetscCheck(name, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONGSTATE, "Matrix has no type yet");
  *type = FindType(name);
  PetscCheck(*type, PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_WRONG, "Matrix is of type %s, not one of PetscSpMV's%s", name,
             std::strcmp(name, MATMPIAIJ) ? "" : "; with -mat_seqaij_type only the blocks of a parallel matrix have one");
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// A type that others derive from ours does not count: it replaces this method as well.
bool IsOurs(Mat A)
{
  return A->ops->duplicate == Entry<MatDuplicate_AIJShadow>;
}

bool IsShadowed(Mat A, const TypeInfo &type)
{
  return IsOurs(A) && ((PetscObject)A)->type_name && type.seq == ((PetscObject)A)->type_name;
}

PetscErrorCode DestroyShadow(Mat A)
{
  std::unique_ptr<Shadow>   shadow(static_cast<Shadow *>(A->spptr));
  std::unique_ptr<Lasting> &kept    = OrphanOf(A);
  const bool                merging = !((PetscObject)A)->type_name; // a header merge has removed the name

  PetscFunctionBegin;
  A->spptr = nullptr;
  // A was not used since its last merge: its shadow, if any, still belongs to the other matrix, and what is kept of A stays.
  if (merging && kept && (!shadow || shadow->owner != A)) PetscFunctionReturn(PETSC_SUCCESS);
  Erase(kept);
  if (merging && shadow) Keep(A, std::move(shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetSettings(Mat A, Shadow &shadow, const Settings &settings)
{
  const bool others = settings.options != shadow.settings().options;
  PetscBool  mpi;

  PetscFunctionBegin;
  shadow.settings() = settings;
  if (others) shadow.ForgetLayouts();
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)A, MATMPIAIJ, &mpi));
  if (!mpi || !A->preallocated || HashActive(A)) PetscFunctionReturn(PETSC_SUCCESS);
  Mat blocks[2];
  PetscCall(MatMPIAIJGetSeqAIJ(A, &blocks[0], &blocks[1], NULL));
  for (Mat block : blocks) {
    if (block && IsShadowed(block, *settings.type)) PetscCall(SetBlockSettings(block, settings));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SetBlockSettings(Mat block, const Settings &settings)
{
  Shadow *shadow;

  PetscFunctionBegin;
  PetscCall(GetShadow(block, &shadow));
  PetscCall(SetSettings(block, *shadow, settings));
  shadow->settings().eager = PETSC_FALSE; // the parallel matrix's assembly builds the layout, once columns are renumbered
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatDuplicate_AIJShadow(Mat A, MatDuplicateOption op, Mat *B)
{
  const Base *base;
  Shadow     *shadow, *copy;

  PetscFunctionBegin;
  PetscCall(GetBaseOf(A, &base));
  PetscCall(GetShadow(A, &shadow));
  PetscCall((*base->ops.duplicate)(A, op, B));
  // -mat_seqaij_type may have given *B another type.
  if (FindType(((PetscObject)*B)->type_name) != shadow->settings().type) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetShadow(*B, &copy));
  if (auto *const sequential = dynamic_cast<SequentialShadow *>(copy)) sequential->layouts.uses_nodes = true; // if it has any
  PetscCall(SetSettings(*B, *copy, shadow->settings()));
  if (kHasDevice) {
    PetscBool bound;
    PetscCall(MatBoundToCPU(A, &bound));
    PetscCall(MatBindToCPU(*B, bound));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
