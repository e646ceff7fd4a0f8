#include "mat/sweeps/sor.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace petscspmv {

namespace {

std::size_t At(PetscInt i)
{
  return static_cast<std::size_t>(i);
}

void Ensure(Array<PetscScalar> &array, PetscInt size)
{
  if (array.size() != At(size)) array.Allocate(At(size));
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
    NewPattern();
  } else if (!seen_.SameValues(now)) {
    NewValues();
    has_inverse_ = false;
  }
  seen_ = now;
}

void SorLayouts::FreeRest()
{
  for (Array<PetscInt> *array : {&diagonal_, &after_}) array->Allocate(0);
  for (Array<PetscScalar> *array : {&inverse_, &sum_, &more_}) array->Allocate(0);
  has_inverse_ = false;
}

/// Finds each row's diagonal entry; false if one is missing, or columns are not in order.
bool SorLayouts::FindDiagonal()
{
  const Stamp    &now = seen_;
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
bool SorLayouts::InvertDiagonal(const Relaxation &relaxation)
{
  const PetscReal omega = relaxation.omega, shift = relaxation.shift;
  if (has_inverse_ && omega_ == omega && shift_ == shift) return true;
  has_inverse_ = false;
  Ensure(inverse_, seen_.rows);
  for (PetscInt row = 0; row < seen_.rows; ++row) {
    const PetscScalar d = seen_.a[diagonal_[At(row)]];
    if (d == PetscScalar(0)) return false;
    inverse_[At(row)] = omega == 1 && shift <= 0 ? PetscScalar(1) / d : omega / (shift + d);
  }
  omega_       = omega;
  shift_       = shift;
  has_inverse_ = true;
  NewDiagonal();
  return true;
}

bool SorLayouts::PrepareTriangles(const Relaxation &relaxation)
{
  const Stamp &now   = seen_;
  const bool   guess = !relaxation.zero_guess || relaxation.sweeps > 1;
  if (diagonal_.size() == 0 && !FindDiagonal()) return false;
  if (!InvertDiagonal(relaxation)) return false;
  for (const bool upper : {false, true}) {
    const PetscTriangleSource source{.rows    = now.rows,
                                     .upper   = upper,
                                     .begin   = upper ? after_.data() : now.i,
                                     .end     = upper ? now.i + 1 : diagonal_.data(),
                                     .col_idx = now.j,
                                     .val     = now.a};
    if ((guess || (upper ? relaxation.backward : relaxation.forward)) && !Make(source, inverse_.data())) return false;
  }
  if (relaxation.forward && relaxation.backward) Ensure(sum_, now.rows);
  if (guess) Ensure(more_, now.rows);
  return true;
}

PetscErrorCode SorLayouts::Prepare(Mat A, const Relaxation &relaxation, bool *ready)
{
  PetscFunctionBegin;
  PetscCall(Try(
    A, [&] { return PrepareTriangles(relaxation); }, ready));
  PetscFunctionReturn(PETSC_SUCCESS);
}

void SorLayouts::RelaxArrays(const Relaxation &relaxation, const PetscScalar *b, PetscScalar *x)
{
  const PetscScalar keep = PetscReal(1) - relaxation.omega;
  for (PetscInt sweep = 0; sweep < relaxation.sweeps; ++sweep) {
    const bool               zero = relaxation.zero_guess && sweep == 0, first_upper = !relaxation.forward;
    const PetscScalar *const more = zero ? nullptr : more_.data();
    const auto               run  = [&](bool upper, const PetscSweep &of) { upper ? RunUpper(of) : RunLower(of); };
    if (more) run(!first_upper, {.kind = SweepKind::Multiply, .x = x, .sum = more_.data()});
    run(first_upper, {.kind = zero ? SweepKind::Scaled : SweepKind::Relax,
                      .b    = b,
                      .x    = x,
                      .sum  = relaxation.forward && relaxation.backward ? sum_.data() : nullptr,
                      .more = more,
                      .keep = keep});
    if (relaxation.forward && relaxation.backward) run(true, {.kind = SweepKind::Relax, .b = sum_.data(), .x = x, .keep = keep});
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
  PetscCall(PetscLogFlops(relaxation.Triangles() * static_cast<PetscLogDouble>(seen_.nnz)));
  PetscFunctionReturn(PETSC_SUCCESS);
}

} // namespace petscspmv
