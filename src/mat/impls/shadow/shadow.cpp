#include "mat/impls/shadow/shadow.hpp"

#include "mat/impls/shadow/events.hpp"

#include <new>

namespace petscspmv {

Shadow::Shadow(const PetscFormat &f) :
  format(&f)
{
  for (const OptionSpec &option : f.options) options.push_back(option.initial);
}

PetscErrorCode GetShadow(Mat A, Shadow **shadow)
{
  PetscFunctionBegin;
  if (!A->spptr) {
    const PetscFormat *format = FindFormat(((PetscObject)A)->type_name);
    PetscCheck(format, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "Matrix of type %s has the methods of a type of PetscSpMV", ((PetscObject)A)->type_name);
    A->spptr = new Shadow(*format);
    PetscCall(ReadOptions(A, *static_cast<Shadow *>(A->spptr)));
  }
  *shadow = static_cast<Shadow *>(A->spptr);
  PetscFunctionReturn(PETSC_SUCCESS);
}

const PetscFormat *FormatOf(Mat A)
{
  return A->spptr ? static_cast<Shadow *>(A->spptr)->format : FindFormat(((PetscObject)A)->type_name);
}

void FreeShadow(Mat A)
{
  delete static_cast<Shadow *>(A->spptr);
  A->spptr = nullptr;
}

namespace {

/// FNV-1a over the three arrays, for -spmv_audit.
PetscInt64 Digest(const Csr<PetscScalar, PetscInt> &csr)
{
  std::uint64_t hash = 14695981039346656037u;
  const auto    mix  = [&](const void *data, std::size_t bytes) {
    for (std::size_t k = 0; k < bytes; ++k) hash = (hash ^ static_cast<const unsigned char *>(data)[k]) * 1099511628211u;
  };
  mix(csr.row_ptr, (static_cast<std::size_t>(csr.rows) + 1) * sizeof(PetscInt));
  mix(csr.col_idx, static_cast<std::size_t>(csr.nnz()) * sizeof(PetscInt));
  mix(csr.val, static_cast<std::size_t>(csr.nnz()) * sizeof(PetscScalar));
  return static_cast<PetscInt64>(hash);
}

PetscInt NonemptyRows(const Csr<PetscScalar, PetscInt> &csr)
{
  PetscInt n = 0;
  for (PetscInt row = 0; row < csr.rows; ++row) n += csr.row_ptr[row] < csr.row_ptr[row + 1];
  return n;
}

/// Builds a layout or renews its values; the shadow has none if that fails.
PetscErrorCode MakeLayout(const Csr<PetscScalar, PetscInt> &csr, bool refresh, Shadow &shadow)
{
  std::unique_ptr<PetscLayoutOf> layout = std::move(shadow.layout);

  PetscFunctionBegin;
  try {
    if (refresh) {
      layout->Refresh(csr);
    } else {
      layout = shadow.format->make();
      layout->Build(csr, shadow.options);
      shadow.nonempty_rows = NonemptyRows(csr);
    }
  } catch (const std::bad_alloc &) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_MEM, "No memory for the %s layout of a matrix with %" PetscInt_FMT " rows and %" PetscInt_FMT " nonzeros; use -mat_type aij", shadow.format->title, csr.rows, csr.nnz());
  } catch (const std::exception &e) {
    SETERRQ(PETSC_COMM_SELF, PETSC_ERR_LIB, "Making the %s layout failed: %s", shadow.format->title, e.what());
  }
  shadow.layout = std::move(layout);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

PetscErrorCode GetCurrentShadow(Mat A, Shadow **result)
{
  Shadow        *shadow;
  Stamp          now;
  PetscScalar   *a;
  PetscMemType   memtype;
  const PetscInt zero = 0;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow));
  *result = shadow;
  PetscCall(MatSeqAIJGetCSRAndMemType(A, &now.i, &now.j, &a, &memtype));
  PetscCall(PetscObjectStateGet((PetscObject)A, &now.state));
  now.owner        = A;
  now.assemblies   = A->num_ass;
  now.a            = a;
  now.nonzerostate = A->nonzerostate;
  now.rows         = A->rmap->n;
  now.cols         = A->cmap->n;
  now.nnz          = now.rows && now.i ? now.i[now.rows] : 0;

  const bool                       pattern = shadow->layout && shadow->stamp.SamePattern(now);
  const Csr<PetscScalar, PetscInt> csr{now.rows, now.cols, now.rows && now.i ? now.i : &zero, now.j, now.a};
  if (pattern && shadow->stamp.SameValues(now)) {
    if (!Auditing() || shadow->audit == Digest(csr)) PetscFunctionReturn(PETSC_SUCCESS);
    AddCount(*shadow, Count::Stale);
  }
  const Events       &events = EventsOf(*shadow->format);
  const PetscLogEvent event  = pattern ? events.refresh : events.build;
  PetscCall(PetscLogEventBegin(event, A, 0, 0, 0));
  PetscCall(MakeLayout(csr, pattern, *shadow));
  PetscCall(PetscLogEventEnd(event, A, 0, 0, 0));
  AddCount(*shadow, pattern ? Count::Refresh : Count::Build);
  shadow->stamp            = now;
  shadow->stamp.assemblies = -1;
  if (Auditing()) shadow->audit = Digest(csr);
  PetscCall(PetscInfo(A, "%s layout %s: %" PetscInt_FMT " rows, %" PetscInt_FMT " nonzeros\n", shadow->format->title, pattern ? "refreshed" : "built", now.rows, now.nnz));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeLayoutAtAssembly(Mat A)
{
  Shadow *shadow;

  PetscFunctionBegin;
  PetscCall(GetCurrentShadow(A, &shadow));
  shadow->stamp.state += 1;
  shadow->stamp.assemblies = A->num_ass + 1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
