// The CSR5 storage format (paper, section 3).
#pragma once

#include "mat/arithmetic/columns.hpp"
#include "mat/arithmetic/values.hpp"
#include "mat/exec/array.hpp"
#include "mat/impls/csr5/descriptor.hpp"

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace petscspmv::csr5 {

/// How the partial sums of a tile's columns are combined (option segmented_sum).
enum class SegmentedSum {
  Separate, // row by row
  Prefix,   // Algorithm 6 as printed: differences of prefix sums, which mix the tile's rows
};

/// The default shape, which has kernels of its own.
template <class Exec>
constexpr int DefaultOmega()
{
  return kOnHost<Exec> ? kHostOmega : kDeviceOmega;
}

template <class Exec>
constexpr int DefaultSigma()
{
  return kOnHost<Exec> ? kHostSigma : kDeviceSigma;
}

/// Complete tiles that one worker takes at a time (on devices, a warp). The number is fixed so that sums associate the same way,
/// and results have the same bits, for any number of threads.
template <class Exec>
inline constexpr int kTilesPerBlock = kOnHost<Exec> ? 64 : 1;

/// Blocks of `size` consecutive tiles; the last may have fewer.
struct TileBlocks {
  std::int64_t tiles;
  int          size;

  std::int64_t    Count() const { return (tiles + size - 1) / size; }
  KOKKOS_FUNCTION std::int64_t Begin(std::int64_t block) const { return block * size < tiles ? block * size : tiles; }
  KOKKOS_FUNCTION std::int64_t End(std::int64_t block) const { return Begin(block + 1); }
};

/// The position of a segment's sum among the joined running sums of its tile (SumSegments()), if the next segment begins with entry
/// j of column i. bit_flag implies it, but reading flags takes a branch per row.
KOKKOS_INLINE_FUNCTION constexpr int SegmentEnd(int omega, int sigma, int i, int j)
{
  return j > 0 ? j * omega + i : sigma * omega + i - 1;
}

/// CSR5 of a matrix whose CSR arrays stay with their owner.
///
/// The nonzeros are cut into tiles of omega x sigma. `values` and `columns` hold every complete tile transposed (entry j of column
/// i of a tile at j omega + i), and the last, incomplete one in CSR order. row_ptr, the format's fifth array, is needed to build a
/// layout but not to multiply with it: only its part for the incomplete tile is kept.
template <class Scalar, class Index, class Exec>
struct Layout {
  using Space    = typename Exec::memory_space;
  using Unsigned = std::make_unsigned_t<Index>;
  template <class T>
  using Data = Array<T, Space>;

  Index            rows     = 0;
  Index            cols     = 0;
  std::int64_t     nnz      = 0;
  std::int64_t     tiles    = 0; // complete and incomplete: p in the paper
  std::int64_t     complete = 0; // tiles with a descriptor
  DescriptorFields fields{};
  SegmentedSum     segmented_sum = SegmentedSum::Separate;
  bool             offsets       = true; // store columns as offsets where possible

  Data<Unsigned>      tile_ptr;     // tiles + 1: first row of each tile; the sign bit means "has empty rows"
  Data<std::uint32_t> tile_desc;    // complete * fields.WordsPerTile()
  Data<std::int64_t>  empty_ptr;    // complete + 1 if some tile has empty rows: indices into empty_offset
  Data<Index>         empty_offset; // row of each segment of such tiles, relative to tile_ptr
  Data<std::uint16_t> inner_ends;   // complete: segments that end before the end of the tile's last column
  Data<std::int64_t>  block_ptr;    // on hosts, blocks + 1: indices into segment_end
  Data<std::uint16_t> segment_end;  // on hosts, for each segment that inner_ends counts: see SegmentEnd()
  Data<std::int64_t>  tail_ptr;     // first entry of each nonempty row of the incomplete tile, and nnz
  Data<Index>         tail_row;     // the rows themselves
  Data<std::uint8_t>  continues;    // blocks + 1: whether the first row of the block (last: of the tail) began before it

  std::int64_t empty_rows            = 0; // of the matrix, counted on devices only
  std::int64_t tiles_with_empty_rows = 0;

  Columns<Index, Space> columns; // tile by tile; the incomplete tile is plain
  Values<Scalar, Space> values;  // tile by tile; the incomplete tile is full

  int          TileSize() const { return fields.omega * fields.sigma; }
  TileBlocks   CompleteBlocks() const { return {complete, kTilesPerBlock<Exec>}; }
  std::int64_t Blocks() const { return CompleteBlocks().Count(); }
  std::int64_t CompleteEntries() const { return complete * TileSize(); }
};

/// Counts the entries of a tile.
struct EntriesOfTile {
  std::int64_t tile_size, complete, nnz;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t tile) const
  {
    return tile < complete ? tile_size : nnz - complete * tile_size;
  }
};

} // namespace petscspmv::csr5
