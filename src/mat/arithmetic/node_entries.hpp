// Products with the rows of a node: neighbouring rows with the same columns, whose entries lie behind each other. Products are
// added in pairs, as in PETSc's loops over inodes, with the same bits.
#pragma once

#include "mat/arithmetic/load.hpp"
#include "mat/arithmetic/scalar.hpp"

#include <algorithm>
#include <cstdint>

namespace petscspmv {

/// Some columns of a node: the values of its first row, and the distance to those of the next.
template <class Scalar, class Index>
struct NodeEntries {
  const Scalar *val;
  const Index  *col_idx;
  Index         count, length;
};

/// How many nodes ahead to prefetch: so many that some 512 entries are worked off while others come from memory.
template <class Index>
Index NodesAhead(Index entries, Index nodes)
{
  constexpr Index kEntries = 512, kMost = 16;
  return std::clamp<Index>(kEntries / std::max<Index>(1, entries / std::max<Index>(1, nodes)), 1, kMost);
}

/// The entry may be behind the array. Callers must be inlined as well: compilers drop calls of functions that only prefetch.
template <class T, class Index>
KOKKOS_FORCEINLINE_FUNCTION void PrefetchEntry(const T *array, Index entry)
{
  PrefetchLine(reinterpret_cast<std::uintptr_t>(array) + static_cast<std::uintptr_t>(entry) * sizeof(T));
}

/// Adds the products of each row with x to its sum or, with `minus`, subtracts them. If it `prefetches`, the entries of the node
/// `ahead` at the same pace: all at once they would hold up what is being done.
template <bool minus, bool prefetches, int size, class Scalar, class Index>
KOKKOS_FORCEINLINE_FUNCTION void AddNode(const NodeEntries<Scalar, Index> &of, const NodeEntries<Scalar, Index> &ahead,
                                         const Scalar *x, Scalar (&sum)[size])
{
  constexpr Index kLine = 64 / sizeof(Scalar);
  const auto      add   = [](Scalar &to, const Scalar &products) { to = minus ? to - products : to + products; };
  const auto      pair  = [&](Index k) {
    const Scalar  x0 = x[of.col_idx[k]], x1 = x[of.col_idx[k + 1]];
    const Scalar *val = of.val + k;
    for (int row = 0; row < size; ++row, val += of.length) add(sum[row], Multiply(val[0], x0) + Multiply(val[1], x1));
  };
  Index k = 0;
  for (; k + kLine <= of.count; k += kLine) {
    for (int row = 0; prefetches && row < size; ++row) PrefetchEntry(ahead.val, row * ahead.length + k);
    if constexpr (prefetches) PrefetchEntry(ahead.col_idx, k);
    for (Index of_line = 0; of_line < kLine; of_line += 2) pair(k + of_line);
  }
  for (int row = 0; prefetches && row < size; ++row) PrefetchEntry(ahead.val, row * ahead.length + k);
  for (; k + 1 < of.count; k += 2) pair(k);
  if (k == of.count) return;
  const Scalar last = x[of.col_idx[k]];
  for (int row = 0; row < size; ++row) add(sum[row], Multiply(of.val[row * of.length + k], last));
}

/// Calls f.operator()<size>() for the size of a node, which is 1 to 5.
template <class F>
void WithNodeSize(std::int64_t size, const F &f)
{
  switch (size) {
  case 1:
    return f.template operator()<1>();
  case 2:
    return f.template operator()<2>();
  case 3:
    return f.template operator()<3>();
  case 4:
    return f.template operator()<4>();
  default:
    return f.template operator()<5>();
  }
}

} // namespace petscspmv
