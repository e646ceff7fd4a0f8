#include "mat/layout/made.hpp"

#include "mat/exec/memory_use.hpp"
#include "mat/exec/session.hpp"
#include "mat/exec/settings.hpp"
#include "mat/report/events.hpp"
#include "mat/report/statistics.hpp"
#include "mat/tuning/choose_target.hpp"
#include "mat/tuning/digest.hpp"
#include "petsc/guard.hpp"
#include "petsc/stream.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace petscspmv {

namespace {

/// Whether a layout multiplies with the arrays of the matrix themselves. For A^T they are copies.
bool Borrows(const Layouts &layouts, const MadeLayout &made)
{
  return made.format->borrows && !layouts.source;
}

/// Fails: the matrix has an entry in a nonexistent column, for which a layout would read beyond x.
PetscErrorCode RefuseColumns(Mat A, const Csr<PetscScalar, PetscInt> &csr)
{
  PetscFunctionBegin;
  const PetscInt *const col =
    std::find_if(csr.col_idx, csr.col_idx + csr.nnz(), [&](PetscInt j) { return j < 0 || j >= csr.cols; });
  const PetscInt *const row = std::upper_bound(csr.row_ptr, csr.row_ptr + csr.rows + 1, col - csr.col_idx) - 1;
  SETERRQ(PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
          "Row %" PetscInt_FMT " has an entry in column %" PetscInt_FMT ", the matrix has %" PetscInt_FMT
          " columns: the file or the arrays that it was made from are wrong",
          static_cast<PetscInt>(row - csr.row_ptr), *col, csr.cols);
}

std::uint64_t ValueDigest(bool borrows, const Csr<PetscScalar, PetscInt> &csr)
{
  return borrows ? 0 : Digest(csr.val, static_cast<std::size_t>(csr.nnz()), 2);
}

/// With -spmv_audit: checks that a layout considered current was made from the current arrays.
PetscErrorCode Audit(const MadeLayout &made, bool borrows, const Csr<PetscScalar, PetscInt> &csr)
{
  PetscFunctionBegin;
  PetscCheck(made.pattern == PatternDigest(csr, !borrows) && made.values == ValueDigest(borrows, csr), PETSC_COMM_SELF,
             PETSC_ERR_PLIB,
             "The %s layout is stale: the matrix has changed without a change of its state; call PetscObjectStateIncrease() after "
             "changing its arrays",
             made.format->title);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt NonemptyRows(const Csr<PetscScalar, PetscInt> &csr)
{
  PetscInt n = 0;
  for (PetscInt row = 0; row < csr.rows; ++row) n += csr.row_ptr[row] < csr.row_ptr[row + 1];
  return n;
}

/// Whether some layout multiplies with the arrays of A^T themselves.
bool LendsTranspose(const Layouts &layouts)
{
  return std::ranges::any_of(layouts.slots, [](const MadeLayout &made) { return made.layout && made.format->borrows; });
}

/// Builds a layout or refreshes its values; there is none if that fails.
PetscErrorCode MakeLayout(const Csr<PetscScalar, PetscInt> &of_A, std::uint64_t pattern, bool refresh, Layouts &layouts,
                          MadeLayout &made)
{
  auto layout = std::move(made.layout);

  PetscFunctionBegin;
  if (made.place == Place::Host) PetscCall(NeedTarget());
  PetscCall(Guard([&] {
    const MakingLayout limited;
    const auto         csr = layouts.source ? layouts.source->arrays.Take(of_A, pattern, !refresh) : of_A;
    if (refresh) {
      layout->Refresh(ExecutionOf(made), csr);
    } else {
      made.workspaces = {};
      layout          = std::make_shared<FormatLayout>(*made.format, made.place);
      layout->Build(ExecutionOf(made), csr, made.options);
      made.workspaces.Start(*layout);
      if (made.place == Place::Host)
        made.variant = LayoutVariant(*made.format, made.options, layouts.source ? ~pattern : pattern, csr,
                                     made.format->borrows ? csr.EntryBytes() : layout->Bytes());
      made.nonempty_rows = NonemptyRows(csr);
    }
  }));
  made.layout = std::move(layout);
  if (layouts.source && !LendsTranspose(layouts)) layouts.source->arrays.FreeEntries(!refresh);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

Execution ExecutionOf(const MadeLayout &made)
{
  Execution execution = CurrentExecution();
  execution.target    = TargetOf(*made.format);
  if (made.place == Place::Device) execution.stream = BorrowedStream();
  else made.variant.SetIn(execution);
  return execution;
}

PetscErrorCode MakeCurrent(Mat A, Layouts &layouts, std::size_t slot)
{
  Stamp now;

  PetscFunctionBegin;
  layouts.latest = slot;
  PetscCall(layouts.Need());
  MadeLayout &made    = layouts.slots[slot];
  const bool  borrows = Borrows(layouts, made);
  if (made.place == Place::Device) PetscCall(BorrowStream());
  PetscCall(now.Take(A));
  layouts.own->Set(now.CsrBytes());
  const Csr<PetscScalar, PetscInt> csr          = now.Lent();
  const bool                       same_pattern = made.layout && made.stamp.SamePattern(now);
  if (same_pattern && made.stamp.SameValues(now)) {
    if (Auditing()) PetscCall(Audit(made, borrows, csr));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  // The nonzero state may miss a change: MatCreateSubMatrix() into an existing matrix may change its columns.
  const Look look    = LookAtPattern(csr, !borrows);
  const bool refresh = same_pattern && look.digest == made.pattern;
  if (!refresh && !(borrows ? LookAtPattern(csr, true) : look).inside) PetscCall(RefuseColumns(A, csr));
  const Events       &events = EventsOf(*made.format);
  const PetscLogEvent event  = refresh ? events.refresh : events.build;
  PetscCall(PetscLogEventBegin(event, A, 0, 0, 0));
  const ViewedTime     time;
  const PetscErrorCode ierr = MakeLayout(csr, look.digest, refresh, layouts, made);
  AddLayoutSeconds(time.Seconds());
  PetscCall(PetscLogEventEnd(event, A, 0, 0, 0));
  PetscCall(ierr);
  AddCount(*layouts.info, refresh ? Count::Refresh : Count::Build);
  made.pattern = look.digest;
  made.values  = Auditing() ? ValueDigest(borrows, csr) : 0;
  made.stamp   = now;
  PetscCall(PetscInfo(A, "%s layout %s%s%s: %" PetscInt_FMT " rows, %" PetscInt_FMT " nonzeros\n", made.format->title,
                      layouts.source ? "of the transpose " : "", refresh ? "refreshed" : "built",
                      made.place == Place::Device ? " on the device" : "", now.rows, now.nnz));
  if (!refresh && made.variant.IsOther())
    PetscCall(
      PetscInfo(A, "%s products run by the way known for this pattern: %s\n", made.format->title, made.variant.Describe().c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether the limit of memory was in the way of a layout of this pattern, and leaves no more now.
static PetscErrorCode IsRefused(Mat A, const Layouts &layouts, std::size_t slot, bool *refused)
{
  Stamp now;

  PetscFunctionBegin;
  *refused = !layouts.slots.empty() && MemoryLeft() <= layouts.slots[slot].left;
  if (!*refused) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(now.Take(A));
  *refused = layouts.slots[slot].stamp.SamePattern(now);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeCurrentIfItFits(Mat A, Layouts &layouts, std::size_t slot, bool *made)
{
  const std::size_t before = UseOfMemory().refused;
  bool              refused;

  PetscFunctionBegin;
  *made = false;
  PetscCall(IsRefused(A, layouts, slot, &refused));
  if (refused || PetscPushErrorHandler(PetscReturnErrorHandler, NULL)) // it allocates, and nothing else
    PetscFunctionReturn(PETSC_SUCCESS);
  PetscErrorCode ierr = Entry<MakeCurrent>(A, layouts, slot); // the handler must be popped in any case
  PetscCall(PetscPopErrorHandler());
  if (ierr != PETSC_SUCCESS && ierr != PETSC_ERR_MEM) {
    PetscCall(MakeCurrent(A, layouts, slot)); // again, with the user's error handler
    ierr = PETSC_SUCCESS;
  }
  *made = ierr == PETSC_SUCCESS;
  if (*made || layouts.slots.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  MadeLayout &not_made = layouts.slots[slot];
  not_made.Forget();
  if (layouts.source && !LendsTranspose(layouts)) layouts.source->arrays = {};
  const bool by_limit = UseOfMemory().refused > before;
  PetscCall(PetscInfo(A, "%s for a layout in %s, falling back to aij\n",
                      by_limit ? "-spmv_memory_limit leaves no memory" : "no memory", not_made.format->alias));
  if (!by_limit) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(not_made.stamp.Take(A));
  not_made.left = MemoryLeft();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeCurrentWithinLimit(Mat A, Layouts &layouts, std::size_t slot, bool *made)
{
  PetscFunctionBegin;
  *made = true;
  if (std::isinf(MemoryLimit())) PetscCall(MakeCurrent(A, layouts, slot));
  else PetscCall(MakeCurrentIfItFits(A, layouts, slot, made));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
