#include "mat/layout/product.hpp"

#include "mat/exec/session.hpp"
#include "mat/report/statistics.hpp"
#include "mat/shadow/shadow.hpp"
#include "petsc/guard.hpp"

#include <chrono>
#include <new>
#include <utility>

namespace petscspmv {

void Product::Take(Op op, bool dense)
{
  MadeLayout &made = shadow->Made();
  workspace_       = made.workspaces.Take(*made.layout);
  for_many_        = made.workspaces.ForMany();
  layout_          = made.layout; // from here on there is something to give back
  ++shadow->under_way;
  slot_         = shadow->in_use;
  format_       = made.format;
  place_        = made.place;
  nnz           = made.stamp.nnz;
  nonempty_rows = shadow->nonempty_rows;
  execution_    = ExecutionOf(*shadow);

  execution_.workspace  = workspace_.data();
  const bool transposes = op != Op::N && !shadow->source;
  if (dense || transposes || place_ != Place::Host || !made.way.TakeTurn()) return;
  way_   = made.way;
  timed_ = true;
}

void Product::TakeForMany()
{
  const Locked now(Lock());
  if (for_many_ || !IsStillThere()) return;
  MadeLayout &made = shadow->layouts[slot_];
  try {
    made.workspaces.MakeForMany(*layout_);
    workspace_ = made.workspaces.Take(*layout_);
    for_many_  = true;
  } catch (const std::bad_alloc &) { // one vector at a time
  }
  execution_.workspace = workspace_.data();
}

bool Product::IsStillThere() const
{
  return slot_ < shadow->layouts.size() && shadow->layouts[slot_].layout == layout_;
}

void Product::Apply(Op op, bool add, const PetscScalar *x, PetscScalar *y)
{
  if (!timed_ || seconds_ > 0) return layout_->Apply(execution_, op, add, x, y);
  const auto start = std::chrono::steady_clock::now();
  layout_->Apply(execution_, op, add, x, y);
  seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

PetscErrorCode Product::EndTrial()
{
  PetscFunctionBegin;
  if (!timed_ || seconds_ == 0) PetscFunctionReturn(PETSC_SUCCESS); // nothing was multiplied
  timed_ = false;
  if (!way_.EndTurn(seconds_)) PetscFunctionReturn(PETSC_SUCCESS);
  AddCount(*shadow, Count::Trial);
  if (way_.IsOther()) AddCount(*shadow, Count::OtherWay);
  PetscCall(PetscInfo(shadow->owner, "%s products found the fastest way: %s\n", format_->title, way_.Describe().c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Product::GiveBack() noexcept
{
  if (!layout_ && !chooser) return;
  const Locked now(Lock());
  if (timed_) way_.GiveTurnBack();
  if (chooser) shadow->measuring = false;
  if (layout_) {
    --shadow->under_way;
    if (IsStillThere()) shadow->layouts[slot_].workspaces.Return(std::move(workspace_), for_many_);
  }
  layout_.reset();
  timed_  = false;
  chooser = nullptr;
}

namespace {

/// A product while another one is measured: the layout in use does it if it is current, otherwise AIJ, and nothing is decided.
PetscErrorCode WithoutChoice(Mat A, Shadow &shadow, const Operand &with, Product *product)
{
  Stamp now;

  PetscFunctionBegin;
  product->by_aij = true;
  if (shadow.layouts.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  const MadeLayout &made = shadow.Made();
  if (!made.layout || made.place != with.place || (with.dense && !made.format->many)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(now.Take(A));
  product->by_aij = !made.stamp.SamePattern(now) || !made.stamp.SameValues(now);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Decides what does a product, and makes its layout current.
PetscErrorCode Decide(Mat A, Op op, const Operand &with, Product *product)
{
  PetscFunctionBegin;
  PetscCall(GetShadow(A, &product->shadow));
  Shadow &shadow = *product->shadow;
  if ((op == Op::T && !shadow.type->transpose) || (op == Op::H && !shadow.type->hermitian)) {
    PetscCall(BeginTranspose(A, shadow, with, product)); // a format may have its own kernels for the transpose
  } else if (shadow.chooser) {
    PetscCall(Choose(A, shadow, with, product));
  } else {
    shadow.in_use = static_cast<std::size_t>(with.place); // MakeCurrent() needs the layouts
    PetscCall(MakeCurrent(A, shadow));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode Choose(Mat A, Shadow &shadow, const Operand &with, Product *product)
{
  PetscFunctionBegin;
  if (shadow.measuring || (shadow.source && shadow.under_way > 0)) { // layouts of A^T may share arrays, which a choice may free
    PetscCall(WithoutChoice(A, shadow, with, product));
  } else if (with.dense) {
    PetscCall(shadow.chooser->BeginDense(A, shadow, with.columns, &product->by_aij));
  } else {
    PetscCall(shadow.chooser->BeginProduct(A, shadow, with.place, &product->by_aij));
    product->chooser = shadow.chooser.get();
    shadow.measuring = true;
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode PrepareProduct(Mat A)
{
  const Locked now(Lock());
  Shadow      *shadow;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow));
  if (shadow->chooser) {
    PetscCall(shadow->chooser->PrepareProduct(A, *shadow));
  } else {
    shadow->in_use = static_cast<std::size_t>(Place::Host);
    PetscCall(MakeCurrent(A, *shadow));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode BeginProduct(Mat A, Op op, const Operand &with, Product *product)
{
  const Locked now(Lock());

  PetscFunctionBegin;
  PetscCall(Decide(A, op, with, product));
  if (!product->by_aij) PetscCall(Guard([&] { product->Take(op, with.dense); }));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode EndProduct(Mat A, Vec x, Vec y, Count count, bool adds, double seconds, Product *product)
{
  const Locked now(Lock());
  Shadow      &shadow = *product->shadow;

  PetscFunctionBegin;
  AddProduct(shadow, count, product->Format());
  if (!product->by_aij) {
    const PetscLogDouble flops =
      2.0 * static_cast<PetscLogDouble>(product->nnz) - (adds ? 0 : static_cast<PetscLogDouble>(product->nonempty_rows));
    PetscCall(product->OnDevice() ? PetscLogGpuFlops(flops) : PetscLogFlops(flops));
    if (product->OnDevice()) AddCount(shadow, Count::OnDevice);
    PetscCall(product->EndTrial());
  }
  if (product->chooser) PetscCall(product->chooser->EndProduct(shadow));
  else if (shadow.chooser && !product->by_aij) AddUnmeasured(shadow);
  if (shadow.chooser && product->by_aij && Viewing()) AddWhyAij(shadow.chooser->Why(shadow), seconds);
  PetscCall(NoteProduct(A, x, y, shadow, seconds));
  product->GiveBack();
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
