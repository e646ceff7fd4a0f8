#include "mat/layout/made.hpp"

#include "mat/exec/memory_use.hpp"
#include "mat/exec/session.hpp"
#include "mat/exec/settings.hpp"
#include "mat/report/asked.hpp"
#include "mat/report/events.hpp"
#include "mat/report/statistics.hpp"
#include "mat/tuning/choose_target.hpp"
#include "mat/tuning/digest.hpp"
#include "petsc/guard.hpp"
#include "petsc/stream.hpp"
#include "petsc/unreported.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

namespace petscspmv {

namespace {

/// Whether a layout multiplies with the matrix's own arrays. Layouts of A^T do not: their arrays are copies.
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

/// With -spmv_audit: checks that the parts of a layout that count as current were made from the current arrays.
PetscErrorCode Audit(const MadeLayout &made, bool borrows, const Csr<PetscScalar, PetscInt> &csr)
{
  bool same = true;

  PetscFunctionBegin;
  PetscCall(Guard([&] {
    for (int part = 0; part < made.current; ++part) {
      std::vector<PetscInt> row_ptr;
      const auto            rows    = made.layout->RowsOfPart(csr, part, row_ptr);
      const PartDigests    &digests = made.digests[static_cast<std::size_t>(part)];
      same = same && digests.pattern == PatternDigest(rows, !borrows) && digests.values == ValueDigest(borrows, rows);
    }
  }));
  PetscCheck(same, PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The %s layout is stale: the matrix has changed without a change of its state; call PetscObjectStateIncrease() after "
             "changing its arrays",
             made.format->title);
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether some layout of A^T multiplies with the arrays of A^T themselves, which must then be kept.
bool LendsTranspose(const Layouts &layouts)
{
  return std::ranges::any_of(layouts.slots, [](const MadeLayout &made) { return made.layout && made.format->borrows; });
}

/// The key by which findings about a pattern are kept.
std::uint64_t KeyOf(const Layouts &layouts, const std::vector<PartDigests> &parts)
{
  std::uint64_t key = 0;
  for (const PartDigests &part : parts) key = part.pattern + 31 * key;
  return layouts.source ? ~key : key;
}

/// Builds the next part of a layout. `rows`: that part's rows of A; `pattern`: the digest of their pattern.
void BuildPart(const Csr<PetscScalar, PetscInt> &csr, const Csr<PetscScalar, PetscInt> &rows, std::uint64_t pattern,
               const Layouts &layouts, MadeLayout &made)
{
  FormatLayout &layout = *made.layout;
  const auto    of     = layouts.source ? layouts.source->arrays.Take(rows, pattern, true) : rows;
  layout.Build(ExecutionOf(made), of, made.options);
  made.digests.push_back({pattern, 0});
  made.workspaces.Start(layout);
  if (layout.Made() == 1) made.nonempty_rows = (layouts.source ? of : csr).NonemptyRows();
  if (made.place == Place::Host && layout.Made() == layout.Parts())
    made.variant = LayoutVariant(*made.format, made.options, KeyOf(layouts, made.digests), layouts.source ? of : csr,
                                 made.format->borrows ? csr.EntryBytes() : layout.Bytes());
}

/// Makes the next part of a layout current: builds it, or refreshes its values. If building fails, the parts made before stay; if
/// refreshing fails, the layout is dropped. It is also dropped if its pattern turns out to have changed; the next call begins anew.
PetscErrorCode MakeNextPart(Mat A, const Csr<PetscScalar, PetscInt> &csr, int parts, Layouts &layouts, MadeLayout &made)
{
  const bool                 borrows = Borrows(layouts, made);
  const int                  part = made.current, threads = made.place == Place::Device ? UploadThreads() : 1;
  const Events              &events = EventsOf(*made.format);
  std::vector<PetscInt>      row_ptr;
  Csr<PetscScalar, PetscInt> rows;

  PetscFunctionBegin;
  PetscCall(Guard([&] {
    if (!made.layout) made.Begin(std::make_shared<FormatLayout>(*made.format, made.place, csr, parts));
    rows = made.layout->RowsOfPart(csr, part, row_ptr);
  }));
  const bool refresh = part < made.layout->Made();
  // The nonzero state may miss a change: MatCreateSubMatrix() into an existing matrix may change that matrix's columns.
  const Look look = LookAtPattern(rows, !borrows, threads);
  if (refresh && look.digest != made.digests[static_cast<std::size_t>(part)].pattern) {
    made.Begin(nullptr);
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  if (!refresh && !(borrows ? LookAtPattern(rows, true, threads) : look).inside) {
    made.Begin(nullptr);
    PetscCall(RefuseColumns(A, csr));
  }
  const PetscLogEvent event = refresh ? events.refresh : events.build;
  PetscCall(PetscLogEventBegin(event, A, 0, 0, 0));
  const PetscErrorCode ierr = Guard([&] {
    const MakingLayout making(static_cast<std::size_t>(csr.nnz()) *
                              BytesToMake<PetscScalar, PetscInt>(!made.format->borrows, layouts.source != nullptr));
    if (!refresh) BuildPart(csr, rows, look.digest, layouts, made);
    else
      made.layout->Refresh(part, ExecutionOf(made), layouts.source ? layouts.source->arrays.Take(rows, look.digest, false) : rows);
  });
  PetscCall(PetscLogEventEnd(event, A, 0, 0, 0));
  if (ierr != PETSC_SUCCESS && part > 0 && !refresh) {
    made.layout->Keep(part);
    made.digests.resize(static_cast<std::size_t>(part));
  } else if (ierr != PETSC_SUCCESS) {
    made.Begin(nullptr);
  }
  if (layouts.source && !LendsTranspose(layouts)) layouts.source->arrays.FreeEntries(!refresh);
  PetscCall(ierr);
  if (part == 0) AddCount(*layouts.info, refresh ? Count::Refresh : Count::Build);
  if (Auditing()) made.digests[static_cast<std::size_t>(part)].values = ValueDigest(borrows, rows);
  ++made.current;
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

PetscErrorCode MakeCurrent(Mat A, Layouts &layouts, std::size_t slot, Extent extent)
{
  Stamp now;

  PetscFunctionBegin;
  layouts.latest = slot;
  PetscCall(layouts.Need());
  MadeLayout &made = layouts.slots[slot];
  if (made.place == Place::Device) PetscCall(BorrowStream());
  PetscCall(now.Take(A));
  layouts.own->Set(now.CsrBytes());
  const Csr<PetscScalar, PetscInt> csr = now.Lent();
  if (!made.stamp.SamePattern(now)) made.Begin(nullptr);
  else if (!made.stamp.SameValues(now)) made.current = 0;
  made.stamp = now;
  if (made.current > 0 && Auditing()) PetscCall(Audit(made, Borrows(layouts, made), csr));
  const auto lacks = [&] { return !made.layout || made.current < std::min(extent.current, made.layout->Parts()); };
  if (!lacks()) PetscFunctionReturn(PETSC_SUCCESS);
  const bool refresh = made.layout && made.current < made.layout->Made();
  if (made.place == Place::Host) PetscCall(NeedTarget());
  const ViewedTime time;
  PetscErrorCode   ierr = PETSC_SUCCESS;
  while (ierr == PETSC_SUCCESS && lacks()) ierr = MakeNextPart(A, csr, extent.parts, layouts, made);
  AddLayoutSeconds(time.Seconds());
  PetscCall(ierr);
  PetscCall(PetscInfo(A, "%s layout %s%s%s: %" PetscInt_FMT " rows, %" PetscInt_FMT " nonzeros, %d of %d parts\n",
                      made.format->title, layouts.source ? "of the transpose " : "", refresh ? "refreshed" : "built",
                      made.place == Place::Device ? " on the device" : "", now.rows, now.nnz, made.current, made.layout->Parts()));
  if (!refresh && made.variant.IsOther())
    PetscCall(
      PetscInfo(A, "%s products run by the way known for this pattern: %s\n", made.format->title, made.variant.Describe().c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Whether parts are still to be built, while the limit of memory, which refused some for this pattern, leaves no more than then.
static PetscErrorCode IsRefused(Mat A, const Layouts &layouts, std::size_t slot, Extent extent, bool *refused)
{
  Stamp now;

  PetscFunctionBegin;
  *refused = !layouts.slots.empty() && MemoryLeft() <= layouts.slots[slot].left;
  if (!*refused) PetscFunctionReturn(PETSC_SUCCESS);
  const MadeLayout &made = layouts.slots[slot];
  PetscCall(now.Take(A));
  *refused = made.stamp.SamePattern(now) && (!made.layout || made.layout->Made() < std::min(extent.current, made.layout->Parts()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// MakeCurrent() without an error where there is no memory: then *fits is false.
static PetscErrorCode TryToMakeCurrent(Mat A, Layouts &layouts, std::size_t slot, bool *fits, Extent extent)
{
  PetscFunctionBegin;
  const auto           make = Entry<MakeCurrent>; // by that name in the lambda GCC 16 warns: not constexpr
  const PetscErrorCode ierr = Unreported([&] { return make(A, layouts, slot, extent); });
  *fits                     = ierr != PETSC_ERR_MEM;
  if (ierr != PETSC_SUCCESS && *fits) PetscCall(MakeCurrent(A, layouts, slot, extent)); // reports the error to the user's handler
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// Leaves the parts that did not fit to AIJ, and the limit's refusal known until it leaves more.
static PetscErrorCode FallBackToAij(Mat A, Layouts &layouts, std::size_t slot, bool by_limit)
{
  PetscFunctionBegin;
  MadeLayout &made = layouts.slots[slot];
  if (made.current == 0) made.Forget();
  if (layouts.source && !LendsTranspose(layouts)) layouts.source->arrays = {};
  PetscCall(PetscInfo(A, "%s for %s layout in %s, falling back to aij\n",
                      by_limit ? "-spmv_memory_limit leaves no memory" : "no memory", made.current > 0 ? "all of a" : "a",
                      made.format->alias));
  if (!by_limit) PetscFunctionReturn(PETSC_SUCCESS);
  PetscCall(made.stamp.Take(A));
  made.left = MemoryLeft();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeCurrentIfItFits(Mat A, Layouts &layouts, std::size_t slot, bool *made, Extent extent)
{
  const std::size_t before = UseOfMemory().refused;
  bool              refused, fits = false;

  PetscFunctionBegin;
  PetscCall(IsRefused(A, layouts, slot, extent, &refused));
  if (!refused) {
    PetscCall(TryToMakeCurrent(A, layouts, slot, &fits, extent));
    if (!layouts.slots.empty()) layouts.slots[slot].left = MadeLayout::kNotRefused;
    if (!fits && !layouts.slots.empty()) PetscCall(FallBackToAij(A, layouts, slot, UseOfMemory().refused > before));
  }
  *made = fits || (!layouts.slots.empty() && layouts.slots[slot].current > 0);
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeCurrentWithinLimit(Mat A, Layouts &layouts, std::size_t slot, bool *made, Extent extent)
{
  PetscFunctionBegin;
  *made = true;
  if (std::isinf(MemoryLimit())) PetscCall(MakeCurrent(A, layouts, slot, extent));
  else PetscCall(MakeCurrentIfItFits(A, layouts, slot, made, extent));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
