// Layouts: made, made current, applied.
#include "mat/exec/settings.hpp"
#include "mat/impls/shadow/digest.hpp"
#include "mat/impls/shadow/events.hpp"
#include "mat/impls/shadow/guard.hpp"
#include "mat/impls/shadow/shadow.hpp"
#include "mat/impls/shadow/stream.hpp"

#include <chrono>
#include <utility>

namespace petscspmv {

namespace {

/// Of what a layout was made from; where it borrows, that is the row pointers alone.
std::uint64_t PatternDigest(const PetscFormat &format, const Csr<PetscScalar, PetscInt> &csr)
{
  return PatternDigest(csr, !format.borrows);
}

std::uint64_t ValueDigest(const PetscFormat &format, const Csr<PetscScalar, PetscInt> &csr)
{
  return format.borrows ? 0 : Digest(csr.val, static_cast<std::size_t>(csr.nnz()), 2);
}

/// With -spmv_audit: a layout that passes for current must have been made from what is there now.
PetscErrorCode Audit(Shadow &shadow, const Csr<PetscScalar, PetscInt> &csr)
{
  PetscFunctionBegin;
  PetscCheck(shadow.Made().pattern == PatternDigest(*shadow.Made().format, csr) &&
               shadow.Made().values == ValueDigest(*shadow.Made().format, csr),
             PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The %s layout is stale: the matrix has changed without a change of its state; call PetscObjectStateIncrease() after "
             "changing its arrays",
             shadow.Made().format->title);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscInt NonemptyRows(const Csr<PetscScalar, PetscInt> &csr)
{
  PetscInt n = 0;
  for (PetscInt row = 0; row < csr.rows; ++row) n += csr.row_ptr[row] < csr.row_ptr[row + 1];
  return n;
}

/// Builds a layout or renews its values; the shadow has none if that fails.
PetscErrorCode MakeLayout(const Csr<PetscScalar, PetscInt> &csr, std::uint64_t pattern, bool refresh, Shadow &shadow)
{
  MadeLayout &made   = shadow.Made();
  PetscLayout layout = std::move(made.layout);

  PetscFunctionBegin;
  if (made.place == Place::Host) PetscCall(NeedTarget());
  PetscCall(Guard([&] {
    if (refresh) {
      layout.Refresh(ExecutionOf(shadow), csr);
    } else {
      made.workspace = Workspace();
      layout         = PetscLayout(*made.format, made.place);
      layout.Build(ExecutionOf(shadow), csr, made.options);
      made.workspace = layout.MakeWorkspace();
      if (made.place == Place::Host)
        made.way = LayoutWay(*made.format, made.options, pattern, csr, made.format->borrows ? csr.EntryBytes() : layout.Bytes());
      shadow.nonempty_rows = NonemptyRows(csr);
    }
  }));
  made.layout = std::move(layout);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

Execution ExecutionOf(Shadow &shadow)
{
  const MadeLayout &made      = shadow.Made();
  Execution         execution = CurrentExecution();
  execution.workspace         = made.workspace.data();
  execution.target            = TargetOf(*made.format);
  if (made.place == Place::Device) execution.stream = BorrowedStream();
  else made.way.SetIn(execution);
  return execution;
}

PetscErrorCode ApplyLayout(Shadow &shadow, Op op, bool add, const PetscScalar *x, PetscScalar *y)
{
  MadeLayout     &made      = shadow.Made();
  const Execution execution = ExecutionOf(shadow);
  bool            decided   = false;

  PetscFunctionBegin;
  PetscCall(Guard([&] {
    if (op != Op::N || made.place != Place::Host || !made.way.Undecided()) return made.layout.Apply(execution, op, add, x, y);
    const auto start = std::chrono::steady_clock::now();
    made.layout.Apply(execution, op, add, x, y);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    decided                                   = made.way.Note(spent.count());
  }));
  if (decided) {
    AddCount(shadow, Count::Trial);
    if (made.way.IsOther()) AddCount(shadow, Count::OtherWay);
    PetscCall(PetscInfo(shadow.owner, "%s products found the fastest way: %s\n", made.format->title, made.way.Describe().c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode Stamp::Take(Mat A)
{
  PetscScalar *values;
  PetscMemType memtype;

  PetscFunctionBegin;
  PetscCall(MatSeqAIJGetCSRAndMemType(A, &i, &j, &values, &memtype));
  PetscCall(PetscObjectStateGet((PetscObject)A, &state));
  a            = values;
  nonzerostate = A->nonzerostate;
  rows         = A->rmap->n;
  cols         = A->cmap->n;
  nnz          = rows && i ? i[rows] : 0;
  PetscFunctionReturn(PETSC_SUCCESS);
}

Csr<PetscScalar, PetscInt> Stamp::Lent() const
{
  static const PetscInt zero = 0; // the row pointers of a matrix without rows, lent like all others
  return {rows, cols, rows && i ? i : &zero, j, a};
}

PetscErrorCode MakeCurrent(Mat A, Shadow &shadow)
{
  Stamp now;

  PetscFunctionBegin;
  PetscCall(shadow.NeedLayouts());
  MadeLayout &made = shadow.Made();
  if (made.place == Place::Device) PetscCall(BorrowStream());
  PetscCall(now.Take(A));
  const Csr<PetscScalar, PetscInt> csr          = now.Lent();
  const bool                       same_pattern = made.layout && made.stamp.SamePattern(now);
  if (same_pattern && made.stamp.SameValues(now)) {
    if (Auditing()) PetscCall(Audit(shadow, csr));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  // The nonzero state does not tell all: MatCreateSubMatrix() into an old matrix may change its columns.
  const std::uint64_t pattern = PatternDigest(*made.format, csr);
  const bool          refresh = same_pattern && pattern == made.pattern;
  const Events       &events  = EventsOf(*made.format);
  const PetscLogEvent event   = refresh ? events.refresh : events.build;
  PetscCall(PetscLogEventBegin(event, A, 0, 0, 0));
  const PetscErrorCode ierr = MakeLayout(csr, pattern, refresh, shadow);
  PetscCall(PetscLogEventEnd(event, A, 0, 0, 0));
  PetscCall(ierr);
  AddCount(shadow, refresh ? Count::Refresh : Count::Build);
  made.pattern = pattern;
  made.values  = Auditing() ? ValueDigest(*made.format, csr) : 0;
  made.stamp   = now;
  PetscCall(PetscInfo(A, "%s layout %s%s: %" PetscInt_FMT " rows, %" PetscInt_FMT " nonzeros\n", made.format->title,
                      refresh ? "refreshed" : "built", made.place == Place::Device ? " on the device" : "", now.rows, now.nnz));
  if (!refresh && made.way.IsOther())
    PetscCall(
      PetscInfo(A, "%s products run by the way known for this pattern: %s\n", made.format->title, made.way.Describe().c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeLayoutAtAssembly(Mat A)
{
  Shadow *shadow;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow));
  if (!FormatOf(*shadow->type)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(shadow->NeedLayouts());
  if (!shadow->Made().layout || shadow->Made().stamp.nonzerostate != A->nonzerostate) PetscCall(MakeCurrent(A, *shadow));
  shadow->Made().stamp.state = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
