#include "mat/sweeps/node_loop.hpp"

#include "mat/arithmetic/load.hpp"
#include "mat/arithmetic/scalar.hpp"

#include <algorithm>
#include <cstdint>

namespace petscspmv {

namespace {

/// Entries that are worked off while others come from memory.
constexpr PetscInt kEntriesAhead = 512, kMostNodesAhead = 16;

/// Some columns of a node, whose rows have them in common: values of its first row, and the distance to the next row's.
struct NodeEntries {
  const PetscScalar *val;
  const PetscInt    *columns;
  PetscInt           count, length;
};

/// The entry may be behind the array.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void PrefetchEntry(const T *array, PetscInt entry)
{
  PrefetchLine(reinterpret_cast<std::uintptr_t>(array) + static_cast<std::uintptr_t>(entry) * sizeof(T));
}

/// Entries k and k + 1 of each row.
template <PetscInt size>
KOKKOS_FORCEINLINE_FUNCTION void SubtractPair(const NodeEntries &of, PetscInt k, const PetscScalar *x, PetscScalar (&sum)[size])
{
  const PetscScalar  x0 = x[of.columns[k]], x1 = x[of.columns[k + 1]];
  const PetscScalar *val = of.val + k;
  for (PetscInt row = 0; row < size; ++row, val += of.length) sum[row] -= Multiply(val[0], x0) + Multiply(val[1], x1);
}

/// Prefetches the entries of the node `ahead` at the same pace: all at once they would hold up what is being done.
template <PetscInt size>
KOKKOS_FORCEINLINE_FUNCTION void Subtract(const NodeEntries &of, const NodeEntries &ahead, const PetscScalar *x,
                                          PetscScalar (&sum)[size])
{
  constexpr PetscInt kLine = 64 / sizeof(PetscScalar);
  PetscInt           k     = 0;
  for (; k + kLine <= of.count; k += kLine) {
    for (PetscInt row = 0; row < size; ++row) PrefetchEntry(ahead.val, row * ahead.length + k);
    PrefetchEntry(ahead.columns, k);
    for (PetscInt pair = 0; pair < kLine; pair += 2) SubtractPair(of, k + pair, x, sum);
  }
  for (PetscInt row = 0; row < size; ++row) PrefetchEntry(ahead.val, row * ahead.length + k);
  for (; k + 1 < of.count; k += 2) SubtractPair(of, k, x, sum);
  if (k == of.count) return;
  const PetscScalar last = x[of.columns[k]];
  for (PetscInt row = 0; row < size; ++row) sum[row] -= Multiply(of.val[row * of.length + k], last);
}

/// The nodes of a matrix, in the order of a sweep.
template <NodeSweep sweep>
class NodeOrder {
public:
  NodeOrder(const Stamp &of, const DiagonalBlocks &blocks) : of_(of), blocks_(blocks), count_(blocks.Count())
  {
    const PetscInt of_node = std::max<PetscInt>(1, of.nnz / std::max<PetscInt>(1, count_) / (kHalf ? 2 : 1)); // entries
    ahead_                 = std::clamp<PetscInt>(kEntriesAhead / of_node, 1, kMostNodesAhead);
  }

  void Sweep(const PetscScalar *b, PetscScalar *x, PetscScalar *sums) const
  {
    const PetscScalar *inverse = kBackward ? blocks_.EndOfInverse() : blocks_.Inverse();
    for (PetscInt t = 0; t < count_; ++t) {
      const PetscInt node = At(t), first = blocks_.First(node), size = blocks_.First(node + 1) - first;
      const PetscInt ahead = blocks_.First(At(std::min(t + ahead_, count_ - 1)));
      if (kBackward) inverse -= size * size;
      switch (size) {
      case 1:
        Relax<1>(first, ahead, inverse, b, x, sums);
        break;
      case 2:
        Relax<2>(first, ahead, inverse, b, x, sums);
        break;
      case 3:
        Relax<3>(first, ahead, inverse, b, x, sums);
        break;
      case 4:
        Relax<4>(first, ahead, inverse, b, x, sums);
        break;
      case 5:
        Relax<5>(first, ahead, inverse, b, x, sums);
        break;
      }
      if (!kBackward) inverse += size * size;
    }
  }

private:
  static constexpr bool kBackward = sweep == NodeSweep::Upper || sweep == NodeSweep::Whole;
  static constexpr bool kHalf     = sweep == NodeSweep::Lower || sweep == NodeSweep::Upper;

  PetscInt At(PetscInt t) const { return kBackward ? count_ - 1 - t : t; }

  NodeEntries Lower(PetscInt first) const { return Entries(of_.i[first], blocks_.Before(first), first); }
  NodeEntries Upper(PetscInt first) const { return Entries(blocks_.Behind(first), of_.i[first + 1], first); }
  NodeEntries Whole(PetscInt first) const { return Entries(of_.i[first], of_.i[first + 1], first); }
  NodeEntries Entries(PetscInt begin, PetscInt end, PetscInt first) const
  {
    return {.val = of_.a + begin, .columns = of_.j + begin, .count = end - begin, .length = of_.i[first + 1] - of_.i[first]};
  }

  template <PetscInt size>
  void Relax(PetscInt first, PetscInt ahead, const PetscScalar *inverse, const PetscScalar *b, PetscScalar *x,
             PetscScalar *sums) const
  {
    PetscScalar sum[size];
    std::copy_n(b + first, size, sum);
    if constexpr (sweep == NodeSweep::Whole) Subtract(Whole(first), Whole(ahead), x, sum);
    if constexpr (sweep == NodeSweep::Lower || sweep == NodeSweep::Both) {
      Subtract(Lower(first), Lower(ahead), x, sum);
      if (sums) std::copy_n(sum, size, sums + first);
    }
    if constexpr (sweep == NodeSweep::Upper || sweep == NodeSweep::Both) Subtract(Upper(first), Upper(ahead), x, sum);
    for (PetscInt row = 0; row < size; ++row) {
      PetscScalar result = Multiply(sum[0], inverse[row]);
      for (PetscInt k = 1; k < size; ++k) result += Multiply(sum[k], inverse[k * size + row]);
      x[first + row] = sweep == NodeSweep::Whole ? x[first + row] + result : result;
    }
  }

  const Stamp          &of_;
  const DiagonalBlocks &blocks_;
  PetscInt              count_, ahead_; // nodes
};

} // namespace

void SweepNodes(const Stamp &of, const DiagonalBlocks &blocks, NodeSweep sweep, const PetscScalar *b, PetscScalar *x,
                PetscScalar *sums)
{
  switch (sweep) {
  case NodeSweep::Lower:
    return NodeOrder<NodeSweep::Lower>(of, blocks).Sweep(b, x, sums);
  case NodeSweep::Upper:
    return NodeOrder<NodeSweep::Upper>(of, blocks).Sweep(b, x, sums);
  case NodeSweep::Both:
    return NodeOrder<NodeSweep::Both>(of, blocks).Sweep(b, x, sums);
  case NodeSweep::Whole:
    return NodeOrder<NodeSweep::Whole>(of, blocks).Sweep(b, x, sums);
  }
}

} // namespace petscspmv
