#include "mat/layout/plain_product.hpp"

#include "mat/arithmetic/multiply_rows.hpp"
#include "mat/arithmetic/node_entries.hpp"

#include <algorithm>

namespace petscspmv {

namespace {

using PetscCsr = Csr<PetscScalar, PetscInt>;

/// Where nodes begin, one after the other.
class NodeAt {
public:
  explicit NodeAt(const Nodes &nodes) : nodes_(nodes) { }

  PetscInt First() const { return first_; }
  PetscInt Size() const { return nodes_.Size(node_); }
  bool     IsLast() const { return node_ + 1 == nodes_.count; }
  void     Advance()
  {
    first_ += Size();
    ++node_;
  }

private:
  const Nodes &nodes_;
  PetscInt     node_ = 0, first_ = 0;
};

NodeEntries<PetscScalar, PetscInt> EntriesOf(const PetscCsr &csr, PetscInt row)
{
  const PetscInt begin = csr.row_ptr[row], count = csr.row_ptr[row + 1] - begin;
  return {.val = csr.val + begin, .col_idx = csr.col_idx + begin, .count = count, .length = count};
}

/// The first of these rows may lie within a node.
template <bool add, bool prefetches, class Y>
void MultiplyNodes(const PetscCsr &csr, const Nodes &nodes, PetscInt first, const PetscScalar *x, const Y &y)
{
  NodeAt now(nodes);
  while (now.First() + now.Size() <= first) now.Advance();
  NodeAt ahead = now;
  for (PetscInt k = NodesAhead(csr.nnz(), nodes.count); k > 0 && !ahead.IsLast(); --k) ahead.Advance();
  for (PetscInt row = first; row < csr.rows; row = now.First()) {
    const NodeEntries<PetscScalar, PetscInt> of = EntriesOf(csr, row), next = EntriesOf(csr, ahead.First());
    WithNodeSize(now.First() + now.Size() - row, [&]<int size>() {
      PetscScalar sum[size] = {};
      AddNode<false, prefetches>(of, next, x, sum);
      for (int k = 0; k < size; ++k) Store<add>(y[row + k], sum[k]);
    });
    now.Advance();
    if (!ahead.IsLast()) ahead.Advance();
  }
}

} // namespace

void MultiplyPlain(const PetscCsr &csr, const Nodes &nodes, PetscInt first, bool ahead, const PetscScalar *x,
                   const Result<PetscScalar> &result)
{
  if (first == csr.rows) return;
  const auto multiply = [&]<bool add>(const auto &y) {
    const auto rows = [&]<bool prefetches>() {
      if (nodes.count > 0) MultiplyNodes<add, prefetches>(csr, nodes, first, x, y);
      else MultiplyRows<add, prefetches>(csr, first, x, y);
    };
    ahead ? rows.template operator()<true>() : rows.template operator()<false>();
  };
  if (result.Adds()) multiply.template operator()<true>(result);
  else multiply.template operator()<false>(result.y);
}

} // namespace petscspmv
