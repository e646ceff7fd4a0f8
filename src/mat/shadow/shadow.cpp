#include "mat/shadow/shadow.hpp"

#include "mat/exec/session.hpp"
#include "mat/report/statistics.hpp"
#include "petsc/guard.hpp"

#include <cstring>
#include <utility>

namespace petscspmv {

namespace {

/// Shadows of matrices that a header merge has emptied and is about to refill, for their settings: a list, since it takes no
/// memory to keep one.
struct Orphans {
  std::unique_ptr<Shadow> first;

  ~Orphans()
  {
    while (first) first = std::exchange(first->next_orphan, nullptr); // not by recursion, however many there are
  }
};

/// The place in the list of a matrix's shadow; that of null if there is none.
std::unique_ptr<Shadow> &OrphanOf(Mat A)
{
  std::unique_ptr<Shadow> *orphan = &OfSession<Orphans>().first;
  while (*orphan && (*orphan)->owner != A) orphan = &(*orphan)->next_orphan;
  return *orphan;
}

void Erase(std::unique_ptr<Shadow> &orphan)
{
  if (orphan) orphan = std::exchange(orphan->next_orphan, nullptr);
}

/// Called for a shadow that came from another matrix by a header merge or swap: it restores its new owner's settings.
PetscErrorCode ChangeOwner(Mat A, Shadow &shadow)
{
  Shadow *const kept = OrphanOf(A).get();

  PetscFunctionBegin;
  shadow.owner = A;
  shadow.ForgetLayouts();
  shadow.parents = {};
  if (!kept) PetscFunctionReturn(PETSC_SUCCESS);
  if (kept->type == shadow.type) {
    shadow.eager              = kept->eager;
    shadow.transpose_by       = kept->transpose_by;
    shadow.info               = kept->info;
    const PetscErrorCode ierr = Entry<SetOptions>(A, shadow, kept->options);
    if (ierr) shadow.owner = nullptr; // the next call retries
    PetscCall(ierr);
    shadow.chosen  = std::move(kept->chosen);
    shadow.chooser = std::move(kept->chooser);
    shadow.ForgetLayouts();
  }
  Erase(OrphanOf(A)); // searched for again: SetOptions() may have erased those of blocks
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Keep(Mat A, Shadow *shadow)
{
  shadow->owner = A;
  shadow->ForgetLayouts();
  shadow->transpose.reset();
  static_cast<void>(PetscSFDestroy(&shadow->ghost_rows));
  std::unique_ptr<Shadow> &first = OfSession<Orphans>().first;
  shadow->next_orphan            = std::move(first);
  first.reset(shadow);
}

} // namespace

Shadow::Shadow(Mat A, const TypeInfo &t) : owner(A), type(&t)
{
  chosen.reserve(t.options.size());
  for (const OptionSpec &option : t.options) chosen.push_back(option.initial);
  options = chosen;
  chooser = MakeChooserOf(t);
}

Shadow::~Shadow()
{
  static_cast<void>(PetscSFDestroy(&ghost_rows));
}

PetscErrorCode Shadow::NeedLayouts()
{
  PetscFunctionBegin;
  if (!layouts.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guard([&] {
    if (chooser) layouts = chooser->Layouts(options);
    else {
      for (const Place place : {Place::Host, Place::Device})
        layouts.push_back({.format = FormatOf(*type), .place = place, .options = options});
    }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Shadow::ForgetOwnLayouts()
{
  layouts.clear();
  ghosts      = {};
  ghost_state = -1;
  in_use      = 0;
  if (chooser) chooser->Restart();
  if (source) *source = {};
}

void Shadow::ForgetLayouts()
{
  ForgetOwnLayouts();
  if (transpose) transpose->ForgetLayouts();
}

double Shadow::Bytes() const
{
  double bytes = 0;
  for (const MadeLayout &made : layouts) bytes += static_cast<double>(made.Bytes());
  return bytes;
}

double Shadow::TransposeBytes() const
{
  return transpose ? transpose->Bytes() + static_cast<double>(transpose->source->arrays.Bytes()) : 0;
}

PetscErrorCode AttachShadow(Mat A, const TypeInfo &type)
{
  std::unique_ptr<Shadow> shadow;

  PetscFunctionBegin;
  PetscCall(Guard([&] { shadow = std::make_unique<Shadow>(A, type); }));
  PetscCall(ReadOptions(A, *shadow));
  A->spptr = shadow.release();
  AddMatrix(type);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Attach(Mat A, const TypeInfo &type, const char *name, Compose *compose)
{
  PetscFunctionBegin;
  PetscCheck(FindType(name), PetscObjectComm((PetscObject)A), PETSC_ERR_ORDER,
             "PetscSpMV is not registered: call PetscSpMVRegisterAll() before matrices get type %s", name);
  Erase(OrphanOf(A)); // of a matrix that had the same address
  PetscCall(AttachShadow(A, type));
  PetscErrorCode ierr = compose(A, type, true);
  if (!ierr) ierr = ChangeTypeName(A, name);
  if (ierr) { // it is a plain matrix again
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
  PetscCall(PetscStrallocpy(base.name, &name)); // first whatever may fail
  const PetscErrorCode ierr = type ? compose(A, *type, false) : PETSC_SUCCESS;
  if (ierr) PetscCall(PetscFree(name));
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
  if (!A->spptr) { // the data and composed functions are now those of a plain matrix
    const TypeInfo *type = FindType(((PetscObject)A)->type_name);
    PetscCheck(type, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "Matrix of type %s has the methods of a PetscSpMV type",
               ((PetscObject)A)->type_name);
    PetscCall(AttachShadow(A, *type));
    const bool           mpi  = type->mpi == ((PetscObject)A)->type_name;
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

const TypeInfo *TypeOf(Mat A)
{
  return A->spptr ? static_cast<Shadow *>(A->spptr)->type : FindType(((PetscObject)A)->type_name);
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

PetscErrorCode DestroyShadow(Mat A)
{
  Shadow                  *shadow  = static_cast<Shadow *>(A->spptr);
  std::unique_ptr<Shadow> &kept    = OrphanOf(A);
  const bool               merging = !((PetscObject)A)->type_name; // a header merge has removed the name

  PetscFunctionBegin;
  A->spptr = nullptr;
  // Not used since the last merge: the shadow, if any, is still the other matrix's.
  if (merging && kept && (!shadow || shadow->owner != A)) {
    delete shadow;
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  Erase(kept);
  if (merging && shadow) Keep(A, shadow);
  else delete shadow;
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool IsLast(Mat A)
{
  return ((PetscObject)A)->refct == 0 || !((PetscObject)A)->type_name;
}

} // namespace petscspmv
