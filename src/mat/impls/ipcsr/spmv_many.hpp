// Products with several vectors at once: the sums of IPCSR's kernels, on packs. Entries are read once per pack, and their products
// need no array.
#pragma once

#include "mat/arithmetic/packs.hpp"
#include "mat/arithmetic/prefetch.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/arithmetic/sum.hpp"
#include "mat/exec/host.hpp"
#include "mat/impls/ipcsr/layout.hpp"
#include "mat/impls/ipcsr/pcsr.hpp"
#include "mat/impls/ipcsr/spmv.hpp"

#include <cstdint>

namespace petscspmv::ipcsr {

/// The products of the entries of a row with packs of x.
template <class Scalar, class Index, class Pack>
struct RowOfProducts {
  const Index  *col_idx;
  const Scalar *val;
  const Pack   *x;

  KOKKOS_FORCEINLINE_FUNCTION Pack operator[](std::int64_t k) const { return Pack::All(val[k]) * x[col_idx[k]]; }
};

/// Sums products one after the other as ScalarReduction() does: the sum of a short row starts with its first product.
template <class Pack, class Products>
KOKKOS_FORCEINLINE_FUNCTION Pack SumInTurn(const Products &product, std::int64_t n)
{
  Pack         sum = n >= 1 && n <= kShortRow ? product[0] : Pack::Zero();
  std::int64_t i   = n >= 1 && n <= kShortRow;
  for (; i < n; ++i) sum = sum + product[i];
  return sum;
}

/// The sum of partial sums in the order of PartialReduction() and StoreFourSums(): halves of eight real lanes first, then
/// neighbours. A complex number takes two lanes, one per part.
template <class Scalar, int n, class Pack>
KOKKOS_FORCEINLINE_FUNCTION Pack SumOfPartials(const Lanes<Pack, n> &sum)
{
  if constexpr (n * Parts<Scalar>::count == 8) return SumOfPartials<Scalar, n / 2>(sum.Fold());
  else if constexpr (n == 2) return sum.v[0] + sum.v[1];
  else return (sum.v[0] + sum.v[1]) + (sum.v[2] + sum.v[3]);
}

/// Sums products by `lanes` lanes, in the order of MultipleScalarReduction().
template <int lanes, class Scalar, class Pack, class Products>
KOKKOS_FORCEINLINE_FUNCTION Pack SumByLanes(const Products &product, std::int64_t n)
{
  constexpr int kSums      = lanes / Parts<Scalar>::count;
  using Sums               = Lanes<Pack, kSums>;
  const std::int64_t first = n <= kSums ? n : n % kSums;
  Sums               sum   = Sums::Generate([&](int t) PETSCSPMV_INLINE_LAMBDA { return t < first ? product[t] : Pack::Zero(); });
  for (std::int64_t i = first; i < n; i += kSums)
    sum = sum + Sums::Generate([&](int t) PETSCSPMV_INLINE_LAMBDA { return product[i + t]; });
  return SumOfPartials<Scalar>(sum);
}

/// The product with one row block, as in MultRowBlock.
template <bool add, bool ahead, class Scalar, class Index, class Pack>
struct MultRowBlockMany {
  Csr<Scalar, Index> csr;
  const Index       *block_rows;
  const WarpsBlock  *warps_block;
  Prefetch<ahead>    prefetch;
  const Pack        *x;
  PackRows<Scalar>   y;

  void operator()(std::int64_t block) const
  {
    const std::int64_t start = block_rows[block], rows = block_rows[block + 1] - start,
                       nnz = csr.row_ptr[start + rows] - csr.row_ptr[start];
    if (add && nnz == 0) return;
    const auto with_rows = [&](const auto &sum) PETSCSPMV_INLINE_LAMBDA {
      StoreRows<add>(y, start, rows, [&](std::int64_t i) PETSCSPMV_INLINE_LAMBDA {
        const Index begin = csr.row_ptr[start + i], end = csr.row_ptr[start + i + 1];
        if (nnz <= kMaxSharedSize) { // otherwise SumOfProducts() prefetches them
          prefetch(csr.val + begin, end - begin);
          prefetch(csr.col_idx + begin, end - begin);
        }
        return sum(RowOfProducts<Scalar, Index, Pack>{csr.col_idx + begin, csr.val + begin, x}, end - begin);
      });
    };
    if (rows == 1 || nnz > kMaxSharedSize) {
      with_rows([&](const auto &product, std::int64_t n)
                  PETSCSPMV_INLINE_LAMBDA { return SumOfProducts(product.col_idx, product.val, n, x, prefetch); });
    } else if (warps_block[block].even()) {
      with_rows([](const auto &product, std::int64_t n) PETSCSPMV_INLINE_LAMBDA { return SumInTurn<Pack>(product, n); });
    } else if (nnz <= 4 * rows) {
      with_rows([](const auto &product, std::int64_t n)
                  PETSCSPMV_INLINE_LAMBDA { return SumByLanes<4, Scalar, Pack>(product, n); });
    } else {
      with_rows([](const auto &product, std::int64_t n)
                  PETSCSPMV_INLINE_LAMBDA { return SumByLanes<8, Scalar, Pack>(product, n); });
    }
  }
};

/// Products with several vectors, each with the same bits as a single product.
template <bool add, OnProcessor Exec, class Scalar, class Index>
void MultMany(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, Vectors<const Scalar> x, Vectors<Scalar> y)
{
  if (layout.variant == Variant::Pcsr) {
    for (std::int64_t k = 0; k < x.count; ++k) MultPcsr<add>(exec, layout, x[k], SingleY<add>(y[k]));
    return;
  }
  InPacks(
    exec, layout.csr.cols, 0, x, y,
    [&]<class Pack>(const Pack *packs, const PackRows<Scalar> &rows) {
      WithPrefetch(exec, layout.csr.EntryBytes(), [&]<bool ahead>(Prefetch<ahead> prefetch) {
        exec.For("IPCSRMultMany", layout.Blocks(), static_cast<std::size_t>(layout.nnz),
                 MultRowBlockMany<add, ahead, Scalar, Index, Pack>{layout.csr, layout.block_rows.data(), layout.warps_block.data(),
                                                                   prefetch, packs, rows});
      });
    },
    [&](const Scalar *vector, Scalar *product) { Mult<add>(exec, layout, vector, SingleY<add>(product)); });
}

} // namespace petscspmv::ipcsr
