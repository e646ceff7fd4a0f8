#include "mat/factors/triangles_of.hpp"

#include <algorithm>
#include <cstddef>

namespace petscspmv {

namespace {

/// Whether the columns of entries k .. end - 1 are among first .. last - 1.
bool Inside(const PetscInt *ja, PetscInt k, PetscInt end, PetscInt first, PetscInt last)
{
  return std::all_of(ja + k, ja + end, [&](PetscInt column) { return column >= first && column < last; });
}

} // namespace

/// ia are the row pointers of L. Behind L come the rows of U from the last to the first, each with its diagonal entry last.
bool FactorTriangles::FindUpper(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja)
{
  PetscInt k = ia[rows];
  if (ia[0] != 0 || k > nonzeros) return false;
  for (PetscInt row = 0; row < rows; ++row) {
    if (ia[row] > ia[row + 1] || ia[row + 1] > k || !Inside(ja, ia[row], ia[row + 1], 0, row)) return false;
  }
  for (PetscInt row = rows - 1; row >= 0; --row) {
    begin_[At(row)] = k;
    while (k < nonzeros && ja[k] > row && ja[k] < rows) ++k;
    if (k >= nonzeros || ja[k] != row) return false;
    end_[At(row)] = k++;
  }
  return true;
}

/// ia are the row pointers of U, each row with its diagonal entry last.
bool FactorTriangles::FindSymmetric(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja)
{
  if (ia[0] != 0 || ia[rows] > nonzeros) return false;
  for (PetscInt row = 0; row < rows; ++row) {
    begin_[At(row)] = ia[row];
    end_[At(row)]   = ia[row + 1] - 1;
    if (ia[row + 1] <= ia[row] || ia[row + 1] > ia[rows] || ja[ia[row + 1] - 1] != row ||
        !Inside(ja, begin_[At(row)], end_[At(row)], row + 1, rows))
      return false;
  }
  return true;
}

PetscTriangleSource FactorTriangles::Transposed(PetscTriangleSource of)
{
  of.upper      = !of.upper;
  of.transposed = !of.transposed;
  return of;
}

bool FactorTriangles::Find(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja)
{
  begin_.Allocate(At(rows) + 1);
  end_.Allocate(At(rows));
  inverse_.Allocate(At(rows));
  if (!(symmetric_ ? FindSymmetric(rows, nonzeros, ia, ja) : FindUpper(rows, nonzeros, ia, ja))) return false;
  begin_[At(rows)] = nonzeros;
  upper_           = {.rows = rows, .upper = true, .begin = begin_.data(), .end = end_.data()};
  if (symmetric_) {
    upper_.negated  = true;
    lower_          = Transposed(upper_);
    upper_.reversed = true;
  } else {
    lower_ = {.rows = rows, .upper = false, .begin = ia, .end = ia + 1};
  }
  return true;
}

void FactorTriangles::Lend(const PetscInt *ja, const PetscScalar *values)
{
  lower_.col_idx = upper_.col_idx = ja;
  lower_.val = upper_.val = values;
}

void FactorTriangles::TakeInverse(const PetscScalar *values)
{
  for (std::size_t i = 0; i < inverse_.size(); ++i) inverse_[i] = values[end_[i]];
}

} // namespace petscspmv
