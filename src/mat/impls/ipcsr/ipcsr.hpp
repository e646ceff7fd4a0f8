// The format IPCSR: J. Gao, P. Qi and G. He, "Efficient CSR-Based Sparse Matrix-Vector Multiplication on
// GPU", Mathematical Problems in Engineering, 2016.
#pragma once

#include "mat/arithmetic/store.hpp"
#include "mat/exec/host.hpp"
#include "mat/exec/workspace.hpp"
#include "mat/format/csr.hpp"
#include "mat/format/options.hpp"
#include "mat/format/pack_size.hpp"
#include "mat/impls/ipcsr/build.hpp"
#include "mat/impls/ipcsr/layout.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace petscspmv::ipcsr {

/// A core in terms of equation 3: it holds one block at a time, whatever its threads, and gives the products a quarter of an L1
/// cache of 32 KiB. The rest is for x and for streaming entries: when products had half of the cache, some were evicted.
inline constexpr Multiprocessor kHostCore{8 * 1024, kMaxBlockSize, 1};

/// Threads of a block on hosts: on 25 matrices the best of 128 to 1024, with 512 to 4096 products, by little.
inline constexpr int kHostBlockSize = 256;

/// Limits that all GPUs meet for which the code is compiled (sm_80 and later), and the most bytes that a block may ask for.
inline constexpr Multiprocessor kDeviceMultiprocessor{96 * 1024, 2048, 32};
inline constexpr int            kDeviceBlockSize  = 256;
inline constexpr std::size_t    kMostSharedMemory = 40 * 1024; // products, and one sum per thread

template <class Exec>
inline constexpr Multiprocessor kMultiprocessorOf = kOnHost<Exec> ? kHostCore : kDeviceMultiprocessor;
template <class Exec>
inline constexpr int kBlockSizeOf = kOnHost<Exec> ? kHostBlockSize : kDeviceBlockSize;

struct Ipcsr {
  static constexpr const char *alias   = "ipcsr";
  static constexpr const char *root    = "aijipcsr";
  static constexpr const char *symbol  = "IPCSR";
  static constexpr const char *title   = "IPCSR";
  static constexpr bool        borrows = true;

  static constexpr auto variants = ByEnumerator<Variant::Pcsr, const char *>({{Variant::Ipcsr, "ipcsr"}, {Variant::Pcsr, "pcsr"}});
  enum Option { kBlockSize, kSharedSize, kVariant };
  static constexpr auto options = ByEnumerator<kVariant, OptionSpec>({
    {kBlockSize, {.key = "block_size", .help = "threads of a block, and its row limit", .lower = 1, .upper = kMaxBlockSize}},
    {kSharedSize,
     {.key   = "shared_size",
      .help  = "largest number of nonzeros of a block with several rows; by default 8 KiB of products",
      .lower = 1,
      .upper = kMaxSharedSize}},
    {kVariant,
     {.key     = "variant",
      .help    = "one kernel, or the two kernels of its predecessor PCSR with all products in memory between them",
      .initial = 0,
      .names   = variants}},
  });

  template <class Scalar, class Index, class Exec>
  using Layout = ipcsr::Layout<Scalar, Index, Exec>;

  template <class Exec, class Scalar, class Index>
  static void Build(const Exec &exec, const Csr<Scalar, Index> &csr, const OptionValues &values,
                    Layout<Scalar, Index, Exec> &layout)
  {
    layout             = Layout<Scalar, Index, Exec>();
    layout.csr         = csr;
    layout.nnz         = csr.nnz();
    layout.variant     = static_cast<Variant>(values[kVariant]);
    layout.block_size  = values[kBlockSize] == kDecide ? kBlockSizeOf<Exec> : static_cast<int>(values[kBlockSize]);
    layout.shared_size = values[kSharedSize] == kDecide ? SharedSize(kMultiprocessorOf<Exec>, layout.block_size, sizeof(Scalar))
                                                        : static_cast<int>(values[kSharedSize]);
    if constexpr (!kOnHost<Exec>)
      layout.shared_size = std::min(layout.shared_size, static_cast<int>(kMostSharedMemory / sizeof(Scalar)) - layout.block_size);
    if (layout.variant == Variant::Ipcsr) BuildRowBlocks(exec, layout);
  }

  /// Refreshes nothing: columns and values are the matrix's own, and row blocks depend on the pattern alone.
  template <class Exec, class Scalar, class Index>
  static void Refresh(const Exec &, const Csr<Scalar, Index> &csr, Layout<Scalar, Index, Exec> &layout)
  {
    layout.csr = csr;
  }

  /// A x only: row blocks are of no use to A^T x, which sums along columns.
  template <Op op, bool add, class Exec, class Scalar, class Index, class Y>
  requires(op == Op::N && kCanStore<Exec, Scalar, Y>) static void Apply(const Exec &exec, const Layout<Scalar, Index, Exec> &layout,
                                                                        const Scalar *x, Y y)
  {
    if (layout.variant == Variant::Ipcsr) Mult<add>(exec, layout, x, y);
    else MultPcsr<add>(exec, layout, x, y);
  }

