#include "mat/impls/shadow/shadow.hpp"

#include "mat/arithmetic/prefetch.hpp"
#include "mat/exec/settings.hpp"
#include "mat/impls/shadow/choose_target.hpp"
#include "mat/impls/shadow/events.hpp"
#include "mat/impls/shadow/guard.hpp"
#include "mat/impls/shadow/stream.hpp"

#include <chrono>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>

namespace petscspmv {

namespace {

/// Settings of matrices that a header merge has emptied and is about to fill again.
struct Orphan {
  const PetscFormat *format;
  OptionValues       options, chosen;
  PetscBool          eager;
  MatSpMVInfo        info;
};

std::map<Mat, Orphan> orphans;

/// A shadow that has come from another matrix, by a header merge or swap, has nothing of its new owner's.
PetscErrorCode ChangeOwner(Mat A, Shadow &shadow)
{
  const auto orphan = orphans.find(A);

  PetscFunctionBegin;
  shadow.owner = A;
  shadow.ForgetLayouts();
  if (orphan == orphans.end()) PetscFunctionReturn(PETSC_SUCCESS);
  if (orphan->second.format == shadow.format) {
    shadow.eager  = orphan->second.eager;
    shadow.info   = orphan->second.info;
    shadow.chosen = orphan->second.chosen;
    PetscCall(SetOptions(A, shadow, orphan->second.options));
  }
  orphans.erase(A);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

Shadow::Shadow(Mat A, const PetscFormat &f) : owner(A), format(&f)
{
  for (const OptionSpec &option : f.options) chosen.push_back(option.initial);
  options = chosen;
}

PetscErrorCode AttachShadow(Mat A, const PetscFormat &format)
{
  std::unique_ptr<Shadow> shadow;

  PetscFunctionBegin;
  PetscCall(Guard([&] { shadow = std::make_unique<Shadow>(A, format); }));
  PetscCall(ReadOptions(A, *shadow));
  A->spptr = shadow.release();
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetShadow(Mat A, Shadow **shadow)
{
  PetscFunctionBegin;
  if (!A->spptr) { // the data are now those of a plain matrix, and so are the composed functions
    const PetscFormat *format = FindFormat(((PetscObject)A)->type_name);
    PetscCheck(format, PetscObjectComm((PetscObject)A), PETSC_ERR_PLIB, "Matrix of type %s has the methods of a type of PetscSpMV",
               ((PetscObject)A)->type_name);
    PetscCall(AttachShadow(A, *format));
    PetscCall(format->mpi == ((PetscObject)A)->type_name ? ComposeMPIAIJMethods(A, *format, true)
                                                         : ComposeSeqAIJMethods(A, *format, true));
    static_cast<Shadow *>(A->spptr)->owner = nullptr;
  }
  *shadow = static_cast<Shadow *>(A->spptr);
  if ((*shadow)->owner != A) PetscCall(ChangeOwner(A, **shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

const PetscFormat *FormatOf(Mat A)
{
  return A->spptr ? static_cast<Shadow *>(A->spptr)->format : FindFormat(((PetscObject)A)->type_name);
}

PetscErrorCode DestroyShadow(Mat A)
{
  Shadow *shadow = static_cast<Shadow *>(A->spptr);

  PetscFunctionBegin;
  orphans.erase(A);
  if (!((PetscObject)A)->type_name && shadow)
    PetscCall(Guard([&] {
      orphans[A] = {shadow->format, shadow->options, shadow->chosen, shadow->eager, shadow->info};
    })); // a header merge has taken the name away
  A->spptr = nullptr;
  delete shadow;
  PetscFunctionReturn(PETSC_SUCCESS);
}

void ForgetOrphans()
{
  orphans.clear();
}

namespace {

/// A 64-bit digest of n items, at the speed of memory: sums of products of neighbouring words with odd multipliers,
/// eight side by side, none of which waits for another.
template <class T>
std::uint64_t Digest(const T *data, std::size_t n, std::uint64_t seed)
{
  constexpr std::size_t lanes = 8, block = lanes * sizeof(std::uint64_t);
  const char           *bytes = reinterpret_cast<const char *>(data);
  const std::size_t     size  = n * sizeof(T);
  std::uint64_t         hash[lanes], word[lanes] = {};
  const auto            add = [&] {
    for (std::size_t k = 0; k < lanes; ++k) {
      hash[k] = (hash[k] ^ word[k]) * 0x9e3779b97f4a7c15u;
      hash[k] ^= hash[k] >> 32;
    }
  };
  std::iota(hash, hash + lanes, seed);
  for (std::size_t at = 0; at + block <= size; at += block) {
    Prefetch<true>()(bytes + at, block);
    std::memcpy(word, bytes + at, block);
    add();
  }
  if (size % block) { // data may be null
    std::memset(word, 0, block);
    std::memcpy(word, bytes + size / block * block, size % block);
    add();
  }
  std::uint64_t last = size;
  for (std::uint64_t h : hash) last = (last ^ h) * 0x9e3779b97f4a7c15u + 1;
  return last;
}

/// Of what a layout was made from; where it borrows, that is the row pointers alone.
std::uint64_t PatternDigest(const PetscFormat &format, const Csr<PetscScalar, PetscInt> &csr)
{
  const std::uint64_t rows = Digest(csr.row_ptr, static_cast<std::size_t>(csr.rows) + 1, 1);
  return format.borrows ? rows : Digest(csr.col_idx, static_cast<std::size_t>(csr.nnz()), rows);
}

std::uint64_t ValueDigest(const PetscFormat &format, const Csr<PetscScalar, PetscInt> &csr)
{
  return format.borrows ? 0 : Digest(csr.val, static_cast<std::size_t>(csr.nnz()), 2);
}

/// With -spmv_audit: a layout that passes for current must have been made from what is there now.
PetscErrorCode Audit(Shadow &shadow, const Csr<PetscScalar, PetscInt> &csr)
{
  PetscFunctionBegin;
  PetscCheck(shadow.Made().pattern == PatternDigest(*shadow.format, csr) &&
               shadow.Made().values == ValueDigest(*shadow.format, csr),
             PETSC_COMM_SELF, PETSC_ERR_PLIB,
             "The %s layout is stale: the matrix has changed without a change of its state; call PetscObjectStateIncrease() after "
             "changing its arrays",
             shadow.format->title);
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
  if (shadow.place == Place::Host) PetscCall(NeedTarget());
  PetscCall(Guard([&] {
    if (refresh) {
      layout.Refresh(ExecutionOf(shadow), csr);
    } else {
      made.workspace = Workspace();
      layout         = PetscLayout(*shadow.format, shadow.place);
      layout.Build(ExecutionOf(shadow), csr, shadow.options);
      made.workspace = layout.MakeWorkspace();
      if (shadow.place == Place::Host)
        made.way =
          LayoutWay(*shadow.format, shadow.options, pattern, csr, shadow.format->borrows ? csr.EntryBytes() : layout.Bytes());
      shadow.nonempty_rows = NonemptyRows(csr);
    }
  }));
  made.layout = std::move(layout);
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace

Execution ExecutionOf(Shadow &shadow)
{
  Execution execution = CurrentExecution();
  execution.workspace = shadow.Made().workspace.data();
  if (shadow.place == Place::Device) execution.stream = BorrowedStream();
  execution.target = TargetOf(*shadow.format);
  if (shadow.place == Place::Host) shadow.Made().way.SetIn(execution);
  return execution;
}

PetscErrorCode ApplyLayout(Shadow &shadow, Op op, bool add, const PetscScalar *x, PetscScalar *y)
{
  MadeLayout     &made      = shadow.Made();
  const Execution execution = ExecutionOf(shadow);
  bool            decided   = false;

  PetscFunctionBegin;
  PetscCall(Guard([&] {
    if (op != Op::N || shadow.place != Place::Host || !made.way.Undecided()) return made.layout.Apply(execution, op, add, x, y);
    const auto start = std::chrono::steady_clock::now();
    made.layout.Apply(execution, op, add, x, y);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    decided                                   = made.way.Note(spent.count());
  }));
  if (decided) {
    AddCount(shadow, Count::Trial);
    if (made.way.IsOther()) AddCount(shadow, Count::OtherWay);
    PetscCall(
      PetscInfo(shadow.owner, "%s products found the fastest way: %s\n", shadow.format->title, made.way.Describe().c_str()));
  }
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetCurrentShadow(Mat A, Shadow **shadow)
{
  PetscFunctionBegin;
  PetscCall(GetShadow(A, shadow));
  PetscCall(GetCurrentShadow(A, (*shadow)->place, shadow));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode GetCurrentShadow(Mat A, Place place, Shadow **result)
{
  static const PetscInt zero = 0; // the row pointers of a matrix without rows, lent like all others

  Shadow      *shadow;
  Stamp        now;
  PetscScalar *a;
  PetscMemType memtype;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow));
  if (place == Place::Device) PetscCall(BorrowStream());
  *result          = shadow;
  shadow->place    = place;
  MadeLayout &made = shadow->Made();
  PetscCall(MatSeqAIJGetCSRAndMemType(A, &now.i, &now.j, &a, &memtype));
  PetscCall(PetscObjectStateGet((PetscObject)A, &now.state));
  now.a            = a;
  now.nonzerostate = A->nonzerostate;
  now.rows         = A->rmap->n;
  now.cols         = A->cmap->n;
  now.nnz          = now.rows && now.i ? now.i[now.rows] : 0;

  const Csr<PetscScalar, PetscInt> csr{now.rows, now.cols, now.rows && now.i ? now.i : &zero, now.j, now.a};
  const bool                       same_pattern = made.layout && made.stamp.SamePattern(now);
  if (same_pattern && made.stamp.SameValues(now)) {
    if (Auditing()) PetscCall(Audit(*shadow, csr));
    PetscFunctionReturn(PETSC_SUCCESS);
  }
  // The nonzero state does not tell all: MatCreateSubMatrix() into an old matrix may change its columns.
  const std::uint64_t pattern = PatternDigest(*shadow->format, csr);
  const bool          refresh = same_pattern && pattern == made.pattern;
  const Events       &events  = EventsOf(*shadow->format);
  const PetscLogEvent event   = refresh ? events.refresh : events.build;
  PetscCall(PetscLogEventBegin(event, A, 0, 0, 0));
  PetscCall(MakeLayout(csr, pattern, refresh, *shadow));
  PetscCall(PetscLogEventEnd(event, A, 0, 0, 0));
  AddCount(*shadow, refresh ? Count::Refresh : Count::Build);
  made.pattern = pattern;
  made.values  = Auditing() ? ValueDigest(*shadow->format, csr) : 0;
  made.stamp   = now;
  PetscCall(PetscInfo(A, "%s layout %s%s: %" PetscInt_FMT " rows, %" PetscInt_FMT " nonzeros\n", shadow->format->title,
                      refresh ? "refreshed" : "built", place == Place::Device ? " on the device" : "", now.rows, now.nnz));
  if (!refresh && made.way.IsOther())
    PetscCall(PetscInfo(A, "%s products run by the way known for this pattern: %s\n", (*shadow).format->title,
                        made.way.Describe().c_str()));
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode MakeLayoutAtAssembly(Mat A)
{
  Shadow *shadow;

  PetscFunctionBegin;
  PetscCall(GetShadow(A, &shadow));
  if (!shadow->Made().layout || shadow->Made().stamp.nonzerostate != A->nonzerostate) PetscCall(GetCurrentShadow(A, &shadow));
  shadow->Made().stamp.state = -1;
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
