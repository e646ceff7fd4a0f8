#include "mat/factors/triangles_of.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace petscspmv {

namespace {

std::size_t At(PetscInt i)
{
  return static_cast<std::size_t>(i);
}

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

void FactorTriangles::CopySymmetric(PetscInt rows, const PetscInt *ja)
{
  const auto for_rows = [&](const auto &f) {
    for (PetscInt row = 0; row < rows; ++row) f(row, begin_[At(row)], end_[At(row)]);
  };
  PetscInt entries = 0;
  for_rows([&](PetscInt, PetscInt first, PetscInt end) { entries += end - first; });
  Array<PetscInt> next(At(rows) + 1);
  lower_begin_.Allocate(At(rows) + 1);
  upper_begin_.Allocate(At(rows) + 1);
  col_idx_.Allocate(2 * At(entries));
  entry_.Allocate(2 * At(entries));
  val_.Allocate(2 * At(entries));
  std::fill_n(next.data(), At(rows) + 1, PetscInt(0));
  for_rows([&](PetscInt, PetscInt first, PetscInt end) {
    for (PetscInt k = first; k < end; ++k) ++next[At(ja[k]) + 1];
  });
  for (PetscInt row = 0; row < rows; ++row) next[At(row) + 1] += next[At(row)];
  std::copy_n(next.data(), At(rows) + 1, lower_begin_.data());
  lower_begin_[At(rows)] = upper_begin_[At(rows)] = 2 * entries; // of the arrays
  PetscInt   to                                   = entries;
  const auto put                                  = [&](PetscInt at, PetscInt column, PetscInt k) {
    col_idx_[At(at)] = column;
    entry_[At(at)]   = k;
  };
  for_rows([&](PetscInt row, PetscInt first, PetscInt end) {
    for (PetscInt k = first; k < end; ++k) put(next[At(ja[k])]++, row, k);
    upper_begin_[At(row)] = to;
    for (PetscInt k = end; k-- > first;) put(to++, ja[k], k);
  });
  lower_end_ = std::move(next); // by now behind each row
  lower_     = {.rows = rows, .upper = false, .begin = lower_begin_.data(), .end = lower_end_.data(), .col_idx = col_idx_.data()};
  upper_ = {.rows = rows, .upper = true, .begin = upper_begin_.data(), .end = upper_begin_.data() + 1, .col_idx = col_idx_.data()};
}

bool FactorTriangles::Find(PetscInt rows, PetscInt nonzeros, const PetscInt *ia, const PetscInt *ja, const PetscScalar *values)
{
  begin_.Allocate(At(rows) + 1);
  end_.Allocate(At(rows));
  inverse_.Allocate(At(rows));
  if (!(symmetric_ ? FindSymmetric(rows, nonzeros, ia, ja) : FindUpper(rows, nonzeros, ia, ja))) return false;
  begin_[At(rows)] = nonzeros;
  if (symmetric_) {
    CopySymmetric(rows, ja);
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
  lower_.val = upper_.val = symmetric_ ? val_.data() : values;
}

} // namespace petscspmv
