#include "mat/layout/product.hpp"

#include "mat/exec/alone.hpp"
#include "mat/exec/session.hpp"
#include "mat/exec/settings.hpp"
#include "mat/layout/made.hpp"
#include "mat/layout/plain_product.hpp"
#include "mat/report/statistics.hpp"
#include "mat/tuning/choose_target.hpp"

#include <chrono>
#include <new>
#include <utility>

namespace petscspmv {

namespace {

/// Before a product on the host: chooses the target if a measurement is worth its time by now, and finds the variants to try with
/// this layout. Where memory is short, the product runs without them.
void PrepareVariant(MadeLayout &made)
{
  try {
    CountTowardsMeasurement(made.stamp.nnz);
    made.variant.Find();
  } catch (const std::bad_alloc &) {
  }
}

} // namespace

PetscErrorCode Product::TakeArrays(Mat A)
{
  const bool in_parts = slot && !layouts->slots[*slot].IsWhole();
  Stamp      now;

  PetscFunctionBegin;
  if (!plain && !in_parts) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(now.Take(A));
  execution_ = CurrentExecution(); // a layout has its own
  arrays_    = now.Lent();
  nnz        = now.nnz;
  if (layouts->uses_nodes.value_or(false)) PetscCall(nodes_.Take(A));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Product::Take(Op op, bool dense)
{
  MadeLayout &made   = layouts->slots[*slot];
  const bool  whole  = made.IsWhole();
  const bool  single = made.place == Place::Host && !dense && whole && (op == Op::N || layouts->source);
  if (single) PrepareVariant(made);
  workspace_ = made.workspaces.Take(*made.layout);
  for_many_  = made.workspaces.ForMany();
  made_      = made.layout->Made();
  layout_    = made.layout; // from here on there is something to give back
  ++layouts->under_way;
  parts_        = made.current;
  format_       = made.format;
  place_        = made.place;
  nnz           = made.stamp.nnz;
  nonempty_rows = made.nonempty_rows;
  execution_    = ExecutionOf(made);

  execution_.workspace = workspace_.data();
  if (!single || !made.variant.TakeTurn()) return;
  variant_ = made.variant;
  timed_   = true;
}

void Product::TakeForMany()
{
  const Locked now(Lock());
  if (for_many_ || !IsStillThere()) return;
  MadeLayout &made = layouts->slots[*slot];
  try {
    made.workspaces.MakeForMany(*layout_);
    workspace_ = made.workspaces.Take(*layout_);
    for_many_  = true;
  } catch (const std::bad_alloc &) { // multiply one vector at a time
  }
  execution_.workspace = workspace_.data();
}

bool Product::IsStillThere() const
{
  return *slot < layouts->slots.size() && layouts->slots[*slot].layout == layout_ && layout_->Made() == made_;
}

void Product::Apply(Op op, const PetscScalar *x, const Result<PetscScalar> &result)
{
  const auto multiply_plain = [&](PetscInt first) {
    MultiplyPlain(arrays_, nodes_, first, PrefetchesAlone(execution_, arrays_.EntryBytes()), x, result);
  };
  if (plain) return multiply_plain(0);
  const bool in_parts = parts_ < layout_->Parts();
  if (!in_parts && (!timed_ || seconds_ > 0)) return layout_->Apply(parts_, execution_, op, x, result);
  const auto start = std::chrono::steady_clock::now();
  layout_->Apply(parts_, execution_, op, x, result);
  (in_parts ? seconds_by_parts_ : seconds_) = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (in_parts) multiply_plain(layout_->FirstRow(parts_));
}

PetscErrorCode Product::EndTrial(Mat A)
{
  PetscFunctionBegin;
  if (!timed_ || seconds_ == 0) PetscFunctionReturn(PETSC_SUCCESS); // nothing was multiplied
  timed_ = false;
  if (!variant_.EndTurn(seconds_)) PetscFunctionReturn(PETSC_SUCCESS);
  AddCount(*layouts->info, Count::Trial);
  if (variant_.IsOther()) AddCount(*layouts->info, Count::OtherVariant);
  PetscCall(PetscInfo(A, "%s products found the fastest way: %s\n", format_->title, variant_.Describe().c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void Product::GiveBack() noexcept
{
  if (!layout_ && !chooser) return;
  const Locked now(Lock());
  if (timed_) variant_.GiveTurnBack();
  if (chooser) layouts->measuring = false;
  if (layout_) {
    --layouts->under_way;
    if (IsStillThere()) layouts->slots[*slot].workspaces.Return(std::move(workspace_), for_many_);
  }
  layout_.reset();
  timed_  = false;
  chooser = nullptr;
}

namespace {

/// A product for which nothing is decided, as while another one is measured: the latest layout does it if current, otherwise AIJ.
PetscErrorCode WithoutChoice(Mat A, const Layouts &layouts, const Operand &with, Slot *slot)
{
  Stamp now;

  PetscFunctionBegin;
  if (layouts.slots.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  const MadeLayout &made = layouts.slots[layouts.latest];
  if (!made.layout || made.current == 0 || made.place != with.place || (with.dense && (!made.format->many || !made.IsWhole())))
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(now.Take(A));
  if (made.stamp.SamePattern(now) && made.stamp.SameValues(now)) *slot = layouts.latest;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode Choose(Mat A, Layouts &layouts, const Operand &with, Product *product)
{
  PetscFunctionBegin;
  product->layouts = &layouts;
  if (layouts.measuring || (layouts.source && layouts.under_way > 0)) { // A^T's may share arrays, which a choice may free
    PetscCall(WithoutChoice(A, layouts, with, &product->slot));
  } else if (with.dense) {
    PetscCall(layouts.chooser->BeginDense(A, layouts, with.columns, &product->slot));
  } else {
    Chooser::Decision decision;
    PetscCall(layouts.chooser->BeginProduct(A, layouts, with.place, &decision));
    product->slot          = decision.slot;
    product->plain         = decision.plain;
    product->nonempty_rows = decision.nonempty_rows;
    product->chooser       = layouts.chooser.get();
    layouts.measuring      = true;
  }
  PetscCall(product->TakeArrays(A)); // also without a choice: the latest layout may be in parts
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