  template <bool add, OnProcessor Exec, class Scalar, class Index>
  static void ApplyMany(const Exec &exec, const Layout<Scalar, Index, Exec> &layout, Vectors<const Scalar> x, Vectors<Scalar> y)
  {
    MultMany<add>(exec, layout, x, y);
  }

  /// PCSR's products, which are in memory between its two kernels.
  template <class Scalar, class Index, class Exec>
  static std::size_t WorkspaceBytes(const Layout<Scalar, Index, Exec> &layout)
  {
    return layout.variant == Variant::Pcsr ? static_cast<std::size_t>(layout.nnz) * sizeof(Scalar) : 0;
  }

  /// Packs of x for IPCSR; the products of one vector for PCSR, which multiplies one vector at a time.
  template <class Scalar, class Index, OnProcessor Exec>
  static std::size_t ManyWorkspaceBytes(const Layout<Scalar, Index, Exec> &layout)
  {
    return layout.variant == Variant::Pcsr ? WorkspaceBytes(layout) : BytesForMany<Scalar>(layout.csr.cols, 0);
  }

  template <class Scalar, class Index, class Exec>
  static std::size_t Bytes(const Layout<Scalar, Index, Exec> &layout)
  {
    return layout.block_rows.bytes() + layout.warps_block.bytes();
  }

  template <class Exec, class Scalar, class Index>
  static Stats Statistics(const Exec &exec, const Layout<Scalar, Index, Exec> &layout)
  {
    const Census<Index> census = Count(exec, layout);
    Stats               stats{
      {"block_size", static_cast<double>(layout.block_size), Stat::Parameter},
      {"shared_size", static_cast<double>(layout.shared_size), Stat::Parameter},
      {"variant", static_cast<double>(layout.variant), Stat::Parameter},
      {"blocks", static_cast<double>(layout.Blocks())},
      {"rows_per_block_min", layout.Blocks() > 0 ? static_cast<double>(census.least) : std::numeric_limits<double>::infinity(),
                     Stat::Least},
      {"rows_per_block_mean", static_cast<double>(layout.csr.rows), Stat::Ratio, static_cast<double>(layout.Blocks())},
      {"rows_per_block_max", static_cast<double>(census.most), Stat::Most},
      {"long_rows", static_cast<double>(census.long_rows)},
      {"rows_alone", static_cast<double>(census.alone)},
    };
    for (std::size_t k = 0; k < kThreadsKeys.size(); ++k)
      stats.push_back({kThreadsKeys[k], static_cast<double>(census.rows_with[k]), Stat::IfNonzero});
    return stats;
  }

private:
  static constexpr std::array<const char *, 10> kThreadsKeys{
    "rows_with_1_thread",   "rows_with_2_threads",  "rows_with_4_threads",   "rows_with_8_threads",   "rows_with_16_threads",
    "rows_with_32_threads", "rows_with_64_threads", "rows_with_128_threads", "rows_with_256_threads", "rows_with_512_threads"};

  /// Counts of blocks and rows.
  template <class Index>
  struct Census {
    Index                                  least = 0, most = 0; // rows of a block
    Index                                  alone     = 0;       // rows that are a block of their own, summed by all its threads
    Index                                  long_rows = 0;       // rows alone that are longer than shared_size
    std::array<Index, kThreadsKeys.size()> rows_with{};         // rows in other blocks, by threads per row
  };

  template <class Exec, class Scalar, class Index>
  static Census<Index> Count(const Exec &exec, const Layout<Scalar, Index, Exec> &layout)
  {
    Census<Index>           census;
    const Index            *row_ptr     = layout.csr.host_row_ptr;
    const Array<Index>      block_rows  = OnHost(exec, layout.block_rows);
    const Array<WarpsBlock> warps_block = OnHost(exec, layout.warps_block);
    const auto              first_row   = [&](std::int64_t block) {
      return layout.variant == Variant::Pcsr
                              ? static_cast<Index>(std::min<std::int64_t>(block * layout.block_size, layout.csr.rows))
                              : block_rows[static_cast<std::size_t>(block)];
    };
    for (std::int64_t block = 0; block < layout.Blocks(); ++block) {
      const Index start = first_row(block), end = first_row(block + 1), rows = end - start;
      census.least = block == 0 ? rows : std::min(census.least, rows);
      census.most  = std::max(census.most, rows);
      if (layout.variant == Variant::Pcsr) {
        census.rows_with[0] += rows;
      } else if (rows == 1) {
        ++census.alone;
        census.long_rows += row_ptr[end] - row_ptr[start] > layout.shared_size;
      } else {
        census.rows_with[static_cast<std::size_t>(
          std::countr_zero(static_cast<unsigned>(warps_block[static_cast<std::size_t>(block)].threads())))] += rows;
      }
    }
    return census;
  }
};

} // namespace petscspmv::ipcsr
