#include "mat/layout/transpose.hpp"

#include "mat/layout/made.hpp"
#include "petsc/guard.hpp"

#include <utility>

namespace petscspmv {

namespace {

/// Whether a layout should do the next product, if no chooser decides. On devices it does so at once: AIJ would run on the host.
bool WantsLayout(const TransposeSource &source, MatSpMVTranspose by, Place place)
{
  if (by == MAT_SPMV_TRANSPOSE_LAYOUT) return true;
  return place == Place::Device ? source.break_even.CanBeReached() : source.break_even.Reached();
}

} // namespace

PetscErrorCode BeginTranspose(Mat A, const Layouts &layouts, const Operand &with, std::unique_ptr<Layouts> &transposed,
                              Product *product)
{
  const MatSpMVTranspose by = layouts.settings->transpose_by;
  Stamp                  now;
  bool                   made = true;

  PetscFunctionBegin;
  if (!transposed) {
    PetscCall(Guard([&] {
      auto fresh    = std::make_unique<Layouts>(*layouts.settings, *layouts.info, *layouts.own);
      fresh->source = std::make_unique<TransposeSource>();
      transposed    = std::move(fresh);
    }));
  }
  product->layouts = transposed.get();
  if (by == MAT_SPMV_TRANSPOSE_AIJ) {
    transposed->Forget();
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (transposed->chooser) {
    PetscCall(Choose(A, *transposed, with, product));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(now.Take(A));
  BreakEven &break_even = transposed->source->break_even;
  break_even.Look(now);
  const bool wanted = WantsLayout(*transposed->source, by, with.place);
  break_even.Count(with.columns);
  if (!wanted) PetscFunctionReturn(PETSC_SUCCESS);
  const auto slot = static_cast<std::size_t>(with.place);
  if (by == MAT_SPMV_TRANSPOSE_LAYOUT) PetscCall(MakeCurrentWithinLimit(A, *transposed, slot, &made));
  else PetscCall(MakeCurrentIfItFits(A, *transposed, slot, &made));
  if (made) product->slot = slot;
  else break_even.GiveUp();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
