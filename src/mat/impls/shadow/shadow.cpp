#include "mat/impls/shadow/shadow.hpp"

#include "mat/impls/shadow/guard.hpp"

#include <map>
#include <utility>

namespace petscspmv {

namespace {

/// Settings of matrices that a header merge has emptied and is about to fill again.
struct Orphan {
  const TypeInfo *type;
  OptionValues    options, chosen;
  PetscBool       eager;
  MatSpMVInfo     info;

  std::unique_ptr<Chooser> chooser;
};

std::map<Mat, Orphan> orphans;

/// A shadow that has come from another matrix, by a header merge or swap, has nothing of its new owner's.
PetscErrorCode ChangeOwner(Mat A, Shadow &shadow)
{
  const auto orphan = orphans.find(A);

  PetscFunctionBegin;
  shadow.owner = A;
  shadow.ForgetLayouts();
  if (orphan == orphans.end()) PetscFunctionReturn(PETSC_SUCCESS);
  if (orphan->second.type == shadow.type) {
    shadow.eager   = orphan->second.eager;
    shadow.info    = orphan->second.info;
    shadow.chosen  = orphan->second.chosen;
    shadow.chooser = std::move(orphan->second.chooser);
    shadow.ForgetLayouts();
    PetscCall(SetOptions(A, shadow, orphan->second.options));
  }
  orphans.erase(A);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

Shadow::Shadow(Mat A, const TypeInfo &t) : owner(A), type(&t)
{
  for (const OptionSpec &option : t.options) chosen.push_back(option.initial);
  options = chosen;
  chooser = MakeChooserOf(t);
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

void Shadow::ForgetLayouts()
{
  layouts.clear();
  in_use = 0;
  if (chooser) chooser->Restart();
}

double Shadow::Bytes() const
{
  double bytes = 0;
  for (const MadeLayout &made : layouts) bytes += static_cast<double>(made.Bytes());
  return bytes;
}

PetscErrorCode AttachShadow(Mat A, const TypeInfo &type)
{
  std::unique_ptr<Shadow> shadow;

  PetscFunctionBegin;
  PetscCall(Guard([&] { shadow = std::make_unique<Shadow>(A, type); }));
  PetscCall(ReadOptions(A, *shadow));
  A->spptr = shadow.release();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetShadow(Mat A, Shadow **shadow)
{
  PetscFunctionBegin;
  if (!A->spptr) { // the data are now those of a plain matrix, and so are the composed functions
    const TypeInfo *type = FindType(((PetscObject)A)->type_name);
    PetscCheck(type, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "Matrix of type %s has the methods of a type of PetscSpMV",
               ((PetscObject)A)->type_name);
    PetscCall(AttachShadow(A, *type));
    PetscCall(type->mpi == ((PetscObject)A)->type_name ? ComposeMPIAIJMethods(A, *type, true)
                                                       : ComposeSeqAIJMethods(A, *type, true));
    static_cast<Shadow *>(A->spptr)->owner = nullptr;
  }
  *shadow = static_cast<Shadow *>(A->spptr);
  if ((*shadow)->owner != A) PetscCall(ChangeOwner(A, **shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const TypeInfo *TypeOf(Mat A)
{
  return A->spptr ? static_cast<Shadow *>(A->spptr)->type : FindType(((PetscObject)A)->type_name);
}

PetscErrorCode DestroyShadow(Mat A)
{
  Shadow *shadow = static_cast<Shadow *>(A->spptr);

  PetscFunctionBegin;
  orphans.erase(A);
  if (!((PetscObject)A)->type_name && shadow)
    PetscCall(Guard([&] {
      orphans[A] = {shadow->type, shadow->options, shadow->chosen, shadow->eager, shadow->info, std::move(shadow->chooser)};
    })); // a header merge has taken the name away
  A->spptr = nullptr;
  delete shadow;
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool IsLast(Mat A)
{
  return ((PetscObject)A)->refct == 0;
}

void ForgetOrphans()
{
  orphans.clear();
}

} // namespace petscspmv
