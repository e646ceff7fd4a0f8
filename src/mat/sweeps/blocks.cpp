#include "mat/sweeps/blocks.hpp"

#include <algorithm>
#include <utility>

namespace petscspmv {

namespace {

constexpr PetscInt kLargestNode = 5; // rows of the largest node that PETSc makes

/// The first row of each node, and the number of rows.
Array<PetscInt> FirstRows(const Nodes &nodes)
{
  Array<PetscInt> first(At(nodes.count) + 1);
  first[0] = 0;
  for (PetscInt k = 0; k < nodes.count; ++k) first[At(k) + 1] = first[At(k)] + nodes.Size(k);
  return first;
}

/// Inverts a block in place, which is stored by columns, as PETSc does by LINPACK's dgefa() and dgedi(), with the same bits: with
/// row pivoting the block becomes L U, L without its ones and times -1; then U^-1; then U^-1 L^-1. False if a pivot is zero or, as
/// the only entry of a block, nearly zero.
bool InvertBlock(PetscScalar *block, PetscInt size)
{
  PetscInt    pivot[kLargestNode];
  PetscScalar factor[kLargestNode];
  const auto  at = [&](PetscInt i, PetscInt j) -> PetscScalar  &{ return block[j * size + i]; };
  if (size == 1 && PetscAbsScalar(*block) < 100 * PETSC_MACHINE_EPSILON) return false;
  for (PetscInt k = 0; k < size; ++k) {
    pivot[k] = k;
    for (PetscInt i = k + 1; i < size; ++i) {
      if (PetscAbsScalar(at(i, k)) > PetscAbsScalar(at(pivot[k], k))) pivot[k] = i;
    }
    if (at(pivot[k], k) == PetscScalar(0)) return false;
    for (PetscInt j = k; j < size; ++j) std::swap(at(k, j), at(pivot[k], j));
    const PetscScalar minus = PetscScalar(-1) / at(k, k);
    for (PetscInt i = k + 1; i < size; ++i) at(i, k) *= minus;
    for (PetscInt j = k + 1; j < size; ++j) {
      for (PetscInt i = k + 1; i < size; ++i) at(i, j) += at(k, j) * at(i, k);
    }
  }
  for (PetscInt k = 0; k < size; ++k) {
    at(k, k) = PetscScalar(1) / at(k, k);
    for (PetscInt i = 0; i < k; ++i) at(i, k) *= -at(k, k);
    for (PetscInt j = k + 1; j < size; ++j) {
      const PetscScalar upper = std::exchange(at(k, j), PetscScalar(0));
      for (PetscInt i = 0; i <= k; ++i) at(i, j) += upper * at(i, k);
    }
  }
  for (PetscInt k = size - 1; k-- > 0;) {
    for (PetscInt j = k + 1; j < size; ++j) factor[j] = std::exchange(at(j, k), PetscScalar(0));
    for (PetscInt j = k + 1; j < size; ++j) {
      for (PetscInt i = 0; i < size; ++i) at(i, k) += factor[j] * at(i, j);
    }
    for (PetscInt i = 0; i < size && pivot[k] != k; ++i) std::swap(at(i, k), at(i, pivot[k]));
  }
  return true;
}

/// Whether a row has columns first .. last - 1 in this order at `block`, only lesser columns before and only greater ones behind.
bool HasBlock(const PetscInt *begin, const PetscInt *block, const PetscInt *end, PetscInt first, PetscInt last)
{
  const PetscInt size = last - first;
  if (end - block < size) return false;
  for (PetscInt k = 0; k < size; ++k) {
    if (block[k] != first + k) return false;
  }
  return std::all_of(begin, block, [&](PetscInt column) { return column < first; }) &&
         std::all_of(block + size, end, [&](PetscInt column) { return column >= last; });
}

} // namespace

/// Calls f(first row, row behind the last) for block after block, until f returns false; returns whether f never did.
template <class F>
bool DiagonalBlocks::Each(const F &f) const
{
  const auto count = first_.size() > 0 ? static_cast<PetscInt>(first_.size()) - 1 : rows_;
  for (PetscInt k = 0; k < count; ++k) {
    if (!(first_.size() > 0 ? f(first_[At(k)], first_[At(k) + 1]) : f(k, k + 1))) return false;
  }
  return true;
}

/// Refuses columns out of order. PETSc checks them only in debug builds, and AIJ's triangles are whatever entries are stored before
/// and behind the diagonal one.
bool DiagonalBlocks::Find(const Stamp &of, const Nodes &nodes)
{
  DiagonalBlocks found;
  found.rows_ = of.rows;
  if (nodes.count > 0) found.first_ = FirstRows(nodes);
  if (nodes.count > 0 && found.first_[At(nodes.count)] != of.rows) return false;
  found.before_.Allocate(At(of.rows));
  found.after_.Allocate(At(of.rows) + 1);
  const bool all = found.Each([&](PetscInt first, PetscInt end) {
    const PetscInt size = end - first;
    if (size > kLargestNode) return false;
    found.entries_ += size * size;
    for (PetscInt row = first; row < end; ++row) {
      const PetscInt *const columns = of.j + of.i[row], *const behind = of.j + of.i[row + 1],
                            *const block = std::lower_bound(columns, behind, first);
      if (!HasBlock(columns, block, behind, first, end)) return false;
      if (row > first && !std::equal(columns, behind, of.j + of.i[first], of.j + of.i[first + 1])) return false;
      found.before_[At(row)] = static_cast<PetscInt>(block - of.j);
      found.after_[At(row)]  = found.before_[At(row)] + size;
    }
    return true;
  });
  if (!all) return false;
  found.after_[At(of.rows)] = of.nnz;
  found.inverse_.Allocate(At(found.entries_));
  *this = std::move(found);
  return true;
}

bool DiagonalBlocks::Invert(const PetscScalar *values, PetscReal omega, PetscReal shift)
{
  PetscScalar *to = inverse_.data();
  return Each([&](PetscInt first, PetscInt end) {
    const PetscInt size = end - first;
    if (first_.size() == 0) {
      const PetscScalar d = values[before_[At(first)]];
      if (d == PetscScalar(0)) return false; // not divided by: division may trap
      *to++ = omega == 1 && shift <= 0 ? PetscScalar(1) / d : omega / (shift + d);
      return true;
    }
    for (PetscInt i = 0; i < size; ++i) {
      for (PetscInt k = 0; k < size; ++k) to[k * size + i] = values[before_[At(first + i)] + k];
    }
    to += size * size;
    return InvertBlock(to - size * size, size);
  });
}

Array<PetscScalar> DiagonalBlocks::Divided(const Stamp &of) const
{
  Array<PetscScalar> divided(At(of.nnz));
  const PetscScalar *inverse = inverse_.data();
  Each([&](PetscInt first, PetscInt end) {
    const PetscInt           size = end - first, length = of.i[end] - of.i[end - 1];
    const PetscScalar *const from = of.a + of.i[first];
    PetscScalar             *to   = divided.data() + of.i[first];
    for (PetscInt row = 0; row < size; ++row, to += length) {
      for (PetscInt e = 0; e < length; ++e) to[e] = inverse[row] * from[e];
      for (PetscInt k = 1; k < size; ++k) {
        for (PetscInt e = 0; e < length; ++e) to[e] += inverse[k * size + row] * from[k * length + e];
      }
    }
    inverse += size * size;
    return true;
  });
  return divided;
}

void DiagonalBlocks::Divide(const PetscScalar *b, PetscScalar *divided) const
{
  const PetscScalar *inverse = inverse_.data();
  Each([&](PetscInt first, PetscInt end) {
    const PetscInt size = end - first;
    for (PetscInt row = 0; row < size; ++row) {
      PetscScalar sum = inverse[row] * b[first];
      for (PetscInt k = 1; k < size; ++k) sum += inverse[k * size + row] * b[first + k];
      divided[first + row] = sum;
    }
    inverse += size * size;
    return true;
  });
}

void MultiplyBlocks(const Stamp &of, const Nodes &nodes, const PetscScalar *x, PetscScalar *y)
{
  PetscInt row = 0;
  for (PetscInt k = 0; k < nodes.count; ++k) {
    const PetscInt first = row, end = first + nodes.Size(k);
    for (; row < end; ++row) {
      const PetscInt *const behind = of.j + of.i[row + 1];
      PetscScalar           sum    = 0;
      for (const PetscInt *column = std::lower_bound(of.j + of.i[row], behind, first); column < behind && *column < end; ++column)
        sum += of.a[column - of.j] * x[*column];
      y[row] = sum;
    }
  }
}

PetscTriangleSource DiagonalBlocks::Triangle(const Stamp &of, bool upper) const
{
  return {.rows    = of.rows,
          .upper   = upper,
          .begin   = upper ? after_.data() : of.i,
          .end     = upper ? of.i + 1 : before_.data(),
          .col_idx = of.j,
          .val     = of.a};
}

} // namespace petscspmv
