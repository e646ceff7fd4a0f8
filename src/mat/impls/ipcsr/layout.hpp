// What IPCSR stores besides the matrix (paper, section 4): the row blocks, and nothing per entry.
#pragma once

#include "mat/exec/array.hpp"
#include "mat/format/csr.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace petscspmv::ipcsr {

/// The paper's two methods (option variant).
enum class Variant {
  Ipcsr, // section 4: products and sums in one kernel, blocks of as many rows as fit
  Pcsr,  // section 3.2: two kernels, with all products in memory between them
};

/// Largest number of threads of a block, as on the paper's GPUs.
inline constexpr int kMaxBlockSize = 1024;

/// Largest number of entries of a row block with several rows. Their products are kept on the worker's stack.
inline constexpr int kMaxSharedSize = 8192;

/// An entry of the paper's warps_block: the threads per row of the block, a power of two, and whether the rows are nearly equal,
/// set only on hosts and for one thread per row.
class WarpsBlock {
public:
  static WarpsBlock Make(int threads, bool even)
  {
    WarpsBlock warps;
    warps.bits_ = static_cast<std::uint8_t>(std::countr_zero(static_cast<unsigned>(threads)) << 1 | even);
    return warps;
  }
  KOKKOS_FUNCTION int  threads() const { return 1 << (bits_ >> 1); }
  KOKKOS_FUNCTION bool even() const { return bits_ & 1; }

private:
  std::uint8_t bits_;
};

/// Row blocks of a matrix whose CSR arrays stay with their owner, who lends them until the layout is rebuilt. Names are the
/// paper's: blockRows and warps_block (Algorithms 4 and 5).
template <class Scalar, class Index, class Exec>
struct Layout {
  using Space = typename Exec::memory_space;
  template <class T>
  using Data = Array<T, Space>;

  Csr<Scalar, Index> csr{}; // borrowed
  Index              nnz         = 0;
  Variant            variant     = Variant::Ipcsr;
  int                block_size  = 1; // nt: threads of a block, and its largest number of rows
  int                shared_size = 1; // SHARED_SIZE: largest number of products of a block
  Data<Index>        block_rows;      // IPCSR, blocks + 1: first row of each block, and the number of rows
  Data<WarpsBlock>   warps_block;     // IPCSR, blocks

  /// PCSR's blocks have block_size rows each and are not stored.
  std::int64_t Blocks() const
  {
    if (variant == Variant::Pcsr) return (std::int64_t{csr.rows} + block_size - 1) / block_size;
    return static_cast<std::int64_t>(warps_block.size());
  }
};

} // namespace petscspmv::ipcsr
