// The row blocks of IPCSR (paper, section 4): their size by equation 3, their bounds by Algorithms 4 and 6, and the threads per
// row of a block by the decision tree of Figure 1.
#pragma once

#include "mat/exec/host.hpp"
#include "mat/format/csr.hpp"
#include "mat/impls/ipcsr/layout.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace petscspmv::ipcsr {

/// Limits of a multiprocessor, N_mem, N_td and N_tb of equation 3: bytes of shared memory, resident threads and resident blocks.
struct Multiprocessor {
  std::int64_t memory, threads, blocks;
};

/// SHARED_SIZE, the entries whose products a block of nt threads can hold: the shared memory divided by the number of resident
/// blocks (equation 3, for any scalar).
constexpr int SharedSize(const Multiprocessor &limits, int nt, std::size_t scalar_bytes)
{
  const std::int64_t blocks = std::max<std::int64_t>(std::min(limits.threads / nt, limits.blocks), 1);
  return static_cast<int>(limits.memory / blocks / static_cast<std::int64_t>(scalar_bytes));
}

/// Threads per row of a block with num_rows rows: nt / num_rows rounded down to a power of two, at most nt / 2. Figure 1 is
/// missing from our copy of the paper; its text says that the tree decides by nt / num_rows, and Algorithm 5 goes up to nt / 2.
constexpr int ThreadsPerRow(int nt, int num_rows)
{
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(std::min(nt / num_rows, nt / 2), 1))));
}

/// The row that ends the block beginning at `start`: Algorithm 4 with Algorithm 6 for its line 8. The paper's running sums over
/// rows are differences of row pointers, so the row that fills the block is found by bisection.
template <class Index>
Index EndOfBlock(const Index *row_ptr, Index rows, Index start, int nt, int shared_size)
{
  const Index        last = static_cast<Index>(std::min<std::int64_t>(std::int64_t{start} + nt, rows));
  const std::int64_t full = std::int64_t{row_ptr[start]} + shared_size;
  const Index       *end =
    std::lower_bound(row_ptr + start + 1, row_ptr + last + 1, full, [](Index entry, std::int64_t bound) { return entry < bound; });
  const std::int64_t row = end - row_ptr; // the first row at whose end the block is full
  if (row > last) return last;            // nt rows, or the last rows of the matrix (lines 5 and 12)
  if (*end > full && row - 1 > start) return static_cast<Index>(row - 1); // without the row that does not fit (line 8)
  return static_cast<Index>(row);                                         // exactly full (line 5), or a long row alone
}

/// Whether at most a sixteenth of the rows differ in length from the row before. Then one thread per row is fast on hosts, as it
/// is on the paper's GPUs where rows are "nearly equal" (section 4.1).
template <class Index>
bool NearlyEqual(const Index *row_ptr, Index start, Index end)
{
  std::int64_t changes = 0;
  for (Index row = start + 1; row < end; ++row) changes += row_ptr[row + 1] - row_ptr[row] != row_ptr[row] - row_ptr[row - 1];
  return changes * 16 <= end - start;
}

/// Calls block(start, end) for every row block, in order.
template <class Index, class Block>
void ForRowBlocks(const Index *row_ptr, Index rows, int nt, int shared_size, const Block &block)
{
  for (Index start = 0; start < rows;) {
    const Index end = EndOfBlock(row_ptr, rows, start, nt, shared_size);
    block(start, end);
    start = end;
  }
}

template <class Exec, class Scalar, class Index>
void BuildRowBlocks(const Exec &exec, Layout<Scalar, Index, Exec> &layout)
{
  const Index            *row_ptr = layout.csr.host_row_ptr;
  std::vector<Index>      block_rows;
  std::vector<WarpsBlock> warps_block;
  ForRowBlocks(row_ptr, layout.csr.rows, layout.block_size, layout.shared_size, [&](Index start, Index end) {
    const int threads = ThreadsPerRow(layout.block_size, static_cast<int>(end - start));
    block_rows.push_back(start);
    warps_block.push_back(WarpsBlock::Make(threads, kOnHost<Exec> && threads == 1 && NearlyEqual(row_ptr, start, end)));
  });
  block_rows.push_back(layout.csr.rows);
  CopyIn(exec, layout.block_rows, block_rows);
  CopyIn(exec, layout.warps_block, warps_block);
}

} // namespace petscspmv::ipcsr
