// Layouts: building, refreshing, applying.
#include "mat/exec/session.hpp"
#include "mat/exec/settings.hpp"
#include "mat/report/events.hpp"
#include "mat/report/statistics.hpp"
#include "mat/shadow/shadow.hpp"
#include "mat/tuning/digest.hpp"
#include "petsc/guard.hpp"
#include "petsc/stream.hpp"

#include <algorithm>
#include <memory>
#include <type_traits>
#include <utility>

namespace petscspmv {

namespace {

/// Whether the layout in use multiplies with the arrays of the matrix themselves. For A^T they are copies.
bool Borrows(Shadow &shadow)
{
  return shadow.Made().format->borrows && !shadow.source;
}

/// The digest of what a layout was made from: of the row pointers alone if it borrows.
std::uint64_t PatternDigest(Shadow &shadow, const Csr<PetscScalar, PetscInt> &csr)
{
  return PatternDigest(csr, !Borrows(shadow));
}

/// Fails if the matrix has an entry in a nonexistent column, for which a layout would read beyond x.
PetscErrorCode CheckColumns(Mat A, const Csr<PetscScalar, PetscInt> &csr)
{
  using Unsigned   = std::make_unsigned_t<PetscInt>; // negative columns become larger than all others
  Unsigned outside = 0;

  PetscFunctionBegin;
  for (PetscInt k = 0; k < csr.nnz(); ++k) outside |= static_cast<Unsigned>(csr.col_idx[k]) >= static_cast<Unsigned>(csr.cols);
  if (!outside) PetscFunctionReturn(PETSC_SUCCESS);
  const PetscInt *const end = csr.col_idx + csr.nnz();
  const PetscInt *const col = std::find_if(csr.col_idx, end, [&](PetscInt j) { return j < 0 || j >= csr.cols; });
  const PetscInt *const row = std::upper_bound(csr.row_ptr, csr.row_ptr + csr.rows + 1, col - csr.col_idx) - 1;
  SETERRQ(PetscObjectComm((PetscObject)A), PETSC_ERR_ARG_OUTOFRANGE,
          "Row %" PetscInt_FMT " has an entry in column %" PetscInt_FMT ", the matrix has %" PetscInt_FMT
          " columns: the file or the arrays that it was made from are wrong",
          static_cast<PetscInt>(row - csr.row_ptr), *col, csr.cols);
}

std::uint64_t ValueDigest(Shadow &shadow, const Csr<PetscScalar, PetscInt> &csr)
{
  return Borrows(shadow) ? 0 : Digest(csr.val, static_cast<std::size_t>(csr.nnz()), 2);
}

/// With -spmv_audit: checks that a layout considered current was made from the current arrays.
PetscErrorCode Audit(Shadow &shadow, const Csr<PetscScalar, PetscInt> &csr)
{
  PetscFunctionBegin;
  PetscCheck(shadow.Made().pattern == PatternDigest(shadow, csr) && shadow.Made().values == ValueDigest(shadow, csr),
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

/// Whether some layout multiplies with the arrays of A^T themselves.
bool LendsTranspose(const Shadow &shadow)
{
  return std::ranges::any_of(shadow.layouts, [](const MadeLayout &made) { return made.layout && made.format->borrows; });
}

/// Builds a layout or refreshes its values; the shadow has none if that fails.
PetscErrorCode MakeLayout(const Csr<PetscScalar, PetscInt> &of_A, std::uint64_t pattern, bool refresh, Shadow &shadow)
{
  MadeLayout &made   = shadow.Made();
  auto        layout = std::move(made.layout);

  PetscFunctionBegin;
  if (made.place == Place::Host) PetscCall(NeedTarget());
  PetscCall(Guard([&] {
    const auto csr = shadow.source ? shadow.source->arrays.Take(of_A, pattern, !refresh) : of_A;
    if (refresh) {
      layout->Refresh(ExecutionOf(shadow), csr);
    } else {
      made.workspaces = {};
      layout          = std::make_shared<PetscLayout>(*made.format, made.place);
      layout->Build(ExecutionOf(shadow), csr, made.options);
      made.workspaces.Start(*layout);
      if (made.place == Place::Host)
        made.way = LayoutWay(*made.format, made.options, shadow.source ? ~pattern : pattern, csr,
                             made.format->borrows ? csr.EntryBytes() : layout->Bytes());
      shadow.nonempty_rows = NonemptyRows(csr);
    }
  }));
  made.layout = std::move(layout);
  if (shadow.source && !LendsTranspose(shadow)) shadow.source->arrays.FreeEntries(!refresh);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

Execution ExecutionOf(Shadow &shadow)
{
  const MadeLayout &made      = shadow.Made();
  Execution         execution = CurrentExecution();
  execution.target            = TargetOf(*made.format);
  if (made.place == Place::Device) execution.stream = BorrowedStream();
  else made.way.SetIn(execution);
  return execution;
}

Workspaces::Workspaces(const PetscLayout &layout, bool for_many) : for_many_(for_many)
{
  idle_.push_back(layout.MakeWorkspace(for_many));
}

void Workspaces::MakeForMany(const PetscLayout &layout)
{
  if (!for_many_) *this = Workspaces(layout, true);
}

Workspace Workspaces::Take(const PetscLayout &layout)
{
  if (idle_.empty()) {
    idle_.reserve(idle_.capacity() + 1);
    return layout.MakeWorkspace(for_many_);
  }
  Workspace workspace = std::move(idle_.back());
  idle_.pop_back();
  return workspace;
}

void Workspaces::Return(Workspace workspace, bool for_many) noexcept
{
  if (for_many == for_many_ && idle_.size() < idle_.capacity()) idle_.push_back(std::move(workspace));
}

std::size_t Workspaces::Bytes() const
{
  std::size_t bytes = 0;
  for (const Workspace &workspace : idle_) bytes += workspace.bytes();
  return bytes;
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
  static const PetscInt zero = 0; // the row pointers of a matrix without rows
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
  // The nonzero state may miss a change: MatCreateSubMatrix() into an existing matrix may change its columns.
  const std::uint64_t pattern = PatternDigest(shadow, csr);
  const bool          refresh = same_pattern && pattern == made.pattern;
  if (!refresh) PetscCall(CheckColumns(A, csr));
  const Events       &events = EventsOf(*made.format);
  const PetscLogEvent event  = refresh ? events.refresh : events.build;
  PetscCall(PetscLogEventBegin(event, A, 0, 0, 0));
  const ViewedTime     time;
  const PetscErrorCode ierr = MakeLayout(csr, pattern, refresh, shadow);
  AddLayoutSeconds(time.Seconds());
  PetscCall(PetscLogEventEnd(event, A, 0, 0, 0));
  PetscCall(ierr);
  AddCount(shadow, refresh ? Count::Refresh : Count::Build);
  made.pattern = pattern;
  made.values  = Auditing() ? ValueDigest(shadow, csr) : 0;
  made.stamp   = now;
  PetscCall(PetscInfo(A, "%s layout %s%s%s: %" PetscInt_FMT " rows, %" PetscInt_FMT " nonzeros\n", made.format->title,
                      shadow.source ? "of the transpose " : "", refresh ? "refreshed" : "built",
                      made.place == Place::Device ? " on the device" : "", now.rows, now.nnz));
  if (!refresh && made.way.IsOther())
    PetscCall(
      PetscInfo(A, "%s products run by the way known for this pattern: %s\n", made.format->title, made.way.Describe().c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeCurrentIfItFits(Mat A, Shadow &shadow, bool *made)
{
  PetscFunctionBegin;
  *made = false;
  if (PetscPushErrorHandler(PetscReturnErrorHandler, NULL)) PetscFunctionReturn(PETSC_SUCCESS); // it allocates, and nothing else
  PetscErrorCode ierr = Entry<MakeCurrent>(A, shadow); // the handler must be popped in any case
  PetscCall(PetscPopErrorHandler());
  if (ierr != PETSC_SUCCESS && ierr != PETSC_ERR_MEM) {
    PetscCall(MakeCurrent(A, shadow)); // again, with the user's error handler
    ierr = PETSC_SUCCESS;
  }
  *made = ierr == PETSC_SUCCESS;
  if (*made || shadow.layouts.empty()) PetscFunctionReturn(PETSC_SUCCESS);
  shadow.Made().Forget();
  if (shadow.source && !LendsTranspose(shadow)) shadow.source->arrays = {};
  PetscCall(PetscInfo(A, "no memory for a layout in %s, falling back to aij\n", shadow.Made().format->alias));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeLayoutAtAssembly(Mat A)
{
  const Locked now(Lock());
  Shadow      *shadow;
  bool         made = true;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow));
  if (!FormatOf(*shadow->type)) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(shadow->NeedLayouts());
  if (!shadow->Made().layout || shadow->Made().stamp.nonzerostate != A->nonzerostate)
    PetscCall(MakeCurrentIfItFits(A, *shadow, &made)); // otherwise the first product makes it, or has the error
  if (made) shadow->Made().stamp.state = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
