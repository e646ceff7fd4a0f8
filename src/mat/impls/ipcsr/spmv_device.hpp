// y = A x and y += A x by IPCSR and PCSR, device mapping: a thread block takes a row block, whose products are in shared memory
// (Kokkos' scratch memory).
#pragma once

#include "mat/arithmetic/load.hpp"
#include "mat/arithmetic/scalar.hpp"
#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/impls/ipcsr/layout.hpp"

#include <cstddef>
#include <cstdint>

namespace petscspmv::ipcsr {

/// Sums part[t .. t + threads) of every group of `threads` threads, a power of two, by halving (Algorithm 5). The first thread of
/// a group gets the sum.
template <class Block, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION void SumOfGroups(const Block &block, int threads, Scalar *part)
{
  for (int half = threads / 2; half > 0; half /= 2) {
    block.For([&](int t) {
      if (t % threads < half && t + half < block.threads()) part[t] = Plus(part[t], part[t + half]);
    });
  }
}

/// The product with one row block (Algorithm 9).
template <bool add, class Scalar, class Index>
struct MultRowBlockOnDevice {
  Csr<Scalar, Index> csr;
  int                shared_size;
  const Index       *block_rows;
  const WarpsBlock  *warps_block;
  const Scalar      *x;
  Scalar            *y;

  template <class Block>
  KOKKOS_FUNCTION void operator()(const Block &block, std::int64_t i) const
  {
    const Index        start = block_rows[i], end = block_rows[i + 1];
    const std::int64_t first_col = csr.row_ptr[start], nnz = csr.row_ptr[end] - first_col;
    if (add && nnz == 0) return; // as for most blocks of an off-diagonal matrix
    if (end - start == 1 || nnz > shared_size) {
      for (Index row = start; row < end; ++row) MultLongRow(block, row);
      return;
    }
    Scalar *temp_s = block.template Scratch<Scalar>(), *part = temp_s + shared_size;
    block.For([&](int t) {
      for (std::int64_t e = t; e < nnz; e += block.threads()) temp_s[e] = Product(first_col + e);
    });
    const int threads = warps_block[i].threads();
    if (threads == 1) { // scalar-style
      block.For([&](int t) {
        for (Index row = start + static_cast<Index>(t); row < end; row += static_cast<Index>(block.threads()))
          Store<add>(y[row], SumOfRow(row, first_col, 0, 1, temp_s));
      });
      return;
    }
    block.For([&](int t) { // multiple scalar-style, Algorithm 5
      const Index row = start + static_cast<Index>(t / threads);
      part[t]         = row < end ? SumOfRow(row, first_col, t % threads, threads, temp_s) : Scalar(0);
    });
    SumOfGroups(block, threads, part);
    block.For([&](int t) {
      const Index row = start + static_cast<Index>(t / threads);
      if (row < end && t % threads == 0) Store<add>(y[row], part[t]);
    });
  }

private:
  KOKKOS_FORCEINLINE_FUNCTION Scalar Product(std::int64_t entry) const
  {
    return Multiply(LoadOnce(csr.val + entry), Load(x + LoadOnce(csr.col_idx + entry)));
  }

  /// The partial sum of a row by thread t of `threads`.
  KOKKOS_FORCEINLINE_FUNCTION Scalar SumOfRow(Index row, std::int64_t first_col, int t, int threads, const Scalar *temp_s) const
  {
    Scalar             sum = Scalar(0);
    const std::int64_t end = csr.row_ptr[row + 1] - first_col;
    for (std::int64_t j = csr.row_ptr[row] - first_col + t; j < end; j += threads) sum = Plus(sum, temp_s[j]);
    return sum;
  }

  /// One row, by all threads (Algorithm 8).
  template <class Block>
  KOKKOS_FORCEINLINE_FUNCTION void MultLongRow(const Block &block, Index row) const
  {
    Scalar *part = block.template Scratch<Scalar>() + shared_size;
    block.For([&](int t) {
      Scalar sum = Scalar(0);
      for (std::int64_t e = csr.row_ptr[row] + t; e < csr.row_ptr[row + 1]; e += block.threads()) sum = Plus(sum, Product(e));
      part[t] = sum;
    });
    int threads = 1;
    while (threads < block.threads()) threads *= 2;
    SumOfGroups(block, threads, part);
    block.For([&](int t) {
      if (t == 0) Store<add>(y[row], part[0]);
    });
  }
};

template <bool add, OnDevice Exec, class Scalar, class Index>
void Mult(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  const std::size_t scratch = static_cast<std::size_t>(layout.shared_size + layout.block_size) * sizeof(Scalar);
  exec.ForBlocks("IPCSRMult", layout.Blocks(), layout.block_size, scratch,
                 MultRowBlockOnDevice<add, Scalar, Index>{layout.csr, layout.shared_size, layout.block_rows.data(),
                                                          layout.warps_block.data(), x, y});
}

/// PCSR's kernel I (Algorithm 1).
template <class Scalar, class Index>
struct PcsrProduct {
  Csr<Scalar, Index> csr;
  const Scalar      *x;
  Scalar            *temp;

  KOKKOS_FUNCTION void operator()(std::int64_t entry) const
  {
    temp[entry] = Multiply(LoadOnce(csr.val + entry), Load(x + LoadOnce(csr.col_idx + entry)));
  }
};

/// PCSR's kernel II (Algorithm 2): one thread per row, SHARED_SIZE products at a time.
template <bool add, class Scalar, class Index>
struct PcsrSumsOnDevice {
  const Index  *row_ptr;
  std::int64_t  rows;
  int           shared_size;
  const Scalar *temp;
  Scalar       *y;

  template <class Block>
  KOKKOS_FUNCTION void operator()(const Block &block, std::int64_t i) const
  {
    const std::int64_t start = i * block.threads(), end = start + block.threads() < rows ? start + block.threads() : rows,
                       i_e = row_ptr[end];
    Scalar *temp_s = block.template Scratch<Scalar>(), *sum = temp_s + shared_size;
    block.For([&](int t) { sum[t] = Scalar(0); });
    for (std::int64_t first = row_ptr[start]; first < i_e; first += shared_size) {
      const std::int64_t size = i_e - first < shared_size ? i_e - first : shared_size;
      block.For([&](int t) {
        for (std::int64_t k = t; k < size; k += block.threads()) temp_s[k] = Load(temp + first + k);
      });
      block.For([&](int t) {
        if (start + t >= end) return;
        const std::int64_t begin = row_ptr[start + t] - first, stop = row_ptr[start + t + 1] - first;
        Scalar             part = sum[t];
        for (std::int64_t k = begin > 0 ? begin : 0; k < (stop < size ? stop : size); ++k) part = Plus(part, temp_s[k]);
        sum[t] = part;
      });
    }
    block.For([&](int t) {
      if (start + t < end) Store<add>(y[start + t], sum[t]);
    });
  }
};

template <bool add, OnDevice Exec, class Scalar, class Index>
void MultPcsr(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, const Scalar *x, Scalar *y)
{
  const std::size_t scratch = static_cast<std::size_t>(layout.shared_size + layout.block_size) * sizeof(Scalar);
  Scalar           *temp    = static_cast<Scalar *>(exec.workspace());
  exec.ForThreads("PCSRProducts", layout.nnz, PcsrProduct<Scalar, Index>{layout.csr, x, temp});
  exec.ForBlocks("PCSRSums", layout.Blocks(), layout.block_size, scratch,
                 PcsrSumsOnDevice<add, Scalar, Index>{layout.csr.row_ptr, layout.csr.rows, layout.shared_size, temp, y});
}

} // namespace petscspmv::ipcsr
