#include "mat/sweeps/sor.hpp"

#include <algorithm>
#include <utility>

namespace petscspmv {

namespace {

std::size_t At(PetscInt i)
{
  return static_cast<std::size_t>(i);
}

} // namespace

double Relaxation::Triangles() const
{
  const double each = forward && backward ? 3 : 2;
  return static_cast<double>(sweeps) * each - (zero_guess ? 1 : 0);
}

void SorLayouts::Look(const Stamp &now)
{
  if (!seen_.SamePattern(now)) {
    choice.NewPattern();
    Free();
  } else if (!seen_.SameValues(now)) {
    choice.NewValues();
  }
  seen_ = now;
}

void SorLayouts::Free()
{
  const SweepChoice chosen = choice;
  const Stamp       seen   = seen_;
  *this                    = SorLayouts();
  choice                   = chosen;
  seen_                    = seen;
}

/// Finds each row's diagonal entry; false if one is missing, or columns are not in order.
bool SorLayouts::FindDiagonal(const Stamp &now)
{
  Array<PetscInt> diagonal(At(now.rows)), after(At(now.rows) + 1);
  for (PetscInt row = 0; row < now.rows; ++row) {
    const PetscInt *const end = now.j + now.i[row + 1], *const entry = std::lower_bound(now.j + now.i[row], end, row);
    if (entry == end || *entry != row) return false;
    if (!std::all_of(now.j + now.i[row], entry, [&](PetscInt column) { return column < row; }) ||
        !std::all_of(entry + 1, end, [&](PetscInt column) { return column > row; }))
      return false; // PETSc checks it in debug builds only, and AIJ relaxes with what is before and behind the entry
    diagonal[At(row)] = static_cast<PetscInt>(entry - now.j);
    after[At(row)]    = diagonal[At(row)] + 1;
  }
  after[At(now.rows)] = now.nnz;
  diagonal_           = std::move(diagonal);
  after_              = std::move(after);
  return true;
}

/// As MatInvertDiagonal_SeqAIJ() does, which has an error for zeros.
bool SorLayouts::InvertDiagonal(const Stamp &now, const Relaxation &relaxation)
{
  const PetscReal omega = relaxation.omega, shift = relaxation.shift;
  if (inverse_.size() == At(now.rows) && inverse_of_.SamePattern(now) && inverse_of_.SameValues(now) && omega_ == omega &&
      shift_ == shift)
    return true;
  inverse_of_ = {};
  if (inverse_.size() != At(now.rows)) inverse_.Allocate(At(now.rows));
  for (PetscInt row = 0; row < now.rows; ++row) {
    const PetscScalar d = now.a[diagonal_[At(row)]];
    if (d == PetscScalar(0)) return false;
    inverse_[At(row)] = omega == 1 && shift <= 0 ? PetscScalar(1) / d : omega / (shift + d);
  }
  inverse_of_ = now;
  omega_      = omega;
  shift_      = shift;
  in_lower_ = in_upper_ = false;
  return true;
}

/// Makes a triangle's layout current, and its diagonal.
bool SorLayouts::Make(const Execution &execution, const Stamp &now, MatSpMVSweeps sweeps, bool upper)
{
  const PetscTriangleSource source{.rows    = now.rows,
                                   .upper   = upper,
                                   .begin   = upper ? after_.data() : now.i,
                                   .end     = upper ? now.i + 1 : diagonal_.data(),
                                   .col_idx = now.j,
                                   .val     = now.a};
  PetscTriangle            &triangle = upper ? upper_ : lower_;
  Stamp                    &made_of  = upper ? upper_of_ : lower_of_;
  bool                     &has      = upper ? in_upper_ : in_lower_;
  if (!triangle || !made_of.SamePattern(now)) {
    made_of = {};
    has     = false;
    if (!MakeTriangle(execution, source, sweeps, triangle)) return false;
  } else if (!made_of.SameValues(now)) {
    made_of = {};
    triangle.Refresh(execution, source);
  }
  made_of = now;
  if (!has) triangle.SetDiagonal(inverse_.data());
  has = true;
  return true;
}

bool SorLayouts::Prepare(const Execution &execution, const Stamp &now, const Relaxation &relaxation, MatSpMVSweeps sweeps)
{
  if (sweeps != made_for_) Free();
  made_for_        = sweeps;
  const bool guess = !relaxation.zero_guess || relaxation.sweeps > 1;
  if (diagonal_.size() == 0 && !FindDiagonal(now)) return false;
  if (!InvertDiagonal(now, relaxation)) return false;
  for (const bool upper : {false, true}) {
    if ((guess || (upper ? relaxation.backward : relaxation.forward)) && !Make(execution, now, sweeps, upper)) return false;
  }
  const auto allocate = [&](Array<PetscScalar> &array) {
    if (array.size() != At(now.rows)) array.Allocate(At(now.rows));
  };
  if (relaxation.forward && relaxation.backward) allocate(sum_);
  if (guess) allocate(more_);
  return true;
}

void SorLayouts::Relax(const Execution &execution, const Relaxation &relaxation, const PetscScalar *b, PetscScalar *x)
{
  const PetscScalar keep = PetscReal(1) - relaxation.omega;
  for (PetscInt sweep = 0; sweep < relaxation.sweeps; ++sweep) {
    const bool zero = relaxation.zero_guess && sweep == 0;
    const auto more = [&](const PetscTriangle &other) -> const PetscScalar * {
      if (zero) return nullptr;
      other.Run(execution, {.kind = SweepKind::Multiply, .x = x, .sum = more_.data()});
      return more_.data();
    };
    const auto kind = zero ? SweepKind::Scaled : SweepKind::Relax;
    if (relaxation.forward) {
      lower_.Run(
        execution,
        {.kind = kind, .b = b, .x = x, .sum = relaxation.backward ? sum_.data() : nullptr, .more = more(upper_), .keep = keep});
      if (!relaxation.backward) continue;
      upper_.Run(execution, {.kind = SweepKind::Relax, .b = sum_.data(), .x = x, .keep = keep});
    } else {
      upper_.Run(execution, {.kind = kind, .b = b, .x = x, .more = more(lower_), .keep = keep});
    }
  }
}

} // namespace petscspmv
