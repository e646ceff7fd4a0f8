#include "mat/impls/shadow/shadow.hpp"

#include "mat/impls/shadow/events.hpp"

#include <cstring>
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

/// A 64-bit digest of n words, at the speed of memory: four sums of products of neighbouring words
/// with odd multipliers, none of which waits for another.
template <class T>
std::uint64_t Digest(const T *data, std::size_t n, std::uint64_t seed)
{
  constexpr std::size_t lanes       = 4;
  std::uint64_t         hash[lanes] = {seed, seed + 1, seed + 2, seed + 3};
  const std::size_t     words       = n * sizeof(T) / sizeof(std::uint64_t);
  const char           *bytes       = reinterpret_cast<const char *>(data);
  for (std::size_t k = 0; k < words; ++k) {
    std::uint64_t word;
    std::memcpy(&word, bytes + k * sizeof(word), sizeof(word));
    std::uint64_t &h = hash[k % lanes];
    h                = (h ^ word) * 0x9e3779b97f4a7c15u;
    h ^= h >> 32;
  }
  std::uint64_t last = 0;
  std::memcpy(&last, bytes + words * sizeof(last), n * sizeof(T) - words * sizeof(last));
  for (std::uint64_t h : hash) last = (last ^ h) * 0x9e3779b97f4a7c15u + 1;
  return last;
}

std::uint64_t PatternDigest(const Csr<PetscScalar, PetscInt> &csr)
{
  return Digest(csr.col_idx, static_cast<std::size_t>(csr.nnz()), Digest(csr.row_ptr, static_cast<std::size_t>(csr.rows) + 1, 1));
}

std::uint64_t ValueDigest(const Csr<PetscScalar, PetscInt> &csr)
{
  return Digest(csr.val, static_cast<std::size_t>(csr.nnz()), 2);
}

/// With -spmv_audit: a layout that passes for current must have been made from what is there now.
PetscErrorCode Audit(const Shadow &shadow, const Csr<PetscScalar, PetscInt> &csr)
{
  PetscFunctionBegin;
  PetscCheck(shadow.pattern == PatternDigest(csr) && shadow.values == ValueDigest(csr), PETSC_COMM_SELF, PETSC_ERR_PLIB, "The %s layout is stale: the matrix has changed without a change of its state; call PetscObjectStateIncrease() after changing its arrays", shadow.format->title);
  PetscFunctionReturn(PETSC_SUCCESS);
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

  const Csr<PetscScalar, PetscInt> csr{now.rows, now.cols, now.rows && now.i ? now.i : &zero, now.j, now.a};
  const bool                       same_pattern = shadow->layout && shadow->stamp.SamePattern(now);
  if (same_pattern && shadow->stamp.SameValues(now)) {
    if (Auditing()) PetscCall(Audit(*shadow, csr));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  // The nonzero state does not tell all: MatCreateSubMatrix() into an old matrix may change its columns.
  const std::uint64_t pattern = PatternDigest(csr);
  const bool          refresh = same_pattern && pattern == shadow->pattern;
  const Events       &events  = EventsOf(*shadow->format);
  const PetscLogEvent event   = refresh ? events.refresh : events.build;
  PetscCall(PetscLogEventBegin(event, A, 0, 0, 0));
  PetscCall(MakeLayout(csr, refresh, *shadow));
  PetscCall(PetscLogEventEnd(event, A, 0, 0, 0));
  AddCount(*shadow, refresh ? Count::Refresh : Count::Build);
  shadow->pattern          = pattern;
  shadow->values           = Auditing() ? ValueDigest(csr) : 0;
  shadow->stamp            = now;
  shadow->stamp.assemblies = -1;
  PetscCall(PetscInfo(A, "%s layout %s: %" PetscInt_FMT " rows, %" PetscInt_FMT " nonzeros\n", shadow->format->title, refresh ? "refreshed" : "built", now.rows, now.nnz));
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
