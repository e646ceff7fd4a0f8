#include "mat/factors/transposed.hpp"

#include <algorithm>
#include <cstddef>

namespace petscspmv {

void TransposedTriangle::Find(const PetscTriangleSource &of)
{
  const PetscInt rows     = of.rows;
  const auto     for_rows = [&](const auto &f) { // f(row, entry)
    for (PetscInt k = 0; k < rows; ++k) {
          const PetscInt row = of.upper ? k : rows - 1 - k;
          for (PetscInt entry = of.begin[row]; entry < of.end[row]; ++entry) f(row, entry);
    }
  };
  Array<PetscInt> next(At(rows) + 1);
  begin_.Allocate(At(rows) + 1);
  std::fill_n(next.data(), At(rows) + 1, PetscInt(0));
  for_rows([&](PetscInt, PetscInt entry) { ++next[At(of.col_idx[entry]) + 1]; });
  for (PetscInt row = 0; row < rows; ++row) next[At(row) + 1] += next[At(row)];
  std::copy_n(next.data(), At(rows) + 1, begin_.data());
  const std::size_t entries = At(begin_[At(rows)]);
  col_idx_.Allocate(entries);
  entry_.Allocate(entries);
  val_.Allocate(entries);
  for_rows([&](PetscInt row, PetscInt entry) {
    const std::size_t at = At(next[At(of.col_idx[entry])]++);
    col_idx_[at]         = row;
    entry_[at]           = entry;
  });
  source_ = {.rows    = rows,
             .upper   = !of.upper,
             .begin   = begin_.data(),
             .end     = begin_.data() + 1,
             .col_idx = col_idx_.data(),
             .val     = val_.data()};
  TakeValues(of);
}

void TransposedTriangle::TakeValues(const PetscTriangleSource &of)
{
  for (std::size_t k = 0; k < entry_.size(); ++k) val_[k] = of.val[entry_[k]];
}

} // namespace petscspmv
