#include "mat/factors/triangles_of.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

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

/// Copies the rows of U, each from the last column to the first.
void FactorTriangles::CopyUpper(PetscInt rows, const PetscInt *ja)
{
  copy_begin_.Allocate(At(rows) + 1);
  copy_begin_[0] = 0;
  for (PetscInt row = 0; row < rows; ++row) copy_begin_[At(row) + 1] = copy_begin_[At(row)] + end_[At(row)] - begin_[At(row)];
  const std::size_t entries = At(copy_begin_[At(rows)]);
  col_idx_.Allocate(entries);
  entry_.Allocate(entries);
  val_.Allocate(entries);
  std::size_t to = 0;
  for (PetscInt row = 0; row < rows; ++row) {
    for (PetscInt k = end_[At(row)]; k-- > begin_[At(row)]; ++to) {
      col_idx_[to] = ja[k];
      entry_[to]   = k;
    }
  }
}

bool FactorTriangles::Find(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja, const PetscScalar *values)
{
  begin_.Allocate(At(rows) + 1);
  end_.Allocate(At(rows));
  inverse_.Allocate(At(rows));
  if (!(symmetric_ ? FindSymmetric(rows, nonzeros, ia, ja) : FindUpper(rows, nonzeros, ia, ja))) return false;
  begin_[At(rows)] = nonzeros;
  if (symmetric_) {
    CopyUpper(rows, ja);
    upper_ = {.rows    = rows,
              .upper   = true,
              .begin   = copy_begin_.data(),
              .end     = copy_begin_.data() + 1,
              .col_idx = col_idx_.data(),
              .val     = val_.data()};
    lower_copy_.Find(upper_);
    lower_ = lower_copy_.Source();
  } else {
    lower_ = {.rows = rows, .upper = false, .begin = ia, .end = ia + 1, .col_idx = ja};
    upper_ = {.rows = rows, .upper = true, .begin = begin_.data(), .end = end_.data(), .col_idx = ja};
  }
  TakeValues(values);
  return true;
}

void FactorTriangles::TakeValues(const PetscScalar *values)
{
  for (std::size_t i = 0; i < inverse_.size(); ++i) inverse_[i] = values[end_[i]];
  for (std::size_t k = 0; k < entry_.size(); ++k) val_[k] = -values[entry_[k]];
  if (symmetric_) lower_copy_.TakeValues(upper_);
  else lower_.val = upper_.val = values;
}

} // namespace petscspmv
