#include "mat/shadow/multiply.hpp"

#include "mat/exec/session.hpp"
#include "mat/layout/made.hpp"
#include "mat/layout/transpose.hpp"
#include "mat/report/asked.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

#include <utility>

namespace petscspmv {

namespace {

/// Decides who does the product, and makes the layout current that does.
PetscErrorCode Decide(Mat A, Op op, const Operand &with, Product *product)
{
  SequentialShadow *shadow;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow));
  Layouts        &layouts = shadow->layouts;
  const TypeInfo &type    = *layouts.settings->type;
  if ((op == Op::T && !type.transpose) || (op == Op::H && !type.hermitian)) {
    PetscCall(BeginTranspose(A, layouts, with, shadow->transposed, product)); // a format may have its own kernels for the transpose
  } else if (layouts.chooser) {
    PetscCall(Choose(A, layouts, with, product));
  } else {
    const auto slot = static_cast<std::size_t>(with.place);
    bool       made;
    PetscCall(MakeCurrentWithinLimit(A, layouts, slot, &made));
    product->layouts = &layouts;
    if (made) product->slot = slot;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode PrepareProduct(Mat A)
{
  const Locked      now(Lock());
  SequentialShadow *shadow;
  bool              made;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow));
  Layouts &layouts = shadow->layouts;
  if (layouts.chooser) PetscCall(layouts.chooser->PrepareProduct(A, layouts));
  else PetscCall(MakeCurrentWithinLimit(A, layouts, static_cast<std::size_t>(Place::Host), &made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BeginProduct(Mat A, Op op, const Operand &with, Product *product)
{
  const Locked now(Lock());

  PetscFunctionBegin;
  PetscCall(Decide(A, op, with, product));
  if (product->slot) PetscCall(Guard([&] { product->Take(op, with.dense); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EndProduct(Mat A, Vec x, Vec y, Count count, bool adds, double seconds, Product *product)
{
  const Locked         now(Lock());
  Layouts             &layouts = *product->layouts;
  const TypeInfo      &type    = *layouts.settings->type;
  const Chooser *const chooser = layouts.chooser.get();

  PetscFunctionBegin;
  AddProduct(*layouts.info, count, product->Format(), product->plain, chooser != nullptr);
  if (!product->IsByAij()) {
    const PetscLogDouble flops =
      2.0 * static_cast<PetscLogDouble>(product->nnz) - (adds ? 0 : static_cast<PetscLogDouble>(product->nonempty_rows));
    PetscCall(product->OnDevice() ? PetscLogGpuFlops(flops) : PetscLogFlops(flops));
    if (product->OnDevice()) AddCount(*layouts.info, Count::OnDevice);
    PetscCall(product->EndTrial(A));
  }
  if (product->chooser) PetscCall(product->chooser->EndProduct(A, layouts, product->SecondsByParts()));
  else if (chooser && !product->IsByAij()) AddUnmeasured(type);
  if (chooser && product->IsByAij() && Viewing()) AddWhyAij(chooser->Why(layouts), seconds);
  PetscCall(NoteProduct(A, x, y, type, seconds));
  product->GiveBack();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode FitResidual(Mat A, PetscErrorCode (*mult)(Mat, Vec, Vec), Vec b, Vec x, Vec r, bool *fit)
{
  const std::pair<Vec, PetscLayout> vectors[] = {{x, A->cmap}, {b, A->rmap}, {r, A->rmap}};
  PetscInt                          local, global;

  PetscFunctionBegin;
  *fit = A->ops->mult == mult && A->assembled && !A->factortype && !A->erroriffailure && x != r && b != r;
  for (const auto &[vector, layout] : vectors) {
    PetscCall(VecGetLocalSize(vector, &local));
    PetscCall(VecGetSize(vector, &global));
    *fit = *fit && local == layout->n && global == layout->N;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode ResidualByMult(Mat A, Vec b, Vec x, Vec r)
{
  PetscFunctionBegin;
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeLayoutAtAssembly(Mat A)
{
  const Locked      now(Lock());
  SequentialShadow *shadow;
  bool              made = true;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow));
  if (!FormatOf(*shadow->settings().type)) PetscFunctionReturn(PETSC_SUCCESS);
  Layouts &layouts = shadow->layouts;
  PetscCall(layouts.Need());
  MadeLayout &latest = layouts.slots[layouts.latest];
  if (!latest.layout || latest.stamp.nonzerostate != A->nonzerostate)
    PetscCall(MakeCurrentIfItFits(A, layouts, layouts.latest, &made)); // if not made, the first product tries again, or fails
  if (made) latest.stamp.state = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
