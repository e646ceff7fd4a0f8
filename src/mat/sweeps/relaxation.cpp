#include "mat/sweeps/relaxation.hpp"

#include "mat/exec/alone.hpp"
#include "mat/report/asked.hpp"
#include "mat/report/flops.hpp"
#include "mat/sweeps/node_loop.hpp"
#include "mat/tuning/digest.hpp"

namespace petscspmv {

namespace {

std::uint64_t DigestOf(const Csr<PetscScalar, PetscInt> &csr)
{
  return PatternDigest(csr, true) + 31 * Digest(csr.val, static_cast<std::size_t>(csr.nnz()), 2);
}

void Ensure(Array<PetscScalar> &array, PetscInt size)
{
  if (array.size() != At(size)) array.Allocate(At(size));
}

} // namespace

double Relaxation::Triangles() const
{
  const double each = forward && backward ? 3 : 2;
  return static_cast<double>(iterations) * each - (zero_guess ? 1 : 0);
}

std::size_t Relaxation::Kind() const
{
  const std::size_t from = !zero_guess ? 0 : iterations == 1 ? 1 : 2;
  return 4 * from + (forward ? 2 : 0) + (backward ? 1 : 0);
}

/// The nonzero state may miss a change: MatCreateSubMatrix() into an existing matrix may change that matrix's columns.
bool SorLayouts::CompareWith(const Stamp &now, const Nodes &nodes)
{
  const bool new_values = !seen_.SameValues(now);
  if (!seen_.SamePattern(now) || !nodes_.IsSame(nodes) ||
      (new_values && blocks_.Found() && LookAtPattern(now.Lent(), true).digest != pattern_)) {
    NewPattern();
    block_entries_ = nodes.BlockEntries();
  } else if (new_values) {
    NewValues();
    has_inverse_ = false;
  }
  seen_  = now;
  nodes_ = nodes;
  return !new_values;
}

void SorLayouts::FreeRest()
{
  for (Array<PetscScalar> *array : {&divided_, &sum_, &more_}) array->Allocate(0);
  blocks_      = {};
  has_inverse_ = false;
}

bool SorLayouts::InvertBlocks(const Relaxation &relaxation)
{
  const PetscReal omega = relaxation.omega, shift = relaxation.shift;
  if (has_inverse_ && omega_ == omega && shift_ == shift) return true;
  has_inverse_ = blocks_.Invert(seen_.a, omega, shift);
  omega_       = omega;
  shift_       = shift;
  NewDiagonal();
  return has_inverse_;
}

bool SorLayouts::FindBlocks()
{
  const Look look = LookAtPattern(seen_.Lent(), true);
  pattern_        = look.digest;
  return look.inside && blocks_.Find(seen_, nodes_);
}

Outcome SorLayouts::PrepareTriangles(const Relaxation &relaxation)
{
  const bool guess = !relaxation.zero_guess || relaxation.iterations > 1 || relaxation.goes_on;
  if (!blocks_.Found() && !FindBlocks()) return Outcome::Never;
  if (!InvertBlocks(relaxation)) return Outcome::NotNow;
  Array<PetscScalar> divided; // D^-1 A of nodes, for both triangles
  const bool         node_loop = ByNodes() && IsPlain();
  for (const bool upper : {false, true}) {
    if (!guess && !(upper ? relaxation.backward : relaxation.forward)) continue;
    PetscTriangleSource source = blocks_.Triangle(seen_, upper);
    if (ByNodes() && !node_loop && !IsCurrent(upper)) {
      if (divided.size() == 0) divided = blocks_.Divided(seen_);
      source.val = divided.data();
    }
    if (!Make(source, ByNodes() ? nullptr : blocks_.Inverse(), !ByNodes())) return Outcome::Never;
  }
  if (ByNodes() && !node_loop) Ensure(divided_, seen_.rows);
  if (relaxation.forward && relaxation.backward) Ensure(sum_, seen_.rows);
  if (guess && !node_loop) Ensure(more_, seen_.rows);
  return Outcome::Made;
}

/// With -spmv_audit: checks that layouts that count as current were made from the current arrays.
PetscErrorCode SorLayouts::Audit(bool current)
{
  PetscFunctionBegin;
  const std::uint64_t digest = DigestOf(seen_.Lent());
  PetscCheck(
    !current || digest == audited_, PETSC_COMM_SELF, PETSC_ERR_PLIB,
    "The layouts of the triangles, or the inverted diagonal, are stale: the matrix has changed without a change of its state; call "
    "PetscObjectStateIncrease() after changing its arrays");
  audited_ = digest;
  PetscFunctionReturn(PETSC_SUCCESS);
}

PetscErrorCode SorLayouts::Prepare(Mat A, const Relaxation &relaxation, Outcome *outcome)
{
  PetscFunctionBegin;
  if (Auditing()) PetscCall(Audit(HasSomeValues()));
  PetscCall(Try(
    A, [&] { return PrepareTriangles(relaxation); }, outcome));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// By the plain loop.
void SorLayouts::RelaxNodes(const Relaxation &relaxation, const PetscScalar *b, PetscScalar *x)
{
  const bool both = relaxation.forward && relaxation.backward, ahead = PrefetchesAlone(HowToRun(), seen_.Lent().EntryBytes());
  const auto sweep = [&](NodeSweep kind, const PetscScalar *from) {
    SweepNodes(seen_, blocks_, kind, ahead, from, x, both ? sum_.data() : nullptr);
  };
  for (PetscInt iteration = 0; iteration < relaxation.iterations; ++iteration) {
    const bool zero = relaxation.zero_guess && iteration == 0;
    if (relaxation.forward) sweep(zero ? NodeSweep::Lower : NodeSweep::Both, b);
    if (relaxation.backward) sweep(zero || both ? NodeSweep::Upper : NodeSweep::Whole, both ? sum_.data() : b);
  }
}

void SorLayouts::RelaxArrays(const Relaxation &relaxation, const PetscScalar *b, PetscScalar *x)
{
  const bool        both      = relaxation.forward && relaxation.backward;
  const PetscScalar keep      = PetscReal(1) - relaxation.omega;
  const SweepKind   from_zero = ByNodes() ? SweepKind::Solve : SweepKind::Scaled,
                  from_guess  = ByNodes() ? SweepKind::Solve : SweepKind::Relax;
  const auto run              = [&](bool upper, const PetscSweep &sweep) { upper ? RunUpper(sweep) : RunLower(sweep); };
  if (ByNodes() && IsPlain()) return RelaxNodes(relaxation, b, x);
  if (ByNodes()) {
    blocks_.Divide(b, divided_.data());
    b = divided_.data();
  }
  for (PetscInt iteration = 0; iteration < relaxation.iterations; ++iteration) {
    const bool               zero = relaxation.zero_guess && iteration == 0, upper = !relaxation.forward;
    const PetscScalar *const more = zero ? nullptr : more_.data();
    if (more) run(!upper, {.kind = SweepKind::Multiply, .x = x, .sum = more_.data()});
    run(upper,
        {.kind = zero ? from_zero : from_guess, .b = b, .x = x, .sum = both ? sum_.data() : nullptr, .more = more, .keep = keep});
    if (both) run(true, {.kind = from_guess, .b = sum_.data(), .x = x, .keep = keep});
  }
}

PetscErrorCode SorLayouts::Relax(const Relaxation &relaxation, Vec b, Vec x)
{
  const PetscScalar *from;
  PetscScalar       *to;

  PetscFunctionBegin;
  PetscCall(VecGetArrayRead(b, &from));
  PetscCall(VecGetArray(x, &to));
  RelaxArrays(relaxation, from, to);
  PetscCall(VecRestoreArray(x, &to));
  PetscCall(VecRestoreArrayRead(b, &from));
  PetscCall(AddFlops(relaxation.Triangles() * static_cast<PetscLogDouble>(seen_.nnz)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
