#include "mat/sweeps/pair.hpp"

#include "mat/tuning/experience.hpp"
#include "petsc/guard.hpp"

#include <utility>

namespace petscspmv {

void TrianglePair::NewPattern()
{
  if (choice_) choice_->NewPattern();
  Free();
}

void TrianglePair::NewValues()
{
  if (choice_) choice_->NewValues();
  for (Side &side : sides_) side.has_values = false;
  NewDiagonal();
}

void TrianglePair::Free()
{
  sides_ = {};
  FreeRest();
}

void TrianglePair::GiveUp(Made made, double seconds)
{
  made == Made::Never ? choice_->Refuse(seconds) : choice_->Postpone(seconds);
  Free();
}

PetscErrorCode TrianglePair::Begin(MatSpMVSweeps by, PetscInt rows, bool *by_layout)
{
  PetscFunctionBegin;
  if (!choice_) PetscCall(Guard([&] { choice_.emplace(BudgetOfProgram(), SweepFindingsOf(rows)); }));
  if (by != made_for_) NewPattern();
  made_for_ = by;
  switch (by) {
  case MAT_SPMV_SWEEPS_AUTO:
    *by_layout = choice_->WantsLayouts();
    break;
  case MAT_SPMV_SWEEPS_AIJ:
    *by_layout = false;
    break;
  case MAT_SPMV_SWEEPS_LAYOUT:
    *by_layout = true;
    break;
  case MAT_SPMV_SWEEPS_SINGLE:
    *by_layout = !choice_->Refused();
    break;
  }
  if (!*by_layout && choice_->Refused()) Free();
  PetscFunctionReturn(PETSC_SUCCESS);
}

bool TrianglePair::Make(const PetscTriangleSource &source, const PetscScalar *diagonal)
{
  Side        &side  = sides_[source.upper ? 1 : 0];
  const bool   makes = !side.has_values;
  const double start = makes ? ThreadSeconds() : 0;
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
  if (makes) making_ += ThreadSecondsSince(start);
  return true;
}

} // namespace petscspmv
