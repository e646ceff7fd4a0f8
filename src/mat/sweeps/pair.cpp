#include "mat/sweeps/pair.hpp"

#include "mat/exec/settings.hpp"
#include "mat/tuning/choose_target.hpp"

#include <utility>

namespace petscspmv {

void TrianglePair::NewPattern()
{
  choice_.NewPattern();
  Free();
}

void TrianglePair::NewValues()
{
  choice_.NewValues();
  for (Side &side : sides_) side.has_values = false;
  NewDiagonal();
}

void TrianglePair::Free()
{
  sides_ = {};
  FreeRest();
}

PetscErrorCode TrianglePair::Begin(MatSpMVSweeps sweeps, bool *by_layout)
{
  PetscFunctionBegin;
  if (sweeps != made_for_) Free();
  made_for_  = sweeps;
  *by_layout = sweeps == MAT_SPMV_SWEEPS_LAYOUT || (sweeps != MAT_SPMV_SWEEPS_AIJ && choice_.WantsLayout());
  if (*by_layout) PetscCall(NeedTarget());
  execution_ = CurrentExecution();
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool TrianglePair::Make(const PetscTriangleSource &source, const PetscScalar *diagonal)
{
  Side &side = sides_[source.upper ? 1 : 0];
  if (!side.layout) {
    PetscTriangle layout(TriangleMethodsByTarget());
    if (!layout.Build(execution_, source,
                      {.always = made_for_ == MAT_SPMV_SWEEPS_LAYOUT, .single = made_for_ == MAT_SPMV_SWEEPS_SINGLE}))
      return false;
    side.layout = std::move(layout);
  } else if (!side.has_values) {
    side.layout.Refresh(execution_, source);
  }
  side.has_values = true;
  if (diagonal && !side.has_diagonal) side.layout.SetDiagonal(diagonal);
  side.has_diagonal = true;
  return true;
}

} // namespace petscspmv
