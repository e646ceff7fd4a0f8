#include "mat/aij/methods.hpp"

#include "mat/shadow/options.hpp"
#include "mat/shadow/shadow.hpp"
#include "mat/shadow/view.hpp"

namespace petscspmv {

PetscErrorCode MatView_AIJShadow(Mat A, PetscViewer viewer)
{
  const Base *base;

  PetscFunctionBegin;
  PetscCall(GetBaseOf(A, &base));
  PetscCall((*base->ops.view)(A, viewer));
  PetscCall(ViewShadow(A, viewer));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MatSetFromOptions_AIJShadow(Mat A, OptionItems items)
{
  const Base *base;
  Shadow     *shadow;

  PetscFunctionBegin;
  PetscCall(GetBaseOf(A, &base));
  if (base->ops.setfromoptions) PetscCall((*base->ops.setfromoptions)(A, items));
  PetscCall(GetShadow(A, &shadow));
  Settings settings = shadow->settings();
  PetscCall(ReadSettings(A, settings));
  PetscCall(SetSettings(A, *shadow, settings));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
