#include "mat/sweeps/node_loop.hpp"

#include "mat/arithmetic/node_entries.hpp"

#include <algorithm>

namespace petscspmv {

namespace {

using Entries = NodeEntries<PetscScalar, PetscInt>;

/// The nodes of a matrix, in the order of a sweep.
template <NodeSweep sweep, bool prefetches>
class NodeOrder {
public:
  NodeOrder(const Stamp &of, const DiagonalBlocks &blocks) :
    of_(of), blocks_(blocks), count_(blocks.Count()), ahead_(NodesAhead(kHalf ? of.nnz / 2 : of.nnz, blocks.Count()))
  {
  }

  void Sweep(const PetscScalar *b, PetscScalar *x, PetscScalar *sums) const
  {
    const PetscScalar *inverse = kBackward ? blocks_.EndOfInverse() : blocks_.Inverse();
    for (PetscInt t = 0; t < count_; ++t) {
      const PetscInt node = At(t), first = blocks_.First(node), size = blocks_.First(node + 1) - first;
      const PetscInt ahead = blocks_.First(At(std::min(t + ahead_, count_ - 1)));
      if (kBackward) inverse -= size * size;
      WithNodeSize(size, [&]<int of_node>() { Relax<of_node>(first, ahead, inverse, b, x, sums); });
      if (!kBackward) inverse += size * size;
    }
  }

private:
  static constexpr bool kBackward = sweep == NodeSweep::Upper || sweep == NodeSweep::Whole;
  static constexpr bool kHalf     = sweep == NodeSweep::Lower || sweep == NodeSweep::Upper;

  PetscInt At(PetscInt t) const { return kBackward ? count_ - 1 - t : t; }

  Entries Lower(PetscInt first) const { return Between(of_.i[first], blocks_.Before(first), first); }
  Entries Upper(PetscInt first) const { return Between(blocks_.Behind(first), of_.i[first + 1], first); }
  Entries Whole(PetscInt first) const { return Between(of_.i[first], of_.i[first + 1], first); }
  Entries Between(PetscInt begin, PetscInt end, PetscInt first) const
  {
    return {.val = of_.a + begin, .col_idx = of_.j + begin, .count = end - begin, .length = of_.i[first + 1] - of_.i[first]};
  }

  template <int size>
  void Relax(PetscInt first, PetscInt ahead, const PetscScalar *inverse, const PetscScalar *b, PetscScalar *x,
             PetscScalar *sums) const
  {
    PetscScalar sum[size];
    std::copy_n(b + first, size, sum);
    if constexpr (sweep == NodeSweep::Whole) AddNode<true, prefetches>(Whole(first), Whole(ahead), x, sum);
    if constexpr (sweep == NodeSweep::Lower || sweep == NodeSweep::Both) {
      AddNode<true, prefetches>(Lower(first), Lower(ahead), x, sum);
      if (sums) std::copy_n(sum, size, sums + first);
    }
    if constexpr (sweep == NodeSweep::Upper || sweep == NodeSweep::Both)
      AddNode<true, prefetches>(Upper(first), Upper(ahead), x, sum);
    for (int row = 0; row < size; ++row) {
      PetscScalar result = Multiply(sum[0], inverse[row]);
      for (int k = 1; k < size; ++k) result += Multiply(sum[k], inverse[k * size + row]);
      x[first + row] = sweep == NodeSweep::Whole ? x[first + row] + result : result;
    }
  }

  const Stamp          &of_;
  const DiagonalBlocks &blocks_;
  PetscInt              count_, ahead_; // nodes
};

} // namespace

void SweepNodes(const Stamp &of, const DiagonalBlocks &blocks, NodeSweep sweep, bool ahead, const PetscScalar *b, PetscScalar *x,
                PetscScalar *sums)
{
  const auto run = [&]<NodeSweep kind>() {
    if (ahead) NodeOrder<kind, true>(of, blocks).Sweep(b, x, sums);
    else NodeOrder<kind, false>(of, blocks).Sweep(b, x, sums);
  };
  switch (sweep) {
  case NodeSweep::Lower:
    return run.operator()<NodeSweep::Lower>();
  case NodeSweep::Upper:
    return run.operator()<NodeSweep::Upper>();
  case NodeSweep::Both:
    return run.operator()<NodeSweep::Both>();
  case NodeSweep::Whole:
    return run.operator()<NodeSweep::Whole>();
  }
}

} // namespace petscspmv
