#include "mat/layout/layouts.hpp"

#include "petsc/guard.hpp"

namespace petscspmv {

Layouts::Layouts(const Settings &s, MatSpMVInfo &counts, OwnBytes &bytes) : settings(&s), info(&counts), own(&bytes)
{
  if (const MakeChooser make = ChooserOf(*s.type)) chooser = make();
}

PetscErrorCode Layouts::Need()
{
  PetscFunctionBegin;
  if (!slots.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(Guard([&] {
    if (chooser) slots = chooser->MakeSlots(settings->options);
    else {
      for (const Place place : {Place::Host, Place::Device})
        slots.push_back({.format = FormatOf(*settings->type), .place = place, .options = settings->options});
    }
  }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Layouts::Forget()
{
  slots.clear();
  latest = 0;
  if (chooser) chooser->Restart();
  if (source) *source = {};
}

double Layouts::Bytes() const
{
  double bytes = source ? static_cast<double>(source->arrays.Bytes()) : 0;
  for (const MadeLayout &made : slots) bytes += static_cast<double>(made.Bytes());
  return bytes;
}

} // namespace petscspmv
