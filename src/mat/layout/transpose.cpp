#include "mat/layout/transpose.hpp"

#include "mat/layout/product.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

#include <memory>
#include <utility>

namespace petscspmv {

namespace {

/// The shadow with layouts of A^T.
PetscErrorCode GetTranspose(Mat A, Shadow &shadow, Shadow **transpose)
{
  PetscFunctionBegin;
  if (!shadow.transpose) {
    PetscCall(Guard([&] {
      auto fresh       = std::make_unique<Shadow>(A, *shadow.type);
      fresh->source    = std::make_unique<TransposeSource>();
      shadow.transpose = std::move(fresh);
    }));
  }
  *transpose          = shadow.transpose.get();
  (*transpose)->owner = A;
  if ((*transpose)->options != shadow.options) {
    (*transpose)->options = shadow.options;
    (*transpose)->ForgetLayouts();
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether a layout should do the next product, if no chooser decides. On devices AIJ would copy vectors to the host.
bool WantsLayout(const TransposeSource &source, MatSpMVTranspose by, Place place)
{
  if (by == MAT_SPMV_TRANSPOSE_LAYOUT) return true;
  return place == Place::Device ? source.patience.CanEnd() : source.patience.Ends();
}

} // namespace

PetscErrorCode BeginTranspose(Mat A, Shadow &shadow, const Operand &with, Product *product)
{
  Stamp now;
  bool  made = true;

  PetscFunctionBegin;
  PetscCall(GetTranspose(A, shadow, &product->shadow));
  Shadow &transpose = *product->shadow;
  product->by_aij   = shadow.transpose_by == MAT_SPMV_TRANSPOSE_AIJ;
  if (product->by_aij) {
    transpose.ForgetLayouts();
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (transpose.chooser) {
    PetscCall(Choose(A, transpose, with, product));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  PetscCall(now.Take(A));
  transpose.source->patience.Look(now);
  product->by_aij = !WantsLayout(*transpose.source, shadow.transpose_by, with.place);
  transpose.source->patience.Count(with.columns);
  if (product->by_aij) PetscFunctionReturn(PETSC_SUCCESS);
  transpose.in_use = static_cast<std::size_t>(with.place);
  if (shadow.transpose_by == MAT_SPMV_TRANSPOSE_LAYOUT) PetscCall(MakeCurrent(A, transpose));
  else PetscCall(MakeCurrentIfItFits(A, transpose, &made));
  product->by_aij = !made;
  if (!made) transpose.source->patience.GiveUp();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv

/*@
   MatSpMVSetTranspose - Sets how products with the transpose are computed for a matrix of one of PetscSpMV's types.

   Logically Collective

   Input Parameters:
+  A  - the matrix
-  by - `MAT_SPMV_TRANSPOSE_AUTO`, `MAT_SPMV_TRANSPOSE_AIJ` or `MAT_SPMV_TRANSPOSE_LAYOUT`

   Options Database Key:
.  -mat_<type>_transpose <auto,aij,layout> - how they are computed, e.g. `-mat_csr5_transpose`

   Level: intermediate

   Note:
   On a matrix of any other type nothing happens.

.seealso: `MatSpMVTranspose`, `MatSpMVSetOption()`
@*/
PetscErrorCode MatSpMVSetTranspose(Mat A, MatSpMVTranspose by)
try {
  using namespace petscspmv;
  Shadow *shadow;

  PetscFunctionBegin;
  PetscValidHeaderSpecific(A, MAT_CLASSID, 1);
  PetscValidLogicalCollectiveEnum(A, by, 2);
  PetscCheck(by >= MAT_SPMV_TRANSPOSE_AUTO && by <= MAT_SPMV_TRANSPOSE_LAYOUT, PetscObjectComm((PetscObject)A),
             PETSC_ERR_ARG_OUTOFRANGE, "%d is not a MatSpMVTranspose", static_cast<int>(by));
  if (!FindType(((PetscObject)A)->type_name)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(GetShadow(A, &shadow));
  shadow->transpose_by = by;
  PetscCall(SetOptions(A, *shadow, shadow->options)); // also for its blocks
  PetscFunctionReturn(PETSC_SUCCESS);
}
PETSCSPMV_CATCH
